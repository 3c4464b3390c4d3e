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

export interface SuspectPattern {
  readonly kind: SuspectKind;
  /** A regular expression, made when it is first run: {@link patternOf}. */
  readonly source: string;
  /**
   * What stands in every match, in small letters: one word or sign of each group. A look for these costs next to nothing,
   * while the patterns together cost more than all the rest of a packet. See {@link spokenText}.
   */
  readonly needs: readonly (readonly string[])[];
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

/** Words and signs of which a match has one of each group: `one | of these & one | of those`. */
function groupsOf(needs: string): string[][] {
  return needs.split(" & ").map((group) => group.split(" | "));
}

/** Rows of what a match has and of its pattern, in turns. */
function row(kind: SuspectKind, ...rows: readonly string[]): SuspectPattern[] {
  return rows.flatMap((source, i) =>
    i % 2 === 0 ? [] : [{ kind, needs: groupsOf(rows[i - 1] ?? ""), source, on: "text" as const }],
  );
}
/** The same with patterns of whole words. */
function words(kind: SuspectKind, ...rows: readonly string[]): SuspectPattern[] {
  return row(kind, ...rows).map((one) => ({ ...one, source: `${B}(?:${one.source})${E}`, on: "names" }));
}

const compiled = new Map<SuspectPattern, RegExp>();

export function patternOf(suspect: SuspectPattern): RegExp {
  const pattern = compiled.get(suspect) ?? new RegExp(suspect.source, "u");
  compiled.set(suspect, pattern);
  return pattern;
}

const DROPPED = "ignor | disregard | forget | follow";
const ORDERED = "instruction | prompt | directive | guideline | orders | message";
const AIS = "ai | llm | language | coding | autonomous & agent | assistant | model | system | reviewer | bot";

export const SUSPECT_PATTERNS: readonly SuspectPattern[] = [
  ...words(
    "overrides earlier instructions",
    `${DROPPED} & ${ORDERED}`,
    `${DROP} (?:(?:all|any|every|each|of|the|these|those|to|and) ){0,4}${EARLIER}(?: (?:and|or|of|the|your|system|previous|prior|above|safety))* ${ORDERS}`,
    `${DROPPED} & ${ORDERED}`,
    `${DROP} (?:(?:all|any|of|the|these|those|your|my) ){1,3}(?:instructions|prompts|directives)`,
    `override | overrule | overwrite & ${ORDERED}`,
    `(?:override|overrule|overwrite) (?:(?:all|any|of|the) ){0,3}(?:previous|prior|earlier|your) (?:(?:previous|prior|system) )?${ORDERS}`,
    `${DROPPED} & instructions | directions | prompts | rules | guidelines | orders | messages | context`,
    `${DROP} (?:(?:all|any|of|the|these|your|my) ){0,3}(?:instructions|directions|prompts|rules|guidelines|orders|messages|context) (?:above|before this|given (?:above|before|earlier|to you)|you (?:were|have been|got|received)|that (?:came|you)|so far|up to now)`,
    "ignore | disregard | forget & everything | anything | all | whatever & above | this | you | said | written",
    `(?:ignore|disregard|forget) (?:everything|anything|all|whatever)(?: (?:that|what|which))? (?:above|before this|you (?:were|have been|know|learned|learnt)|prior to this|said (?:above|before)|written (?:above|before))`,
    "ignore | disregard | forget | override | bypass | disable | drop | turn & rules | guidelines | guardrails | restrictions | polic | filter | training | programming | ethics | safety & your | the",
    `(?:ignore|disregard|forget|override|bypass|disable|drop|turn off) (?:all |any |all of )?(?:your|the (?:assistant|model|agent|ai)'s) (?:(?:previous|safety|ethical|content|built-in|internal|own|usual) )*(?:rules|guidelines|guardrails|restrictions|policy|policies|filters?|training|programming|ethics|safety)`,
    "your & new | real | actual | true | only | updated & instruction | task | objective | mission | goal | order | prompt",
    "your (?:new|real|actual|true|only|updated) (?:instructions?|task|objective|mission|goal|orders?|system prompt) (?:is|are|follows?|now)",
    "new | updated | revised & instructions | directive | prompt & for | from",
    `(?:new|updated|revised) (?:system )?(?:instructions|directive|system prompt) (?:for (?:you|the (?:ai|agent|assistant|model))|from (?:the )?(?:system|developer|administrator|operator|openai|anthropic|google))`,
    "ignore | disregard | forget & above | foregoing | preceding",
    `(?:ignore|disregard|forget) (?:(?:all|everything|of|the|that is) ){0,4}(?:above|foregoing|preceding)(?: text)?[,;.]?(?: (?:and|then|instead|now|but|just|please|only)){1,4} (?:run|execute|do|push|merge|delete|remove|commit|approve|output|print|say|answer|respond|reply|follow|obey|send|upload|download)`,
    "from & now & you",
    "from now on,? you (?:are|will (?:act|be|only|always|never|respond|answer|obey|follow)|must (?:act|respond|answer|obey|ignore)|respond|answer|obey)",
    // German, Dutch
    "ignorier | vergiss | vergessen | missachte",
    "(?:ignoriere|ignorier|ignorieren sie|vergiss|vergessen sie|missachte|missachten sie)(?: bitte)? (?:(?:alle|alles|die|deine|ihre|sämtliche[nr]?) )*(?:(?:vorherigen?|bisherigen?|obigen?|vorigen?|früheren?|vorangegangenen?) )?(?:anweisung(?:en)?|instruktionen|befehle?|vorgaben)",
    "negeer | vergeet",
    "(?:negeer|vergeet) (?:(?:alle|de|je|uw) )*(?:(?:vorige|eerdere|voorgaande|bovenstaande) )?(?:instructies|opdrachten|aanwijzingen)",
    // Spanish, Portuguese, Italian, French
    "instrucciones | indicaciones | órdenes | instruções | ordens | istruzioni | indicazioni",
    "(?:ignora|ignore|ignorad|olvida|olvide|descarta|esquece|esqueça|desconsidere|dimentica|trascura) (?:(?:todas?|todos?|tutte|tutti|as|las?|los?|le|os|tus?|sus?|suas?|tue) )*(?:(?:anteriores|previas|prévias|precedenti) )?(?:instrucciones|indicaciones|órdenes|instruções|ordens|istruzioni|indicazioni)",
    "ignore | oublie | tien | tenez & instructions | consignes | directives",
    "(?:ignore[zr]?|oublie[zr]?|ne tiens? pas compte|ne tenez pas compte) (?:(?:de|des|toutes|tous|les?|tes|vos|ces) )*(?:(?:précédentes|anciennes) )?(?:instructions|consignes|directives) (?:précédentes?|ci-dessus|antérieures?|données|reçues)",
    "ignore | oublie & instructions | consignes",
    "(?:ignore[zr]?|oublie[zr]?) (?:toutes |tous )?(?:les|tes|vos) (?:précédentes )?(?:instructions|consignes)",
    // Polish, Turkish
    "zignoruj | zapomnij | pomiń",
    "(?:zignoruj|zapomnij o|pomiń) (?:(?:wszystkie|wszystkich|swoje|te) )*(?:(?:poprzednie|poprzednich|wcześniejsze|powyższe) )?(?:instrukcje|instrukcjach|polecenia|poleceniach)",
    "talimatları | komutları | yönergeleri",
    "(?:önceki|yukarıdaki) (?:tüm |bütün )?(?:talimatları|komutları|yönergeleri) (?:yok say|unut|görmezden gel|dikkate alma)\\p{L}*",
    // Russian, Ukrainian
    "игнорируй | забудь | ігноруй | следуй",
    "(?:игнорируй(?:те)?|проигнорируй(?:те)?|забудь(?:те)?|ігноруй(?:те)?|забудьте|не следуй(?:те)?)(?: (?:все|всі|про|о|ваши|свои|твои|эти|предыдущи[ехмя]+|прежни[ехмя]+|попередні|прошлые|вышеуказанные)){0,4} (?:инструкци[яийюх]+|указани[яеийюх]+|інструкції|вказівки|команды)",
  ),
  ...row(
    "overrides earlier instructions",
    // Not a heading of documentation (`New instructions: how to …`).
    "new | updated | revised & instructions | orders | directives & :",
    String.raw`(?:^\s*|\n ?|[.!?] )(?:your )?(?:new|updated|revised) (?:instructions|orders|directives) ?: ?(?!(?:how|see|in|on|for|where|what|when|https?|none|add|fix)${E})\p{L}`,
    // Chinese, Japanese, Korean, Arabic, Hindi: no spaces to count on
    "忽略 | 无视 | 無視 | 忘记 | 忘記 | 忽视 | 不要理会 | 不要理會",
    "(?:忽略|无视|無視|忘记|忘記|忽视|不要理会|不要理會)[^。.!？?\\n]{0,14}(?:指令|指示|说明|說明|提示|命令|规则|規則)",
    "無視 | 忘れ",
    "(?:これまで|以前|上記|前|すべて|全て|今まで)[^。\\n]{0,12}(?:指示|命令|プロンプト|ルール)[^。\\n]{0,6}(?:無視|忘れ)",
    "무시 | 잊",
    "(?:이전|위의|앞의|기존|모든)[^.\\n]{0,12}(?:지시|명령|지침|프롬프트)[^.\\n]{0,8}(?:무시|잊)",
    "تجاهل | انس",
    "(?:تجاهل|انس|انسى)[^.\\n]{0,14}(?:التعليمات|الأوامر|الإرشادات|تعليمات)",
    "निर्देश | आदेश",
    "(?:पिछले|पिछली|पूर्व|सभी|उपरोक्त)[^।\\n]{0,14}(?:निर्देश|आदेश)[^।\\n]{0,8}(?:अनदेखा|नज़रअंदाज़|भूल)",
  ),
  ...row(
    "chat role markup",
    "<assistant | </assistant | <system | </system | im_start> | im_end>",
    String.raw`(?<![\w.:])</?(?:assistant|system[-_ ](?:prompt|message|reminder|instructions?)|im_start|im_end)>`,
    // Maven writes <system>GitHub</system>.
    "<system> | </system>",
    String.raw`(?<![\w.:])<system>(?!\s*[\w.-]{1,20}(?: [\w.-]{1,20})?\s*</system>)|(?<!<system>\s*[\w.-]{1,20}(?: [\w.-]{1,20})?\s*)</system>`,
    "<|",
    String.raw`<\|(?:im_start|im_end|im_sep|system|user|assistant|developer|endoftext|end_of_text|begin_of_text|start_header_id|end_header_id|eot_id|channel|message|start|end|return|call)\|>`,
    "[inst] | [/inst] | [system_prompt] | [/system_prompt] | [/sys]",
    String.raw`\[/?(?:inst|system_prompt)\]|\[/sys\]`,
    "sys>>",
    String.raw`<</?sys>>`,
    "_of_turn>",
    String.raw`<(?:start|end)_of_turn>`,
    "# & system | instruction | assistant | human & :",
    String.raw`(?:^|\n)\s*#{1,6} ?(?:system (?:prompt|message)|instruction|assistant|human)s? ?:`,
    "role & system | assistant | developer & content",
    String.raw`\{\s*"role"\s*:\s*"(?:system|assistant|developer)"\s*,\s*"content"\s*:`,
    "assistant & :",
    String.raw`(?:^|\n)\s*assistant ?: ?(?:i |i'll |i'm |you |sure|ok|okay|of course|certainly|understood|yes[, ])`,
    "system & :",
    String.raw`(?:^|\n)\s*system ?: ?(?:you (?:are|must|will|should)|ignore|disregard|new |override|the user|the assistant|from now on)`,
    "end | begin | start & system | assistant | developer & prompt | instruction | message | input | turn",
    String.raw`[-=*#[(] ?(?:end|begin|start) (?:of )?(?:the )?(?:new |old )?(?:system|assistant|developer) (?:prompt|instructions?|message|input|turn)`,
  ),
  // The prompt itself, as a label; not what happened to it.
  ...row(
    "chat role markup",
    "system & prompt | message | instruction & :",
    String.raw`(?:^\s*|\n ?)system (?:prompt|message|instructions?) ?: ?(?!(?:loaded|missing|none|null|undefined|empty|not|no|default|updated|see|ok|passed|failed|fix|add|shorten|too|is|was|has|string|str|optional|required)${E})\p{L}`,
  ),
  {
    // A name in a document is one word or has capitals (<system>GitHub Actions</system>): words are said to somebody.
    kind: "chat role markup",
    needs: groupsOf("<system>"),
    source: String.raw`(?<![\w.:])<(?:system|SYSTEM)>(?!\s*(?:[\w.-]{1,20}|[A-Z][\w.-]{0,19} [A-Z\d][\w.-]{0,19})\s*</(?:system|SYSTEM)>)\s*\p{L}`,
    on: "exact",
  },
  {
    // A turn of a chat begins its line; elements of a document are indented, components capitalised, placeholders in the
    // help of a command followed by a blank.
    kind: "chat role markup",
    needs: groupsOf("<user> | <human> | <developer>"),
    source: String.raw`(?:^ ?|\n)<(user|human|developer|USER|HUMAN|DEVELOPER)>(?:\r?\n?\p{L}|[ \t][^<\n]{1,400}</\1>)`,
    on: "exact",
  },
  {
    kind: "chat role markup",
    needs: groupsOf("assistant | human & :"),
    source: String.raw`(?:^|\n)\s*(?:Assistant|Human|ASSISTANT|HUMAN) ?: ?\p{L}`,
    on: "exact",
  },
  ...row(
    "tool-call markup",
    "<function_ | </function_ | <antml | </antml | <invoke | </invoke | <tool_ | </tool_ | use_mcp_tool | execute_command",
    String.raw`</?(?:antml:)?(?:function_calls?|function_results?|invoke|tool_use|tool_calls?|tool_results?|tool_code|tool_response|use_mcp_tool|execute_command)(?: [^<>\n]{0,80})?/?>`,
    "parameter & name=",
    String.raw`<(?:antml:)?parameter name=`,
    "type & tool_use | tool_result | tool_call | function_call",
    String.raw`"type"\s*:\s*"(?:tool_use|tool_result|tool_call|function_call|server_tool_use)"`,
    "tool_calls",
    String.raw`"tool_calls"\s*:\s*\[`,
    "[tool_call",
    String.raw`\[tool_calls?\]`,
  ),
  ...words(
    "gives the reader a new role",
    "you & now | longer | actually | really | henceforth",
    `you(?: are|'re) (?:now|no longer|actually|really|henceforth) (?:an? |the |my |acting as (?:an? |the )?)?(?:\\p{L}+[ -]){0,3}${PERSONA}`,
    "you & now | longer | henceforth",
    "you(?: are|'re) (?:now|no longer|henceforth) (?:bound|restricted|limited by|required to follow|free (?:of|from)|unrestricted|jailbroken|unfiltered|dan|in (?:developer|god|dan|jailbreak|unrestricted) mode|operating (?:in|as|without))",
    "pretend | imagine | suppose | assume | act & you",
    `(?:pretend|imagine|suppose|assume|act as (?:if|though))(?: that)? you(?: are|'re| were) (?:not )?(?:an? |the |my )?(?:\\p{L}+[ -]){0,3}${PERSONA}`,
    "act | behave | respond | answer & as & ai | chatbot | language | dan | unrestricted | jailbroken",
    "(?:act|behave|respond|answer) as (?:an?|my|the) (?:\\p{L}+[ -]){0,2}(?:ai|chatbot|language model|dan|unrestricted \\p{L}+|jailbroken \\p{L}+)",
    "dan | jailbreak | god | anything & mode | now",
    "(?:dan|jailbreak|god) mode (?:enabled|activated|on)|do anything now",
    "bist",
    "du bist (?:jetzt|nun|ab jetzt|ab sofort) (?:ein[e]?|der|die|kein[e]?) (?:\\p{L}+ ){0,3}(?:assistent|ki|agent|bot|hacker|administrator|modell)",
    "eres | agora | sei | maintenant",
    "(?:ahora eres|a partir de ahora eres|agora você é|ora sei|tu es maintenant|vous êtes maintenant) (?:un[ae]?|um|une|el|o|il) (?:\\p{L}+ ){0,3}(?:asistente|assistente|assistant|agente?|ia|bot|hacker|modelo|modèle)",
  ),
  ...row(
    "gives the reader a new role",
    "你现在是 | 你現在是 | 从现在起你 | 從現在起你 | あなたは | 당신은 | 너는",
    "你现在是|你現在是|从现在起你|從現在起你|あなたは(?:今|これ)から|당신은 이제|너는 이제",
  ),
  ...words(
    "addresses an AI",
    "if | when | since | because | as & you & ai | a.i. | llm | language | coding | automated | chatbot",
    `(?:if|when|since|because|as) you(?: are|'re) (?:an? |the )?${AGENT}`,
    `attention | hey | hello | dear & ${AIS}`,
    `(?:attention|hey|hello|dear)(?: (?:the|all|any|every|other|you))* (?:ai|llm|language|coding|autonomous)[ -](?:agents?|assistants?|models?|systems?|reviewers?|bots?)`,
    `warning | important | note | notice | message | instruction & ${AIS}`,
    `(?:warning|important|note|notice|message|instructions?)(?: message| note| notice)? (?:to|for)(?: (?:the|all|any|every|other|you))* (?:ai|llm|language|coding|autonomous)[ -](?:agents?|assistants?|models?|systems?|reviewers?|bots?)`,
    "attention | note | message | hey | dear | instruction & claude | codex | copilot | gpt | gemini | cursor | devin | llm | agent | assistant | ai",
    "(?:attention|note to|message (?:to|for)|hey|dear|instructions? (?:to|for)) (?:the |any |all )?(?:claude(?: code)?|codex|copilot|chatgpt|gpt-?\\d\\S*|gemini|cursor|devin|llms?|agents?|assistants?|ai|ais) ?[:,!.–—]",
    "as & you & ai | a.i. | llm | language | coding | automated | chatbot & must | should | will | are | have | need",
    `as an? ${AGENT},? you (?:must|should|will|are|have|need)`,
    `${AIS} & reading | processing | read | seeing | working`,
    `(?:ai|llm|coding|language)[ -](?:agents?|assistants?|models?) (?:reading|processing|that reads?|who reads?|seeing|working on) (?:this|these)`,
  ),
  ...words(
    "asks for the instructions",
    "reveal | repeat | output | leak | disclose | show | tell | recite | print & prompt | instructions",
    "(?:reveal|repeat|output|leak|disclose|show me|tell me|recite|print) (?:me )?(?:all |all of )?(?:your (?:(?:full|entire|exact|hidden|initial|original|secret|system) )*(?:prompt|instructions)|the (?:(?:full|entire|exact) )*(?:hidden|initial|original|secret|system) (?:prompt|instructions))",
    "send | upload | exfiltrate | email | forward | leak | post & .env | .ssh | secrets | credentials | key | variables | token & @ | :// | .com | .net | .io | .org | .xyz | .dev",
    "(?:send|upload|exfiltrate|email|forward|leak|post) (?:(?:all|the|your|any|of|every|contents?) )*(?:\\.env(?: file)?|~/\\.ssh\\S*|secrets|credentials|private keys?|environment variables|api keys|ssh keys?|access tokens?) (?:(?:file|files|contents?|you find|here) )*to (?:https?://|\\S+@|\\S+\\.(?:com|net|io|org|xyz|dev))\\S*",
  ),
  ...words(
    "asks to hide something",
    "not | don't | never | without & tell | inform | alert | warn | notify | mention | reveal & user | human | operator | supervisor | reviewer | owner | maintainer | developer",
    `(?:do not|don't|never|without) (?:tell|telling|inform|informing|alert|alerting|warn|warning|notify|notifying|mention(?:ing)? (?:this|it) to|reveal(?:ing)? (?:this|it) to) (?:the |any |your )?${PEOPLE}(?: (?:about (?:this|it|these|that|what)|anything|that you|of this|what you|why)|\\s*[.!,;]|\\s*$)`,
    "hide | conceal | keep & from & user | human | operator | supervisor | reviewer | owner | maintainer | developer",
    `(?:hide|conceal|keep) (?:these|this|the) (?:steps?|instructions?|changes?|message|action) (?:hidden |secret )?from (?:the |your |any )?${PEOPLE}`,
    "mention | reveal | disclose & instruction | message | prompt | note",
    "do not (?:mention|reveal|disclose) (?:these|this|the|any of these|any of this) (?:instructions?|message|prompt|note)",
  ),
];
