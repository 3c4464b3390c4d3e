// What a full context sounds like (R9): one row a kind of wording, with a provider's own wording beside it. The patterns
// read the form that plainMessage gives, look within one sentence, and are linear: every repetition is bounded.

interface OverflowPattern {
  /** Whose wording it is, or the first of several. */
  readonly provider: string;
  /** A message as it is worded there; the row's own pattern finds it (tested). */
  readonly message: string;
  readonly pattern: RegExp;
  /** Servers one runs oneself report it as 5xx too, so such a status is no veto (R10). */
  readonly local?: true;
}

/** Anything within the sentence, up to `n` characters. */
const gap = (n: number): string => String.raw`(?:[^.;!?]|[.](?! )){0,${n}}?`;
/** The limit that overflows, by its many names. */
const CONTEXT = String.raw`(?:(?:context|ctx) ?(?:window|length|len|size|limit|budget|capacity)|maximum context|max context|n ctx(?: slot)?|(?:max(?:imum)? )?model len(?:gth)?|max seq len|session (?:max )?len(?:gth)?)`;
const EXCEEDS = String.raw`(?:exceed(?:s|ed|ing)?|surpass(?:es|ed)?|longer than|larger than|greater than|bigger than|more than)`;
/** What is sent to a model; `message:` is the name of an error's own text. */
const SENT = String.raw`(?:prompts?|inputs?|requests?|messages?\b(?!:)|conversation|chat|query|history|payload|sequence|transcript)`;
/** Words that may stand between what is sent and what is said of it; anything else is about something else. */
const FILLER = String.raw`(?:,? (?:\([^)]{0,80}\)|\d+|[+]|tokens?|length|count|size|body|text|data|entity|payload|history|context|content|messages?|prompts?|inputs?|requests?|query|number|total|sum|of|in|the|this|to|and|or|plus|max|new|output|requested|is|are|was|were|has|have|had|been|would|will|may|might|could|that|which|become|you|sent|submitted|far|way|much)){0,12}`;

const rows = (provider: string, message: string, source: string, local?: "local"): OverflowPattern => ({
  provider,
  message,
  pattern: new RegExp(source, "u"),
  ...(local === undefined ? {} : { local: true }),
});

/** Every kind of wording that means: the context is full. Order does not matter. */
export const OVERFLOW_PATTERNS: readonly OverflowPattern[] = [
  // The limit is named, and exceeded.
  rows(
    "OpenAI Responses, Codex",
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
    String.raw`\b${EXCEEDS}\b${gap(45)}\b${CONTEXT}\b`,
  ),
  rows(
    "OpenAI code, MiniMax, Anthropic stop reason",
    "invalid params, context window exceeds limit (2013)",
    String.raw`\b${CONTEXT}(?:s| limit| size)?(?: (?:has|have|is|was|been|would|will|be|of|for|this|that|the|model|request|tokens?|\d+|\([^)]{0,40}\))){0,6} (?:exceed(?:s|ed|ing)?|overflow(?:s|ed)?|surpassed|reached|hit|full)\b|\bcontext(?:window|length)exceeded`,
  ),
  rows(
    "Codex",
    "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.",
    String.raw`\bout of (?:room|space) in${gap(30)}\bcontext\b`,
  ),
  rows(
    "OpenAI Chat, Azure, DeepSeek, OpenRouter, vLLM",
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130518 tokens. Please reduce the length of the messages.",
    String.raw`\bmax(?:imum)? context (?:length|window|size) (?:is|of only) \d|\b(?:model|endpoint) has a max(?:imum)? context (?:length|window|size) of \d`,
    "local",
  ),
  rows(
    "vLLM",
    "This model's context length is only 8192 tokens",
    String.raw`\b(?:context (?:length|window|size)|context) (?:is|of) only \d`,
    "local",
  ),
  rows(
    "proxies",
    "Model context window is 128k tokens, you requested 256k tokens",
    String.raw`\bcontext (?:window|length|size) (?:is|of) \d+k?(?: tokens)?,?${gap(30)}\b(?:you|your|but|request|prompt|messages?)\b${gap(30)}\b\d`,
  ),
  rows(
    "context guards of agents",
    "Context overflow: prompt too large",
    String.raw`\bcontext overflow(?: error)?:|^context overflow(?: error)?[.]?$|\b(?:due to|because of|caused by) (?:a )?context overflow\b`,
  ),
  // What was sent is too long.
  rows(
    "Anthropic, Bedrock, Fireworks, z.ai",
    "prompt is too long: 213462 tokens > 200000 maximum",
    String.raw`\b(?:prompts?|inputs?|requests?|messages|(?:your|the|a) message|conversation|chat|history|payload|session|thread|transcript)${FILLER} too (?:long|large|big)\b`,
  ),
  rows(
    "HTTP 413",
    "413 Request Entity Too Large",
    String.raw`\b(?:(?:request )?entity|payload|request body|request payload) too large\b|(?<!(?:file|page|tool|result|response|output|commit) )\bcontent too large\b|\bmax(?:imum)? (?:request|payload|body|input|prompt) size (?:is |was |has been )?exceeded\b|\bsent message larger than max\b`,
  ),
  rows(
    "Cerebras, Mistral (no body)",
    "413 status code (no body)",
    String.raw`\b4(?:00|13) ?(?:status code)? ?\(no body\)`,
  ),
  rows(
    "proxies",
    "上下文过长",
    String.raw`\bcontext (?:(?:length |window )?(?:is|was) )?too (?:long|large)\b|上下文.{0,12}(?:过长|太长|超|溢出)|コンテキスト.{0,16}(?:超え|超過|長すぎ)|컨텍스트.{0,16}(?:초과|너무)`,
  ),
  rows(
    "Chinese proxies",
    "输入内容超出模型最大长度限制",
    String.raw`(?:超出|超过|大于|超长)[^。；,，]{0,12}(?:上下文|最大长度|长度限制|长度上限|最大输入|最大\s?tokens?|tokens?\s?(?:上限|限制|数))|(?:输入|提示词|prompt|对话|会话|消息)[^。；,，]{0,10}(?:过长|太长|超长|(?:超出|超过)(?:长度|限制|最大|模型|上限))|(?<!输出|生成|响应|回复|回答)内容(?:过长|太长|超长)|(?:输入|提示词|prompt|对话|会话|消息)长度[^。；,，]{0,4}超限|压缩上下文|(?<!max |输出 ?)tokens?\s?(?:(?:总?数|数量|长度)[^。；,，]{0,8})?(?:超过|超出|超限|过多)`,
  ),
  // A count of tokens is over a limit.
  rows(
    "Bedrock, Ollama, proxies",
    "ValidationException: Too many tokens",
    String.raw`\btoo many (?:(?:input|prompt|total|context|request|text) ){0,3}(?:tokens|bytes)\b`,
  ),
  rows(
    "Copilot, GitHub Models, proxies",
    "Oops, the token limit exceeded. Try to shorten your prompt or start a new conversation.",
    String.raw`(?<!(?:output|completion|response|generation|thinking|reasoning|rate|usage) )\btokens? limit (?:has been |was |is )?(?:exceeded|reached)\b|\bmax prompt tokens exceeded\b|\b(?:input|prompt) tokens? (?:limit |count )?exceeded\b|\bmaximum number of (?:input )?tokens (?:allowed )?(?:is |was |has been )?(?:exceeded|reached)\b|\bmax tokens of \d+ exceeded\b`,
  ),
  rows(
    "Moonshot / Kimi",
    "Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)",
    String.raw`\b${SENT}${FILLER} exceed(?:s|ed|ing)? (?:the |this |its |your )?(?:models? |maximum |max |allowed |configured |input |prompt |context |supported ){0,4}(?:number of )?(?:input )?(?:tokens?|token limit|length|size|bytes|limit)\b`,
  ),
  rows(
    "Databricks, proxies",
    "Exceeded the token limit",
    String.raw`\bexceed(?:s|ed|ing)? (?:(?:the|this|its|models?|max|maximum|allowed|context) ){0,4}(?:token limit|(?:input|prompt|context) tokens?)\b`,
  ),
  rows(
    "Google Gemini, Copilot, Azure",
    "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
    String.raw`\b(?:${SENT}|requested|total)\b${gap(40)}\b(?:tokens?|length|len|count)\b${FILLER}(?:,? which)? (?:${EXCEEDS}|(?:over|above|beyond) the)\b${gap(60)}\b(?:limit|max(?:imum)?|allowed|supported|supports|\d+)\b`,
  ),
  rows(
    "z.ai / Zhipu",
    "tokens in request more than max tokens allowed",
    String.raw`\btokens? in (?:the |your )?${SENT}${FILLER} ${EXCEEDS}\b`,
  ),
  rows(
    "Volcengine Ark",
    "Total tokens of image and text exceed max message tokens",
    String.raw`\btokens of image and text exceed`,
  ),
  rows(
    "Gemini (bytes), Anthropic (bytes)",
    "Request payload size exceeds the limit: 20971520 bytes.",
    String.raw`\b(?:request|payload|body)(?: payload| body)?(?: size)?(?: has)? exceed(?:s|ed)? (?:the |our )?(?:max(?:imum)?|limit|model)\b`,
  ),
  rows(
    "TGI, Together, Cohere, watsonx, Vertex",
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 512 `max_new_tokens`",
    String.raw`\b(?:inputs?|prompts?|messages|number of (?:input |prompt |total )?tokens|input tokens|total tokens)${FILLER} (?:(?:cannot|can not|must not|may not|should not) exceed|(?:must|should|has to) (?:be|have) (?:<|<=|≤|less|fewer|at most|under|below|shorter|no (?:more|longer)))`,
    "local",
  ),
  rows(
    "Vertex, AI21",
    "Unable to submit request because the input token count is 1200000 but model only supports up to 1048576. Reduce the input token count and try again.",
    String.raw`\b(?:inputs?|prompts?|request|messages)\b${gap(40)}\b\d+(?: tokens)?,? (?:but|expected|while|and) (?:(?:the|this|model|it|only|maximum|limit|is) ){0,5}(?:supports?|at most|up to|allows?|accepts?|maximum|limit)\b`,
  ),
  rows(
    "Cerebras",
    "Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000",
    String.raw`\bcurrent length is \d+ while (?:the )?limit is \d`,
  ),
  rows(
    "Alibaba DashScope / Qwen",
    "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]",
    String.raw`\brange of (?:input|prompt) length should be\b`,
    "local",
  ),
  rows(
    "xAI",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    String.raw`\bmax(?:imum)? (?:supported |allowed )?(?:prompt|input|model|sequence|query) (?:length|characters) (?:is|of) (?:just |only )?\d`,
  ),
  rows(
    "Groq, Cerebras",
    "Please reduce the length of the messages or completion.",
    String.raw`\b(?:reduc(?:e|ing)|shorten(?:ing)?|decreas(?:e|ing)) (?:the |your )?(?:(?:length|size|number) of (?:the |your )?(?:tokens in (?:the |your )?)?)?(?:input|prompt|messages|conversation|either one|message history|chat history|context)\b|\bplease reduce the length\b`,
  ),
  rows(
    "Mistral, DS4, MLC",
    "Prompt contains 40046 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    String.raw`\b${SENT} (?:contains?|has|have|is|uses?) (?:at least |about |approximately |around )?\d+ (?:input |prompt )?tokens\b${gap(60)}\b(?:too (?:large|long|many)|but the|larger than|exceed(?:s|ing)?|expected at most|only|over the|more than)\b`,
  ),
  rows("Anthropic (wrapped)", "messages: 205106 tokens > 200000 maximum", String.raw`\b\d+ tokens? > \d+\b`),
  rows(
    "Cohere",
    "too many tokens: size limit exceeded by 12345 tokens",
    String.raw`\blimit exceeded by \d+ tokens\b|\bmax size: \d+ tokens\b`,
  ),
  rows(
    "Bedrock",
    "This model supports a maximum of 8192 input tokens",
    String.raw`\b(?:max(?:imum)? of|up to|at most|only) \d+ (?:input|prompt|context|total) tokens\b|\bsupports (?:only |at most |up to )\d+k? (?:tokens of )?context\b`,
  ),
  rows(
    "Claude Code, local apps",
    "The model has reached its context limit",
    String.raw`\b(?:reached|hit|exhausted) (?:(?:the|its|your|a|our|models?|max|maximum) ){0,3}context (?:window|length|limit|size)\b|\b(?:reached|hit) (?:a|the|its) (?:input |prompt |context )?token limit\b`,
  ),
  rows(
    "Claude apps",
    "This conversation has reached its maximum length.",
    String.raw`\b(?:conversation|chat|thread|session) (?:has )?(?:reached|hit|exceeded|exceeds) (?:its |the |a |our )?(?:max(?:imum)? |context ){1,2}(?:length|size|tokens?|window|limit)\b|\b(?:message|conversation|chat) (?:will |would |may )?exceeds? the length limit\b|\b(?:conversation|chat|prompt|input) length (?:limit )?(?:has been |was |is )?exceeded\b|\b(?:reached|hit) (?:its|the) conversation (?:length )?limit\b`,
  ),
  // Servers one runs oneself.
  rows(
    "llama.cpp",
    "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it",
    String.raw`\bexceeds (?:the )?available context size\b|\bcontext size has been exceeded\b|\bexceed context size error\b|\bkv cache is full\b|\btoo big compared to kv size\b`,
    "local",
  ),
  rows(
    "LM Studio",
    "Trying to keep the first 5210 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input",
    String.raw`\btokens to keep from the initial prompt\b|\btrying to keep the first \d+ tokens\b|\breached context length of \d+ tokens\b|\bn keep\b.{0,20}\bn ctx\b|\bcannot truncate prompt\b`,
    "local",
  ),
  rows(
    "Ollama",
    "prompt too long; exceeded max context length by 100918 tokens",
    String.raw`\bexceed(?:s|ed) (?:the |max |maximum )?context length\b|\bcontext length exceeded\b`,
    "local",
  ),
  rows(
    "vLLM, SGLang",
    "The decoder prompt (length 8357) is longer than the maximum model length of 8192.",
    String.raw`\blonger than the (?:maximum model length|models context length)\b|\btoken count exceeds the models maximum context length\b|\bexceeds the maximum allowed length \(\d+ tokens\)|\btoo long to fit into the model\b|\btoo large for (?:the |this )?model with \d+ max|\binputs tokens \+ max new tokens exceed|\bcontext: \d+ tokens, prompt:? \d+ tokens\b|\bdefault max tokens \(-\d+\)`,
    "local",
  ),
];
