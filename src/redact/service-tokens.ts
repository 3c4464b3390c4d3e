// Tokens of model providers, payments, mail, messages and monitoring.
import { bounded, type TokenRow } from "./token-row.js";

/** Lengths are lower bounds: see infrastructure-tokens.ts. */
export const serviceTokens = (): readonly TokenRow[] => [
  // Models
  {
    kind: "anthropic-key",
    pattern: /sk-ant-[A-Za-z0-9_-]{16,}/,
    evidence: "Anthropic, key prefixes sk-ant-api03-, sk-ant-admin01-, sk-ant-oat01-",
  },
  {
    kind: "openrouter-key",
    pattern: bounded(/sk-or-v1-[a-f0-9]{32,}/),
    evidence: "OpenRouter docs, API keys",
  },
  {
    kind: "openai-key",
    pattern: bounded(
      /sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}|(?=[A-Za-z]{0,48}[0-9])[A-Za-z0-9]{20,})/,
    ),
    evidence: "OpenAI, key prefixes; the plain form has digits and no hyphen",
  },
  {
    kind: "huggingface-token",
    pattern: bounded(/(?:hf|api_org)_[A-Za-z0-9]{30,}/),
    evidence: "Hugging Face docs, user access tokens",
  },
  { kind: "groq-key", pattern: bounded(/gsk_[A-Za-z0-9]{40,}/), evidence: "Groq docs, API keys" },
  { kind: "xai-key", pattern: bounded(/xai-[A-Za-z0-9]{60,}/), evidence: "xAI docs, API keys" },
  {
    kind: "perplexity-key",
    pattern: bounded(/pplx-[A-Za-z0-9]{40,}/),
    evidence: "Perplexity docs, API keys",
  },
  {
    kind: "replicate-token",
    pattern: bounded(/r8_[A-Za-z0-9]{30,}/),
    evidence: "Replicate docs, API tokens",
  },
  {
    kind: "langsmith-key",
    pattern: /lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}/,
    evidence: "LangSmith docs, API keys",
  },
  { kind: "pinecone-key", pattern: /pcsk_[A-Za-z0-9_]{40,}/, evidence: "Pinecone docs, API keys" },
  // Payments, mail, messages
  {
    kind: "stripe-key",
    pattern: /[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{20,}/,
    evidence: "Stripe docs, secret, restricted and webhook keys (pk_ is public)",
  },
  {
    kind: "square-token",
    pattern: /sq0(?:atp|csp|idb)-[A-Za-z0-9_-]{20,}/,
    evidence: "Square docs, access tokens",
  },
  {
    kind: "shopify-token",
    pattern: /shp(?:at|ca|pa|ss|tka|ua)_[A-Fa-f0-9]{32,}/,
    evidence: "Shopify docs, token prefixes",
  },
  {
    kind: "slack-token",
    pattern: /xox[abceoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{10,}/,
    evidence: "Slack docs, token types",
  },
  {
    kind: "slack-webhook",
    pattern: /hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9_/-]{16,}/,
    evidence: "Slack docs, incoming webhooks are secret",
  },
  {
    kind: "teams-webhook",
    pattern: /webhook\.office\.com\/webhookb2\/[A-Za-z0-9_@/-]{20,}/,
    evidence: "Microsoft Teams docs, incoming webhooks",
  },
  {
    kind: "discord-webhook",
    pattern: /discord(?:app)?\.com\/api\/(?:v[0-9]{1,2}\/)?webhooks\/[0-9]{5,20}\/[A-Za-z0-9_-]{20,}/,
    evidence: "Discord docs, webhook token",
  },
  {
    kind: "discord-token",
    pattern:
      /(?<!(?<!\\|%[0-9A-Fa-f])[A-Za-z0-9_-])(?:[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}|mfa\.[A-Za-z0-9_-]{40,})/,
    evidence: "Discord docs, bot token parts",
  },
  {
    kind: "telegram-token",
    pattern: /(?<!(?<!%[0-9A-Fa-f])[0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}/,
    hint: ":AA",
    evidence: "Telegram Bot API docs",
  },
  {
    kind: "twilio-key",
    pattern: bounded(/SK[a-f0-9]{32}(?![A-Za-z0-9])/),
    evidence: "Twilio docs, API key SIDs (AC… is an account, no secret)",
  },
  {
    kind: "sendgrid-key",
    pattern: /SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/,
    evidence: "SendGrid docs, API keys",
  },
  {
    kind: "mailgun-key",
    pattern: bounded(/key-[a-f0-9]{32}(?![A-Za-z0-9-])/),
    evidence: "Mailgun docs, private keys",
  },
  {
    kind: "mailchimp-key",
    pattern: bounded(/[a-f0-9]{32}-us[0-9]{1,2}(?![A-Za-z0-9])/),
    hint: "-us",
    evidence: "Mailchimp docs, API keys",
  },
  {
    kind: "brevo-key",
    pattern: /xkeysib-[a-f0-9]{64}(?:-[A-Za-z0-9]{16})?|xsmtpsib-[a-f0-9]{64}(?:-[A-Za-z0-9]{16})?/,
    evidence: "Brevo docs, API keys",
  },
  {
    kind: "airtable-token",
    pattern: bounded(/pat[A-Za-z0-9]{14}\.[a-f0-9]{64,}/),
    evidence: "Airtable docs, personal access tokens",
  },
  // Watching
  {
    kind: "grafana-token",
    pattern: /glsa_[A-Za-z0-9_]{30,}|glc_eyJ[A-Za-z0-9+/=]{40,}/,
    evidence: "Grafana docs, service accounts",
  },
  { kind: "sentry-token", pattern: /sntry[su]_[A-Za-z0-9+/=_-]{40,}/, evidence: "Sentry docs, auth tokens" },
  { kind: "newrelic-key", pattern: /NRAK-[A-Z0-9]{24,}/, evidence: "New Relic docs, user keys" },
  {
    kind: "dynatrace-token",
    pattern: /dt0[a-z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}/,
    evidence: "Dynatrace docs, token format",
  },
  {
    kind: "hubspot-token",
    pattern: /pat-(?:na|eu)[0-9]-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}/,
    evidence: "HubSpot docs, private apps",
  },
];
