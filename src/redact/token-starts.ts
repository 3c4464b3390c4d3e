// A quick look that most texts end with: no row of the token table, nor a JSON web token, can match a text that has none of
// these beginnings. A test holds every row against it, so a new row cannot be forgotten here.

/**
 * A prefix that ends in `_` or `-` with a run behind it: most of the table. The sign is looked for first, as it is rare;
 * what stands before it is looked at only there.
 */
const SIGNED =
  /[_-](?=[A-Za-z0-9_+/=-]{8})(?<=(?:gh[pousr]|_pat|gl(?:pat|dt|rtr?|cbt|ptt|ft|imt|agent|oas|soat|ffct|wt|sa|c)|lin_(?:api|oauth|wh)|ntn|secret|fig[dou]r?|GOCSPX|_v1|cf(?:k|ut|at)|v1\.0|HRKU|fo1|fm[12][ar]?|nfp|pscale_(?:tkn|pw|oauth)|sbp|ops|pul|tskey-[a-z]{2,16}|SECRET|npm|pypi|rubygems|_oat|bkua|CCIPAT|sq[upa]|PMAK|sk(?:-ant|-or-v1|-proj|-svcacct|-admin|-None)?|hf|api_org|gsk|xai|pplx|r8|lsv2_(?:pt|sk)|pcsk|[sr]k_(?:live|test|prod)|whsec|sq0(?:atp|csp|idb)|shp(?:at|ca|pa|ss|tka|ua)|xox[abceoprs](?:\.xox[bp])?|xapp-[0-9]|key|xkeysib|xsmtpsib|sntry[su]|NRAK|pat-(?:na|eu)[0-9])[_-])/;
/** Prefixes of letters and digits, and what stands inside tokens without a fixed beginning. */
const PLAIN =
  /A(?:TBB|T[AC]TT3|[KSB]IA|CCA|BSK|Iza|ZDO)|IQoJ|F[wQ]oG|LTAI|GR1348941|S(?:G\.|K[a-f0-9]{16})|Q~|:AA|KEY-1|ya29\.|1\/\/0|dapi[a-f0-9]{8}|hv[sbr]\.|dp\.[a-z]|\.atlasv1\.|cio[A-Za-z0-9]{16}|oy2[a-z0-9]{16}|pat[A-Za-z0-9]{14}\.|dt0[a-z]|mfa\.|hooks\.slack|webhook\.office|\/webhooks\/|-us[0-9]|eyJ/;
/** A token in three parts that begins with any of three letters. */
const PARTS = /[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\./;

/** False for a text that holds no token of a known shape. */
export function mayHoldToken(text: string): boolean {
  return SIGNED.test(text) || PLAIN.test(text) || PARTS.test(text);
}
