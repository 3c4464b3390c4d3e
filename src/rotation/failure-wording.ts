// How failures sound that come without a status (R22): passing ones, which are worth another try, and those that no try
// will change. Read on the form that plainMessage gives; linear.

/** A message that names a time to come back at. */
const COME_BACK =
  /\b(?:try|retry|trying|retrying)(?: your request| the request| it)? again (?:later|after|shortly|soon|in )|\bretry (?:after|in|later)\b|\btry later\b|\bplease wait\b|\bresets? (?:at|in|on)? ?\d|稍后/u;

/** Money, keys, permissions, bad requests: the same again tomorrow. */
const LASTING =
  /\bbilling\b|\bpayment required\b|\binsufficient (?:credits?|quota|balance|funds)\b|\bcredit balance\b|\bmore credits\b|\bspend(?:ing)? (?:limit|cap)\b|\binvalid (?:x )?api key\b|\bapi key (?:is |not |was )|\bplease run \/login\b|\bnot logged in\b|\bunauthori[sz]ed\b|\bauthentication\b|\bpermission denied\b|\bforbidden\b|\bcertificate\b|\binvalid request\b|\bdoes not exist\b|\bnot found\b|\bunsupported\b|\bnot supported\b|余额|欠费/u;

/** Rates, load, time-outs and broken connections: they pass. */
const PASSING =
  /\brate limit|\btoo many (?:concurrent )?requests\b|\bthrottl|\bquota\b|\bresource (?:has been )?exhausted\b|\busage limit\b|\blimit reached\b|\b(?:per|this) (?:min(?:ute)?|hour|day)\b|\b(?:tpm|rpm|tpd|rpd)\b|\boverloaded\b|\bunavailable\b|\bcapacity\b|\bhigh demand\b|\bserver (?:is )?busy\b|\bqueue (?:is )?full\b|\binternal (?:server )?error\b|\bserver error\b|\bserver had an error\b|\bapi error$|\bbad gateway\b|\bgateway time-?out\b|\btimed out\b|\btime-?outs?\b|\btook too long\b|\bdeadline\b|\beconn(?:reset|refused|aborted)\b|\betimedout\b|\benotfound\b|\beai again\b|\bepipe\b|\behostunreach\b|\benetunreach\b|\bsocket hang up\b|\bfetch failed\b|\bother side closed\b|\bconnection (?:error|reset|refused|closed|lost|aborted|terminated|timed|broken)|\bnetwork\b|\bstream (?:disconnected|closed|ended|error|interrupted)|\bpremature(?:ly)? (?:close|end)|\bbroken pipe\b|\bunexpected e(?:of|nd of)|\bserver disconnected\b|\bdisconnected\b|\bpeer closed\b|\bterminated$|\berror sending request\b|\bno such host\b|频繁|限流|速率/u;

/**
 * Whether a failure without a status is worth another try, by its wording: true, false, or null when the wording says
 * neither. A time to come back at counts more than the rest.
 */
export function soundsPassing(plain: string): boolean | null {
  if (COME_BACK.test(plain)) return true;
  if (LASTING.test(plain)) return false;
  return PASSING.test(plain) ? true : null;
}
