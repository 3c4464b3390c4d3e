// What only sounds like a full context (R10): a message that matches one of these is no overflow, whatever else it says.
// Each with such a message beside it. Read on the form that plainMessage gives; linear.

interface OverflowVeto {
  /** What the message is really about. */
  readonly about: string;
  /** A message that this row is here for. */
  readonly message: string;
  readonly pattern: RegExp;
}

const veto = (about: string, message: string, source: string): OverflowVeto => ({
  about,
  message,
  pattern: new RegExp(source, "u"),
});

export const OVERFLOW_VETOES: readonly OverflowVeto[] = [
  veto(
    "rate limit",
    "Exceeded token rate limit of your current OpenAI model",
    String.raw`\brate limit|\bratelimit(?:ed|s|error|exceeded| )|\btoo many (?:concurrent )?requests\b|\bthrottl|\brequests? per\b|\brequest rate\b|\bconcurrenc|\bcool(?:ing )?down\b|\bslow down\b|限流|限速|速率|频率|频繁|并发`,
  ),
  veto(
    "quota",
    "You exceeded your current quota: too many tokens",
    String.raw`\bquota|\bresource (?:has been )?exhausted\b|\bsome resource has been exhausted\b|额度|配额|用量`,
  ),
  veto(
    "billing",
    "402 Payment Required: request token limit exceeded for this billing plan",
    String.raw`\bbilling\b|\bpayment required\b|\binsufficient (?:credits?|balance|funds|usd)|\bcredit balance\b|\b(?:out of|more|available|used all) (?:available )?credits\b|\bcredits and upgrade\b|\bcan only afford\b|\bspend(?:ing)? (?:limit|cap)\b|\bupgrade (?:your (?:plan|account|subscription|tier)|to (?:dev tier|pro|plus|max|a (?:paid|higher (?:plan|tier))|paid))\b|\bextra usage\b|\busage limit\b|\bkey limit\b|\b(?<!context )budget (?:has been |is |was )?(?:exceeded|exhausted)\b|\bexceeded (?:your |the )?(?:token |team |user |key )?budget\b|余额|欠费|充值`,
  ),
  veto(
    "limit of a period",
    "Number of request tokens has exceeded your per-minute rate limit.",
    String.raw`\b(?:per|each|every|this|for the) (?:min(?:ute)?|hour|day|week|month)\b|\b(?:tokens?|requests?|limit|\d) ?/ ?(?:min|minute|hour|day)\b|\b(?:tpm|rpm|tpd|rpd|rps|qps)\b|\benqueued\b|\b(?:daily|weekly|monthly|hourly|\d hour)(?: \w+){0,3} (?:limit|quota|cap|usage|allowance)|\bper (?:model|user|key|account|organization|project|team) (?:\w+ )?limit\b|\b(?:today|tomorrow)\b|每分钟|每日|每天|今日|本月`,
  ),
  veto(
    "try again later",
    "ThrottlingException: Too many tokens, please wait before trying again.",
    String.raw`\b(?:try|retry|trying|retrying)(?: your request| the request| it)? again (?:later|after|shortly|soon|in (?:\d|an? (?!new |fresh |different |separate |shorter |smaller )|about |approximately |some |few ))|\b(?:please )?retry (?:after|in|later)\b|\btry (?:again )?later\b|\bplease wait\b|\bwait \d|\bresets? (?:at|in|on) \d|稍后|请等待`,
  ),
  veto(
    "busy server",
    "service tier capacity exceeded",
    String.raw`\boverloaded\b|\bservice unavailable\b(?! error)|\btemporarily unavailable\b|\bat capacity\b|\bcapacity exceeded\b|\bover capacity\b|\bhigh demand\b|\bserver (?:is )?busy\b|\bqueue (?:is )?full\b|\bpending requests\b`,
  ),
  veto(
    "output cap",
    "max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5-20250929",
    String.raw`\bmaximum allowed number of output tokens\b|(?<!\+ |and |or |plus |default |\) )\bmax(?:imum)? (?:output |completion |new |generated |response )?tokens?(?: \([^)]{0,40}\)| for [^.;]{1,60}?| value| parameter|:? ?\d+)? (?:must be|should be|cannot be|can not be|(?:cannot|can not|must not|should not) exceed|is too|was too|needs to be|has to be|exceeds? (?:(?:the|this|its|models?) ){0,2}(?:limit|maximum|max|allowed|supported|output|completion)|(?:is|are|was) (?:greater|larger|more|higher|bigger|longer) than)|\b(?:invalid|range of|value for|value of|values? of) max (?:output |completion |new )?tokens\b|\bmaximum tokens you requested exceeds?\b|\bsupports at most \d+ (?:completion|output) tokens\b|\boutput token (?:maximum|limit|cap)\b|\b(?:response|output|completion|reply|generation)(?: length| tokens?| size)? (?:has |was |have )?(?:exceed\w*|too (?:long|large))|\btoo many (?:output|completion|generated)\b|\breason: max (?:output )?tokens\b|\bmodel output limit\b|\bexceeded output limit\b|\blength of max output tokens\b`,
  ),
  veto(
    "a parameter's length",
    "Invalid 'messages[0].content': string too long. Expected a string with maximum length 1048576, but got a string with length 2000000 instead. (string_above_max_length)",
    String.raw`\b(?:string|array|list|name|description|url|uri|identifier|id|metadata|schema|header|headers|header fields|title|tool name)(?: is| was)? too (?:long|large|big)\b|\babove max length\b|\bexpected max ?length\b|\bmaximum length \d+,? but got\b|\btoo many (?:tools|functions|images|messages|documents|files|pages|stop sequences)\b|\b\d+ characters\b`,
  ),
  veto(
    "an image or a file",
    "image exceeds 5 MB maximum: 5316852 bytes > 5242880 bytes",
    String.raw`(?<!tokens of )\b(?:images?|picture|files?|attachments?|pdf|documents?|audio|video|upload)(?: \w+){0,3} (?:(?:exceeds?|exceeded|larger than)(?! (?:(?:the|this|its|your|models?|max|maximum|available) ){0,4}context )|too (?:large|big|long)|was too)\b|\bimage dimensions?\b|\bupload (?:size )?limit\b|\bfile (?:size|content)\b|图片|图像|文件`,
  ),
  veto(
    "a tool's output",
    'MCP tool "search" response (30000 tokens) exceeds maximum allowed tokens (25000). Please use pagination, filtering, or limit parameters to reduce the response size.',
    String.raw`\b(?:tool|command|search|function)(?: [\w./:-]+){0,3} (?:response|result|output|call)s?(?: \([^)]{0,40}\))? (?:exceeds?|exceeded|is too|was too)\b|\buse offset and limit\b|\bmcp error\b|\bto reduce the response size\b`,
  ),
  veto(
    "a window that is configured too small",
    "Model context window too small (minimum is 128k tokens)",
    String.raw`\bcontext (?:window|length|size) (?:is |of \d+ (?:tokens )?is )?(?:too small|below|less than|smaller than)|\bminimum (?:is|context|of) `,
  ),
  veto(
    "memory and start-up settings",
    "The model's max seq len (131072) is larger than the maximum number of tokens that can be stored in KV cache (37328). Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.",
    String.raw`\bgpu memory utilization\b|\bstored in (?:the )?kv cache\b|\bmax model len \(\d+\) is greater\b|\bmore system memory\b|\bout of memory\b|\brequested context size too large\b|\bposition embeddings\b|\bphysical batch size\b|\bnum ctx \d+ exceeds\b|\btrained context\b`,
  ),
  veto(
    "a context that is no model's",
    "Docker build context is too large: 2.1 GB exceeds the limit of 2 GB",
    String.raw`\b(?:build|docker|kube|browser|rendering|execution|gpu|cuda|ssl|tls|security|cache) context\b`,
  ),
  veto(
    "somebody telling of it",
    "Let me check what happens when the prompt is too long",
    String.raw`\blet me (?:check|see|look)\b|\blets (?:check|see|look|investigate)\b|\b(?:ill|i will|we will) (?:write|check|look|add|fix)\b|\bwe (?:saw|fixed)\b|\b(?:im|i am|we are|were) (?:going to|looking into|debugging|investigating)\b`,
  ),
  veto(
    "a key",
    "context_length lookup failed: the key is invalid",
    String.raw`\bkey is (?:invalid|expired|missing|revoked)\b|\binvalid (?:x )?api key\b|\bunauthori[sz]ed\b|\bpermission denied\b|\bauthentication error\b`,
  ),
];
