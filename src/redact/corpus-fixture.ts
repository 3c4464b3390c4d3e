// The corpus redaction is measured on: secrets of every kind. Where they stand: places-fixture.ts; what is none:
// look-alikes-fixture.ts.
// Put together when it runs: no file of this project holds anything a secret scanner would take for one.

const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
export const ALNUM = UPPER + LOWER + DIGITS;
export const HEX = "0123456789abcdef";
const BASE32 = `${UPPER}234567`;

/** `length` characters of `alphabet` that look random and are always the same; has a letter and a digit where it can. */
export function made(seed: string, length: number, alphabet: string = ALNUM): string {
  let state = 0x81_1c_9d_c5;
  for (const c of seed) state = Math.imul(state ^ (c.codePointAt(0) ?? 0), 0x01_00_01_93) >>> 0;
  let out = "";
  while (out.length < length) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    out += alphabet.charAt((state >>> 12) % alphabet.length);
  }
  // The last place a digit: several shapes are told from words by one.
  return out.slice(0, length - 1) + (alphabet.includes("7") ? "7" : out.slice(-1));
}

/** Joins the pieces a literal is written in. */
export const join = (...parts: string[]): string => parts.join("");
export const base64url = (text: string): string => Buffer.from(text, "utf8").toString("base64url");

/** A secret with a shape of its own, and the kind it is marked with. */
export interface ShapedSecret {
  readonly kind: string;
  readonly secret: string;
}

const shaped = (kind: string, ...secrets: string[]): ShapedSecret[] =>
  secrets.map((secret) => ({ kind, secret }));
const header = base64url(JSON.stringify({ alg: "HS256", typ: "JWT" }));
const claims = base64url(JSON.stringify({ sub: "1234567890", name: "A Name", iat: 1_516_239_022 }));

/** At least one of every row of the token table, and every documented prefix of the common issuers. */
export const SHAPED: readonly ShapedSecret[] = [
  ...["p", "o", "u", "s", "r"].flatMap((c) => shaped("github-token", join("gh", c, "_", made(`gh${c}`, 36)))),
  ...shaped("github-token", join("github", "_pat_", made("fg1", 22), "_", made("fg2", 59))),
  ...["pat", "dt", "rt", "cbt", "ptt", "ft", "imt", "agent", "oas", "soat", "ffct"].flatMap((c) =>
    shaped("gitlab-token", join("gl", c, "-", made(`gl${c}`, 20, `${ALNUM}_`))),
  ),
  ...shaped("gitlab-token", join("GR", "1348941", made("gr", 20))),
  ...shaped("bitbucket-token", join("AT", "BB", made("atbb", 32))),
  ...shaped("atlassian-token", join("AT", "ATT3", made("atatt", 60)), join("AT", "CTT3", made("atctt", 60))),
  ...shaped(
    "linear-token",
    join("lin_", "api_", made("lin", 40)),
    join("lin_", "oauth_", made("lino", 64, HEX)),
  ),
  ...shaped("notion-token", join("nt", "n_", made("ntn", 46)), join("secret", "_", made("notion", 43))),
  ...shaped("figma-token", join("fig", "d_", made("figma", 40))),
  ...["AKIA", "ASIA", "ABIA", "ACCA"].flatMap((c) => shaped("aws-access-key", join(c, made(c, 16, BASE32)))),
  ...shaped("aws-session-token", join("IQ", "oJb3JpZ2lu", made("iqo", 200))),
  ...shaped("aws-bedrock-key", join("AB", "SK", made("absk", 110))),
  ...shaped("google-api-key", join("AI", "za", made("aiza", 35))),
  ...shaped("google-oauth-token", join("ya", "29.", made("ya29", 60)), join("1/", "/0", made("gref", 50))),
  ...shaped("google-client-secret", join("GOC", "SPX-", made("gocspx", 28))),
  ...shaped("azure-client-secret", join(made("azp", 3), "8", "Q~", made("azs", 34))),
  ...shaped("azure-devops-token", join(made("azdo", 76), "AZ", "DO", made("azdo2", 4))),
  ...["o", "p", "r"].flatMap((c) =>
    shaped("digitalocean-token", join("do", c, "_v1_", made(`do${c}`, 64, HEX))),
  ),
  ...["k", "ut", "at"].flatMap((c) => shaped("cloudflare-token", join("cf", c, "_", made(`cf${c}`, 48)))),
  ...shaped("cloudflare-token", join("v1", ".0-", made("cfo", 24, HEX), "-", made("cfo2", 146, HEX))),
  ...shaped("alibaba-access-key", join("LT", "AI", made("ltai", 20))),
  ...shaped("heroku-token", join("HR", "KU-", made("hrku", 60))),
  ...shaped("flyio-token", join("fo", "1_", made("fo1", 43)), join("fm", "2_", made("fm2", 120))),
  ...shaped("netlify-token", join("nf", "p_", made("nfp", 36))),
  ...shaped(
    "planetscale-token",
    join("pscale", "_tkn_", made("ps", 43)),
    join("pscale", "_pw_", made("psp", 43)),
  ),
  ...shaped(
    "supabase-token",
    join("sb", "p_", made("sbp", 40, HEX)),
    join("sb", "_secret_", made("sbs", 31)),
  ),
  ...shaped("databricks-token", join("da", "pi", made("dapi", 32, HEX))),
  ...shaped("terraform-token", join(made("tf", 14), ".atlas", "v1.", made("tf2", 67))),
  ...shaped("pulumi-token", join("pu", "l-", made("pul", 40, HEX))),
  ...["s", "b", "r"].flatMap((c) => shaped("vault-token", join("hv", c, ".", made(`hv${c}`, 95)))),
  ...shaped("doppler-token", join("dp", ".pt.", made("dppt", 43)), join("dp", ".st.", made("dpst", 43))),
  ...shaped("onepassword-token", join("ops", "_eyJ", made("ops", 250))),
  ...shaped("tailscale-key", join("ts", "key-auth-", made("ts1", 17), "-", made("ts2", 32))),
  ...shaped("age-secret-key", join("AGE-", "SECRET-KEY-1", made("age", 58, UPPER + DIGITS))),
  ...shaped("npm-token", join("np", "m_", made("npm", 36))),
  ...shaped("pypi-token", join("py", "pi-AgEIcHlwaS5vcmc", made("pypi", 150))),
  ...shaped("rubygems-token", join("ruby", "gems_", made("gem", 48, HEX))),
  ...shaped("crates-token", join("ci", "o", made("crates", 32))),
  ...shaped("nuget-key", join("oy", "2", made("nuget", 43, LOWER + DIGITS))),
  ...shaped(
    "docker-token",
    join("dckr", "_pat_", made("dckr", 27)),
    join("dckr", "_oat_", made("dckro", 32)),
  ),
  ...shaped("buildkite-token", join("bk", "ua_", made("bkua", 40, HEX))),
  ...shaped("circleci-token", join("CCI", "PAT_", made("cci1", 22), "_", made("cci2", 40, HEX))),
  ...shaped("sonar-token", join("sq", "u_", made("squ", 40, HEX)), join("sq", "p_", made("sqp", 40, HEX))),
  ...shaped("postman-key", join("PM", "AK-", made("pmak", 24, HEX), "-", made("pmak2", 34, HEX))),
  ...["api03", "admin01", "oat01"].flatMap((c) =>
    shaped("anthropic-key", join("sk-", "ant-", c, "-", made(c, 93), "AA")),
  ),
  ...shaped("openrouter-key", join("sk-", "or-v1-", made("or", 64, HEX))),
  ...shaped(
    "openai-key",
    join("s", "k-", made("oa", 20), "T3Blbk", "FJ", made("oa2", 20)),
    join("s", "k-", made("ds", 32, HEX)),
  ),
  ...["proj", "svcacct", "admin"].flatMap((c) =>
    shaped("openai-key", join("s", "k-", c, "-", made(c, 120, `${ALNUM}_`))),
  ),
  ...shaped("huggingface-token", join("h", "f_", made("hf", 34)), join("api", "_org_", made("hfo", 34))),
  ...shaped("groq-key", join("gs", "k_", made("groq", 52))),
  ...shaped("xai-key", join("xa", "i-", made("xai", 80))),
  ...shaped("perplexity-key", join("pp", "lx-", made("pplx", 48))),
  ...shaped("replicate-token", join("r", "8_", made("r8", 37))),
  ...shaped("langsmith-key", join("ls", "v2_pt_", made("ls", 32, HEX), "_", made("ls2", 10, HEX))),
  ...shaped("pinecone-key", join("pc", "sk_", made("pine", 60))),
  ...["sk_live_", "sk_test_", "rk_live_", "rk_test_"].flatMap((c) =>
    shaped("stripe-key", join(c, made(c, 24))),
  ),
  ...shaped("stripe-key", join("sk_", "live_51", made("stripe", 97)), join("wh", "sec_", made("whsec", 32))),
  ...shaped("square-token", join("sq", "0atp-", made("sq0", 22)), join("sq", "0csp-", made("sq0c", 43))),
  ...["at", "ca", "pa", "ss"].flatMap((c) =>
    shaped("shopify-token", join("shp", c, "_", made(`shp${c}`, 32, HEX))),
  ),
  ...["b", "p", "a", "r", "s"].flatMap((c) =>
    shaped(
      "slack-token",
      join("xox", c, "-", made(`${c}1`, 12, DIGITS), "-", made(`${c}2`, 12, DIGITS), "-", made(`${c}3`, 24)),
    ),
  ),
  ...shaped(
    "slack-token",
    join(
      "xa",
      "pp-1-",
      made("xapp", 11, UPPER + DIGITS),
      "-",
      made("xapp2", 13, DIGITS),
      "-",
      made("xapp3", 64, HEX),
    ),
  ),
  ...shaped(
    "slack-webhook",
    join(
      "hooks.",
      "slack.com/services/T",
      made("sw", 10, UPPER),
      "/B",
      made("sw2", 10, UPPER),
      "/",
      made("sw3", 24),
    ),
  ),
  ...shaped(
    "teams-webhook",
    join("webhook.", "office.com/webhookb2/", made("tw", 36, HEX), "@", made("tw2", 36, HEX)),
  ),
  ...shaped(
    "discord-webhook",
    join("discord", ".com/api/webhooks/", made("dw", 18, DIGITS), "/", made("dw2", 68)),
  ),
  ...shaped("discord-token", join("M", made("dt", 23), ".", made("dt2", 6), ".", made("dt3", 38))),
  ...shaped("telegram-token", join(made("tg", 10, DIGITS), ":A", "A", made("tg2", 33))),
  ...shaped("twilio-key", join("S", "K", made("twilio", 32, HEX))),
  ...shaped("sendgrid-key", join("S", "G.", made("sg", 22), ".", made("sg2", 43))),
  ...shaped("mailgun-key", join("ke", "y-", made("mg", 32, HEX))),
  ...shaped("mailchimp-key", join(made("mc", 32, HEX), "-u", "s21")),
  ...shaped("brevo-key", join("xkey", "sib-", made("brevo", 64, HEX), "-", made("brevo2", 16))),
  ...shaped("airtable-token", join("pa", "t", made("at", 14), ".", made("at2", 64, HEX))),
  ...shaped("grafana-token", join("gl", "sa_", made("glsa", 32), "_", made("glsa2", 8, HEX))),
  ...shaped(
    "sentry-token",
    join("sn", "trys_", made("sntrys", 80)),
    join("sn", "tryu_", made("sntryu", 64, HEX)),
  ),
  ...shaped("newrelic-key", join("NR", "AK-", made("nrak", 27, UPPER + DIGITS))),
  ...shaped(
    "dynatrace-token",
    join("dt", "0c01.", made("dy", 24, UPPER + DIGITS), ".", made("dy2", 64, UPPER + DIGITS)),
  ),
  ...shaped(
    "hubspot-token",
    join("pat-", "na1-", [8, 4, 4, 4, 12].map((n) => made(`hs${n}`, n, HEX)).join("-")),
  ),
  ...shaped(
    "jwt",
    join(header, ".", claims, ".", made("jwt", 43)),
    join(header, ".", claims, ".", made("jwt2", 342)),
  ),
];

const keyLines = (seed: string, lines: number): string[] =>
  Array.from({ length: lines }, (_, i) => made(`${seed}${i}`, i === lines - 1 ? 44 : 64));

/** Private key blocks: `whole` on several lines, `line` with `\n` written out, cut off at either end. */
export const PRIVATE_KEYS = ["RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ", ""].map((type) => {
  const begin = join("-----BE", "GIN ", type, "PRIVATE KEY", "-----");
  const end = join("-----E", "ND ", type, "PRIVATE KEY", "-----");
  const body = keyLines(type, 6);
  return {
    type,
    body,
    whole: [begin, ...body, end].join("\n"),
    line: [begin, ...body, end, ""].join(String.raw`\n`),
    cutEnd: [begin, ...body.slice(0, 4)].join("\n"),
    cutStart: [...body.slice(2), end].join("\n"),
  };
});

/** Secrets without a shape of their own: found by where they stand. */
export const UNSHAPED: readonly string[] = [
  made("generic", 32),
  made("hexkey", 40, HEX),
  join(made("aws", 20), "/", made("aws2", 10), "+", made("aws3", 8)),
  join("Tr0ub", "4dor", "&3"),
  join("c0rrect", "-horse-", "battery"),
  join("p@ss", "w0rd", "!x"),
  join("hun", "ter", "2"),
];
