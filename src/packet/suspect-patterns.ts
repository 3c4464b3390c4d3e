// What text that talks to an agent looks like (S17): one row a kind. Each pattern wants the shape of an order to a model,
// not a word alone: developers write "ignore previous errors" all day. Linear in the text; matched on its plain view.

/** What a text tries, in words for the risk's detail. */
export type SuspectKind =
  | "overrides earlier instructions"
  | "chat role markup"
  | "tool-call markup"
  | "gives the reader a new role"
  | "addresses an AI"
  | "asks for the instructions"
  | "asks to hide something";

interface SuspectPattern {
  readonly kind: SuspectKind;
  readonly pattern: RegExp;
  /**
   * Which view it is matched on: `exact` the text as it is; `text` its letters; `names` also with the joints of names as
   * spaces, for patterns made of words.
   */
  readonly on: "exact" | "text" | "names";
}

const EARLIER =
  "(?:previous|prior|above|earlier|preceding|foregoing|original|initial|existing|current|system|developer|your|my|the user's)";
const ORDERS = "(?:instructions?|prompts?|directives?|guidelines|orders|system messages?)";
const DROP = "(?:ignore|ignoring|disregard|disregarding|forget|do not follow|don't follow|stop following)";
const AGENT =
  "(?:ai|a\\.i\\.|llm|language model|ai model|coding agent|ai agent|ai assistant|coding assistant|automated agent|chatbot)";
const PERSONA =
  "(?:assistant|ai|llm|chatbot|bot|language model|agent|hacker|persona|character|administrator|root shell|unrestricted \\w+|evil \\w+|pirate)";
const PEOPLE = "(?:user|users|human|humans|operator|supervisor|reviewer|owner|maintainer|developer)s?";
const B = String.raw`(?<![\p{L}\p{N}])`;
const E = String.raw`(?![\p{L}\p{N}])`;

function row(kind: SuspectKind, ...sources: readonly string[]): SuspectPattern[] {
  return sources.map((source) => ({ kind, pattern: new RegExp(source, "u"), on: "text" }));
}
/** Whole words. */
function words(kind: SuspectKind, ...sources: readonly string[]): SuspectPattern[] {
  return sources.map((source) => ({ kind, pattern: new RegExp(`${B}(?:${source})${E}`, "u"), on: "names" }));
}

export const SUSPECT_PATTERNS: readonly SuspectPattern[] = [
  ...words(
    "overrides earlier instructions",
    `${DROP} (?:(?:all|any|every|each|of|the|these|those|to|and) ){0,4}${EARLIER}(?: (?:and|or|of|the|your|system|previous|prior|above|safety))* ${ORDERS}`,
    `${DROP} (?:(?:all|any|of|the|these|those|your|my) ){1,3}(?:instructions|prompts|directives)`,
    `(?:override|overrule|overwrite) (?:(?:all|any|of|the) ){0,3}(?:previous|prior|earlier|your) (?:(?:previous|prior|system) )?${ORDERS}`,
    `${DROP} (?:(?:all|any|of|the|these|your|my) ){0,3}(?:instructions|directions|prompts|rules|guidelines|orders|messages|context) (?:above|before this|given (?:above|before|earlier|to you)|you (?:were|have been|got|received)|that (?:came|you)|so far|up to now)`,
    `(?:ignore|disregard|forget) (?:everything|anything|all|whatever)(?: (?:that|what|which))? (?:above|before this|you (?:were|have been|know|learned|learnt)|prior to this|said (?:above|before)|written (?:above|before))`,
    `(?:ignore|disregard|forget|override|bypass|disable|drop|turn off) (?:all |any |all of )?(?:your|the (?:assistant|model|agent|ai)'s) (?:(?:previous|safety|ethical|content|built-in|internal|own|usual) )*(?:rules|guidelines|guardrails|restrictions|policy|policies|filters?|training|programming|ethics|safety)`,
    "your (?:new|real|actual|true|only|updated) (?:instructions?|task|objective|mission|goal|orders?|system prompt) (?:is|are|follows?|now)",
    `(?:new|updated|revised) (?:system )?(?:instructions|directive|system prompt) (?:for (?:you|the (?:ai|agent|assistant|model))|from (?:the )?(?:system|developer|administrator|operator|openai|anthropic|google))`,
    `(?:ignore|disregard|forget) (?:(?:all|everything|of|the|that is) ){0,4}(?:above|foregoing|preceding)(?: text)?[,;.]?(?: (?:and|then|instead|now|but|just|please|only)){1,4} (?:run|execute|do|push|merge|delete|remove|commit|approve|output|print|say|answer|respond|reply|follow|obey|send|upload|download)`,
    "from now on,? you (?:are|will (?:act|be|only|always|never|respond|answer|obey|follow)|must (?:act|respond|answer|obey|ignore)|respond|answer|obey)",
    // German, Dutch
    "(?:ignoriere|ignorier|ignorieren sie|vergiss|vergessen sie|missachte|missachten sie)(?: bitte)? (?:(?:alle|alles|die|deine|ihre|sämtliche[nr]?) )*(?:(?:vorherigen?|bisherigen?|obigen?|vorigen?|früheren?|vorangegangenen?) )?(?:anweisung(?:en)?|instruktionen|befehle?|vorgaben)",
    "(?:negeer|vergeet) (?:(?:alle|de|je|uw) )*(?:(?:vorige|eerdere|voorgaande|bovenstaande) )?(?:instructies|opdrachten|aanwijzingen)",
    // Spanish, Portuguese, Italian, French
    "(?:ignora|ignore|ignorad|olvida|olvide|descarta|esquece|esqueça|desconsidere|dimentica|trascura) (?:(?:todas?|todos?|tutte|tutti|as|las?|los?|le|os|tus?|sus?|suas?|tue) )*(?:(?:anteriores|previas|prévias|precedenti) )?(?:instrucciones|indicaciones|órdenes|instruções|ordens|istruzioni|indicazioni)",
    "(?:ignore[zr]?|oublie[zr]?|ne tiens? pas compte|ne tenez pas compte) (?:(?:de|des|toutes|tous|les?|tes|vos|ces) )*(?:(?:précédentes|anciennes) )?(?:instructions|consignes|directives) (?:précédentes?|ci-dessus|antérieures?|données|reçues)",
    "(?:ignore[zr]?|oublie[zr]?) (?:toutes |tous )?(?:les|tes|vos) (?:précédentes )?(?:instructions|consignes)",
    // Polish, Turkish
    "(?:zignoruj|zapomnij o|pomiń) (?:(?:wszystkie|wszystkich|swoje|te) )*(?:(?:poprzednie|poprzednich|wcześniejsze|powyższe) )?(?:instrukcje|instrukcjach|polecenia|poleceniach)",
    "(?:önceki|yukarıdaki) (?:tüm |bütün )?(?:talimatları|komutları|yönergeleri) (?:yok say|unut|görmezden gel|dikkate alma)\\p{L}*",
    // Russian, Ukrainian
    "(?:игнорируй(?:те)?|проигнорируй(?:те)?|забудь(?:те)?|ігноруй(?:те)?|забудьте|не следуй(?:те)?)(?: (?:все|всі|про|о|ваши|свои|твои|эти|предыдущи[ехмя]+|прежни[ехмя]+|попередні|прошлые|вышеуказанные)){0,4} (?:инструкци[яийюх]+|указани[яеийюх]+|інструкції|вказівки|команды)",
  ),
  ...row(
    "overrides earlier instructions",
    // Not a heading of documentation (`New instructions: how to …`).
    String.raw`(?:^\s*|\n ?|[.!?] )(?:your )?(?:new|updated|revised) (?:instructions|orders|directives) ?: ?(?!(?:how|see|in|on|for|where|what|when|https?|none|add|fix)${E})\p{L}`,
    // Chinese, Japanese, Korean, Arabic, Hindi: no spaces to count on
    "(?:忽略|无视|無視|忘记|忘記|忽视|不要理会|不要理會)[^。.!？?\\n]{0,14}(?:指令|指示|说明|說明|提示|命令|规则|規則)",
    "(?:これまで|以前|上記|前|すべて|全て|今まで)[^。\\n]{0,12}(?:指示|命令|プロンプト|ルール)[^。\\n]{0,6}(?:無視|忘れ)",
    "(?:이전|위의|앞의|기존|모든)[^.\\n]{0,12}(?:지시|명령|지침|프롬프트)[^.\\n]{0,8}(?:무시|잊)",
    "(?:تجاهل|انس|انسى)[^.\\n]{0,14}(?:التعليمات|الأوامر|الإرشادات|تعليمات)",
    "(?:पिछले|पिछली|पूर्व|सभी|उपरोक्त)[^।\\n]{0,14}(?:निर्देश|आदेश)[^।\\n]{0,8}(?:अनदेखा|नज़रअंदाज़|भूल)",
  ),
  ...row(
    "chat role markup",
    String.raw`(?<![\w.:])</?(?:assistant|system[-_ ](?:prompt|message|reminder|instructions?)|im_start|im_end)>`,
    // Maven writes <system>GitHub</system>.
    String.raw`(?<![\w.:])<system>(?!\s*[\w.-]{1,20}(?: [\w.-]{1,20})?\s*</system>)|(?<!<system>\s*[\w.-]{1,20}(?: [\w.-]{1,20})?\s*)</system>`,
    String.raw`<\|(?:im_start|im_end|im_sep|system|user|assistant|developer|endoftext|end_of_text|begin_of_text|start_header_id|end_header_id|eot_id|channel|message|start|end|return|call)\|>`,
    String.raw`\[/?(?:inst|system_prompt)\]|\[/sys\]`,
    String.raw`<</?sys>>`,
    String.raw`<(?:start|end)_of_turn>`,
    String.raw`(?:^|\n)\s*#{1,6} ?(?:system (?:prompt|message)|instruction|assistant|human)s? ?:`,
    String.raw`\{\s*"role"\s*:\s*"(?:system|assistant|developer)"\s*,\s*"content"\s*:`,
    String.raw`(?:^|\n)\s*assistant ?: ?(?:i |i'll |i'm |you |sure|ok|okay|of course|certainly|understood|yes[, ])`,
    String.raw`(?:^|\n)\s*system ?: ?(?:you (?:are|must|will|should)|ignore|disregard|new |override|the user|the assistant|from now on)`,
    String.raw`[-=*#[(] ?(?:end|begin|start) (?:of )?(?:the )?(?:new |old )?(?:system|assistant|developer) (?:prompt|instructions?|message|input|turn)`,
  ),
  // The prompt itself, as a label; not what happened to it.
  ...row(
    "chat role markup",
    String.raw`(?:^\s*|\n ?)system (?:prompt|message|instructions?) ?: ?(?!(?:loaded|missing|none|null|undefined|empty|not|no|default|updated|see|ok|passed|failed|fix|add|shorten|too|is|was|has|string|str|optional|required)${E})\p{L}`,
  ),
  {
    // A name in a document is one word or has capitals (<system>GitHub Actions</system>): words are said to somebody.
    kind: "chat role markup",
    pattern:
      /(?<![\w.:])<(?:system|SYSTEM)>(?!\s*(?:[\w.-]{1,20}|[A-Z][\w.-]{0,19} [A-Z\d][\w.-]{0,19})\s*<\/(?:system|SYSTEM)>)\s*\p{L}/u,
    on: "exact",
  },
  {
    // A turn of a chat begins its line; elements of a document are indented, components capitalised, placeholders in the
    // help of a command followed by a blank.
    kind: "chat role markup",
    pattern:
      /(?:^ ?|\n)<(user|human|developer|USER|HUMAN|DEVELOPER)>(?:\r?\n?\p{L}|[ \t][^<\n]{1,400}<\/\1>)/u,
    on: "exact",
  },
  {
    kind: "chat role markup",
    pattern: /(?:^|\n)\s*(?:Assistant|Human|ASSISTANT|HUMAN) ?: ?\p{L}/u,
    on: "exact",
  },
  ...row(
    "tool-call markup",
    String.raw`</?(?:antml:)?(?:function_calls?|function_results?|invoke|tool_use|tool_calls?|tool_results?|tool_code|tool_response|use_mcp_tool|execute_command)(?: [^<>\n]{0,80})?/?>`,
    String.raw`<(?:antml:)?parameter name=`,
    String.raw`"type"\s*:\s*"(?:tool_use|tool_result|tool_call|function_call|server_tool_use)"`,
    String.raw`"tool_calls"\s*:\s*\[`,
    String.raw`\[tool_calls?\]`,
  ),
  ...words(
    "gives the reader a new role",
    `you(?: are|'re) (?:now|no longer|actually|really|henceforth) (?:an? |the |my |acting as (?:an? |the )?)?(?:\\p{L}+[ -]){0,3}${PERSONA}`,
    "you(?: are|'re) (?:now|no longer|henceforth) (?:bound|restricted|limited by|required to follow|free (?:of|from)|unrestricted|jailbroken|unfiltered|dan|in (?:developer|god|dan|jailbreak|unrestricted) mode|operating (?:in|as|without))",
    `(?:pretend|imagine|suppose|assume|act as (?:if|though))(?: that)? you(?: are|'re| were) (?:not )?(?:an? |the |my )?(?:\\p{L}+[ -]){0,3}${PERSONA}`,
    "(?:act|behave|respond|answer) as (?:an?|my|the) (?:\\p{L}+[ -]){0,2}(?:ai|chatbot|language model|dan|unrestricted \\p{L}+|jailbroken \\p{L}+)",
    "(?:dan|jailbreak|god) mode (?:enabled|activated|on)|do anything now",
    "du bist (?:jetzt|nun|ab jetzt|ab sofort) (?:ein[e]?|der|die|kein[e]?) (?:\\p{L}+ ){0,3}(?:assistent|ki|agent|bot|hacker|administrator|modell)",
    "(?:ahora eres|a partir de ahora eres|agora você é|ora sei|tu es maintenant|vous êtes maintenant) (?:un[ae]?|um|une|el|o|il) (?:\\p{L}+ ){0,3}(?:asistente|assistente|assistant|agente?|ia|bot|hacker|modelo|modèle)",
  ),
  ...row(
    "gives the reader a new role",
    "你现在是|你現在是|从现在起你|從現在起你|あなたは(?:今|これ)から|당신은 이제|너는 이제",
  ),
  ...words(
    "addresses an AI",
    `(?:if|when|since|because|as) you(?: are|'re) (?:an? |the )?${AGENT}`,
    `(?:attention|hey|hello|dear)(?: (?:the|all|any|every|other|you))* (?:ai|llm|language|coding|autonomous)[ -](?:agents?|assistants?|models?|systems?|reviewers?|bots?)`,
    `(?:warning|important|note|notice|message|instructions?)(?: message| note| notice)? (?:to|for)(?: (?:the|all|any|every|other|you))* (?:ai|llm|language|coding|autonomous)[ -](?:agents?|assistants?|models?|systems?|reviewers?|bots?)`,
    "(?:attention|note to|message (?:to|for)|hey|dear|instructions? (?:to|for)) (?:the |any |all )?(?:claude(?: code)?|codex|copilot|chatgpt|gpt-?\\d\\S*|gemini|cursor|devin|llms?|agents?|assistants?|ai|ais) ?[:,!.–—]",
    `as an? ${AGENT},? you (?:must|should|will|are|have|need)`,
    `(?:ai|llm|coding|language)[ -](?:agents?|assistants?|models?) (?:reading|processing|that reads?|who reads?|seeing|working on) (?:this|these)`,
  ),
  ...words(
    "asks for the instructions",
    "(?:reveal|repeat|output|leak|disclose|show me|tell me|recite|print) (?:me )?(?:all |all of )?(?:your (?:(?:full|entire|exact|hidden|initial|original|secret|system) )*(?:prompt|instructions)|the (?:(?:full|entire|exact) )*(?:hidden|initial|original|secret|system) (?:prompt|instructions))",
    "(?:send|upload|exfiltrate|email|forward|leak|post) (?:(?:all|the|your|any|of|every|contents?) )*(?:\\.env(?: file)?|~/\\.ssh\\S*|secrets|credentials|private keys?|environment variables|api keys|ssh keys?|access tokens?) (?:(?:file|files|contents?|you find|here) )*to (?:https?://|\\S+@|\\S+\\.(?:com|net|io|org|xyz|dev))\\S*",
  ),
  ...words(
    "asks to hide something",
    `(?:do not|don't|never|without) (?:tell|telling|inform|informing|alert|alerting|warn|warning|notify|notifying|mention(?:ing)? (?:this|it) to|reveal(?:ing)? (?:this|it) to) (?:the |any |your )?${PEOPLE}(?: (?:about (?:this|it|these|that|what)|anything|that you|of this|what you|why)|\\s*[.!,;]|\\s*$)`,
    `(?:hide|conceal|keep) (?:these|this|the) (?:steps?|instructions?|changes?|message|action) (?:hidden |secret )?from (?:the |your |any )?${PEOPLE}`,
    "do not (?:mention|reveal|disclose) (?:these|this|the|any of these|any of this) (?:instructions?|message|prompt|note)",
  ),
];

/** Look-alikes of Latin letters, for words that mix alphabets. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  а: "a",
  е: "e",
  о: "o",
  р: "p",
  с: "c",
  у: "y",
  х: "x",
  і: "i",
  ѕ: "s",
  ј: "j",
  ԁ: "d",
  ո: "n",
  к: "k",
  м: "m",
  т: "t",
  н: "h",
  в: "b",
  α: "a",
  ε: "e",
  ο: "o",
  ρ: "p",
  ι: "i",
  ν: "v",
  τ: "t",
  κ: "k",
  υ: "u",
  ı: "i",
};
const MIXED_WORD =
  /[a-z][\u0370-\u03ff\u0400-\u04ff\u0500-\u058f]|[\u0370-\u03ff\u0400-\u04ff\u0500-\u058f][a-z]/u;

/** Escapes that {@link cleanText} left in the place of invisible characters. */
const INVISIBLE_ESCAPE =
  /\\u(?:00ad|034f|061c|115f|1160|17b[45]|180[b-f]|200[b-f]|202[a-e]|206[0-9a-f]|feff|fe0[0-9a-f]|3164|ffa0)|\\u\{e0[0-9a-f]{3}\}/gu;

/**
 * The views of a text that are looked at: its letters as one would read them (compatibility forms, invisible characters,
 * emphasis and line breaks inside sentences undone), and the same with the joints of names (`_ - . /`) as spaces.
 */
export function plainViews(text: string): {
  readonly text: readonly string[];
  readonly names: readonly string[];
} {
  const read = text
    .replace(INVISIBLE_ESCAPE, "")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[’‘ʼ]/gu, "'");
  const letters = MIXED_WORD.test(read)
    ? read.replace(/[^\u0000-\u007f]/gu, (c) => LOOKALIKES[c] ?? c)
    : read;
  const marks = letters.replace(/[ \t]+/gu, " ");
  const flowing = letters.replace(/[*~`"]/gu, "").replace(/\s+/gu, " ");
  const joined = flowing.replace(/[_\-./\\+%,:;]+|%20/gu, " ").replace(/ {2,}/gu, " ");
  const views = [...new Set([marks, flowing])];
  return { text: views, names: [...new Set([...views, joined])] };
}
