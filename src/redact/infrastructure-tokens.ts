// Tokens of code hosts, clouds, package registries and build services.
import { bounded, type TokenRow } from "./token-row.js";

/**
 * Lengths are lower bounds below the documented ones: a token cut short is still most of a token, and issuers have
 * lengthened theirs before. Prefixes that no ordinary word contains need no boundary: glued to anything they are found.
 * Four letters alone do: base64 of anything has them somewhere.
 */
export const infrastructureTokens = (): readonly TokenRow[] => [
  // Code hosts
  {
    kind: "github-token",
    pattern: /gh[pousr]_[A-Za-z0-9_]{20,}|github_pat_[A-Za-z0-9_]{20,}/,
    evidence: "GitHub docs, token prefixes",
  },
  {
    kind: "gitlab-token",
    pattern:
      /gl(?:pat|dt|rtr?|cbt|ptt|ft|imt|agent|oas|soat|ffct|wt)-[A-Za-z0-9_-]{16,}(?:\.[A-Za-z0-9_-]+)*|GR1348941[A-Za-z0-9_-]{16,}/,
    evidence: "GitLab docs, token overview",
  },
  { kind: "bitbucket-token", pattern: /ATBB[A-Za-z0-9]{24,}/, evidence: "Atlassian docs, app passwords" },
  {
    kind: "atlassian-token",
    pattern: /AT(?:ATT|CTT)3[A-Za-z0-9_=-]{20,}/,
    evidence: "Atlassian docs, API tokens",
  },
  {
    kind: "linear-token",
    pattern: /lin_(?:api|oauth|wh)_[A-Za-z0-9]{20,}/,
    evidence: "Linear docs, API keys",
  },
  {
    kind: "notion-token",
    pattern: bounded(/(?:ntn_[A-Za-z0-9]{30,}|secret_[A-Za-z0-9]{40,})/),
    evidence: "Notion docs, token format",
  },
  { kind: "figma-token", pattern: /fig[dou]r?_[A-Za-z0-9_-]{30,}/, evidence: "Figma docs, access tokens" },
  // Clouds
  {
    kind: "aws-access-key",
    pattern: bounded(/(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16,}/),
    evidence: "AWS IAM docs, unique id prefixes",
  },
  {
    kind: "aws-session-token",
    pattern: bounded(/(?:IQoJ|FwoG|FQoG)[A-Za-z0-9+/=]{80,}/),
    evidence: "AWS STS, first bytes of every session token",
  },
  {
    kind: "aws-bedrock-key",
    pattern: bounded(/ABSK[A-Za-z0-9+/=]{60,}/),
    evidence: "AWS Bedrock docs, API keys",
  },
  { kind: "google-api-key", pattern: /AIza[A-Za-z0-9_-]{30,}/, evidence: "Google Cloud docs, API keys" },
  {
    kind: "google-oauth-token",
    pattern: bounded(/(?:ya29\.[A-Za-z0-9_-]{6,}|1\/\/0[A-Za-z0-9_-]{30,})/),
    evidence: "Google OAuth docs, access and refresh tokens",
  },
  {
    kind: "google-client-secret",
    pattern: /GOCSPX-[A-Za-z0-9_-]{16,}/,
    evidence: "Google OAuth docs, client secrets",
  },
  {
    kind: "azure-client-secret",
    pattern: bounded(/[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{30,}(?<!\.)/),
    hint: "Q~",
    evidence: "Microsoft Entra, client secret format",
  },
  {
    kind: "azure-devops-token",
    pattern: bounded(/[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4,}/),
    hint: "AZDO",
    evidence: "Azure DevOps docs, personal access tokens",
  },
  {
    kind: "digitalocean-token",
    pattern: /do[opr]_v1_[a-f0-9]{32,}/,
    evidence: "DigitalOcean docs, token prefixes",
  },
  {
    kind: "cloudflare-token",
    pattern: /cf(?:k|ut|at)_[A-Za-z0-9_-]{36,}|v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}/,
    evidence: "Cloudflare docs, token formats; Origin CA keys",
  },
  {
    kind: "alibaba-access-key",
    pattern: bounded(/LTAI[A-Za-z0-9]{12,}/),
    evidence: "Alibaba Cloud docs, AccessKey id",
  },
  { kind: "heroku-token", pattern: /HRKU-[A-Za-z0-9_-]{30,}/, evidence: "Heroku docs, token prefix" },
  {
    kind: "flyio-token",
    pattern: /fo1_[A-Za-z0-9_-]{40,}|fm[12][ar]?_[A-Za-z0-9+/=_-]{60,}/,
    evidence: "Fly.io docs, macaroons",
  },
  { kind: "netlify-token", pattern: bounded(/nfp_[A-Za-z0-9]{30,}/), evidence: "Netlify docs, token prefix" },
  {
    kind: "planetscale-token",
    pattern: /pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_=-]{30,}(?:\.[A-Za-z0-9_=-]+)*/,
    evidence: "PlanetScale docs, token prefixes",
  },
  {
    kind: "supabase-token",
    pattern: bounded(/(?:sbp_[a-f0-9]{40,}|sb_secret_[A-Za-z0-9_-]{20,})/),
    evidence: "Supabase docs, API keys",
  },
  {
    kind: "databricks-token",
    pattern: bounded(/dapi[a-f0-9]{32}(?:-[0-9])?/),
    evidence: "Databricks docs, personal access tokens",
  },
  {
    kind: "terraform-token",
    pattern: bounded(/[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}/),
    hint: ".atlasv1.",
    evidence: "HCP Terraform docs, API tokens",
  },
  { kind: "pulumi-token", pattern: bounded(/pul-[a-f0-9]{40,}/), evidence: "Pulumi docs, access tokens" },
  {
    kind: "vault-token",
    pattern: bounded(/hv[sbr]\.[A-Za-z0-9_-]{20,}/),
    evidence: "HashiCorp Vault docs, token prefixes",
  },
  {
    kind: "doppler-token",
    pattern: /dp\.(?:pt|st|ct|scim|audit|sa|said)\.[A-Za-z0-9_-]{30,}(?:\.[A-Za-z0-9_-]+)*/,
    evidence: "Doppler docs, token formats",
  },
  {
    kind: "onepassword-token",
    pattern: /ops_eyJ[A-Za-z0-9+/=_-]{60,}/,
    evidence: "1Password docs, service accounts",
  },
  {
    kind: "tailscale-key",
    pattern: /tskey-[a-z]{2,16}-[A-Za-z0-9-]{16,}/,
    evidence: "Tailscale docs, key prefixes",
  },
  {
    kind: "age-secret-key",
    pattern: /AGE-SECRET-KEY-1[A-Z0-9]{40,}/,
    evidence: "age specification, Bech32 identities",
  },
  // Package registries and build services
  { kind: "npm-token", pattern: /npm_[A-Za-z0-9]{30,}/, evidence: "npm docs, access tokens" },
  { kind: "pypi-token", pattern: /pypi-A[A-Za-z0-9_-]{40,}/, evidence: "PyPI docs, macaroon tokens" },
  { kind: "rubygems-token", pattern: /rubygems_[a-f0-9]{40,}/, evidence: "RubyGems docs, API keys" },
  {
    kind: "crates-token",
    pattern: bounded(/cio[A-Za-z0-9]{32}(?![A-Za-z0-9])/),
    evidence: "crates.io, API tokens",
  },
  { kind: "nuget-key", pattern: bounded(/oy2[a-z0-9]{43}(?![A-Za-z0-9])/), evidence: "NuGet docs, API keys" },
  {
    kind: "docker-token",
    pattern: /dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}/,
    evidence: "Docker docs, access tokens",
  },
  { kind: "buildkite-token", pattern: /bkua_[a-f0-9]{36,}/, evidence: "Buildkite docs, API tokens" },
  { kind: "circleci-token", pattern: /CCIPAT_[A-Za-z0-9_]{30,}/, evidence: "CircleCI docs, token format" },
  {
    kind: "sonar-token",
    pattern: bounded(/sq[upa]_[a-f0-9]{40,}/),
    evidence: "SonarQube docs, token prefixes",
  },
  { kind: "postman-key", pattern: /PMAK-[a-f0-9]{24}-[a-f0-9]{20,}/, evidence: "Postman docs, API keys" },
];
