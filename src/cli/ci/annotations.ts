// Findings as lines that a CI shows beside the code (A16): GitHub's workflow commands, Azure's logging commands. Pure. What
// such a line may hold is escaped as the service's own tools do it, so no text from outside can begin a command of its own.
import type { CheckFinding } from "../../packet/decide-check.js";
import { describeDiagnostic } from "../../text/diagnostic-text.js";
import { shown } from "../report.js";

type Env = Readonly<Record<string, string | undefined>>;
/** Services that read annotations from a job's output. */
export type CiService = "github" | "azure";

/** GitHub keeps ten errors and ten warnings a step and drops the others in silence. */
const MOST_ALIKE = 10;

/** The service we run in, by the variable it sets to say so (Gitea and Forgejo speak as GitHub does); null: none of them. */
export function decideCiService(env: Env): CiService | null {
  if (env["GITHUB_ACTIONS"] === "true") return "github";
  return /^true$/iu.test(env["TF_BUILD"] ?? "") ? "azure" : null;
}

interface Annotation {
  readonly level: "error" | "warning";
  readonly title: string;
  readonly text: string;
  /** Relative to the repository, with forward slashes. */
  readonly file: string | null;
  readonly line: number | null;
}

/** As `@actions/core` escapes. */
function githubText(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function githubLine({ level, title, text, file, line }: Annotation): string {
  const value = (raw: string): string => githubText(raw).replaceAll(":", "%3A").replaceAll(",", "%2C");
  const properties = [
    `title=${value(title)}`,
    ...(file === null ? [] : [`file=${value(file)}`]),
    ...(file === null || line === null ? [] : [`line=${line}`]),
  ];
  return `::${level} ${properties.join(",")}::${githubText(text)}`;
}

/** As `azure-pipelines-task-lib` escapes. */
function azureText(text: string): string {
  return text.replaceAll("%", "%AZP25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function azureLine({ level, title, text, file, line }: Annotation): string {
  const value = (raw: string): string => azureText(raw).replaceAll("]", "%5D").replaceAll(";", "%3B");
  const properties = [
    `type=${level}`,
    ...(file === null ? [] : [`sourcepath=${value(file)}`]),
    ...(file === null || line === null ? [] : [`linenumber=${line}`]),
  ];
  return `##vso[task.logissue ${properties.join(";")}]${azureText(`${title}: ${text}`)}`;
}

const LINES = { github: githubLine, azure: azureLine } as const;
const TITLES: Readonly<Record<string, string>> = {
  "check.risk": "risk",
  "check.degraded": "degraded packet",
  "check.unpublished": "no packet",
};

/** At most {@link MOST_ALIKE} of one level; the last counts those that are left out. */
function bounded(all: readonly Annotation[]): Annotation[] {
  if (all.length <= MOST_ALIKE) return [...all];
  const kept = all.slice(0, MOST_ALIKE - 1);
  const [next] = all.slice(MOST_ALIKE - 1);
  if (next === undefined) return kept;
  const text = `… and ${all.length - kept.length} more like these: see the packet`;
  return [...kept, { ...next, title: "handoff", text, file: null, line: null }];
}

/**
 * One line a finding, without line ends: what blocks as an error, warnings as warnings, the rest not at all.
 * @param fileOf the place of a finding in the repository, or null where it is no file there
 */
export function renderAnnotations(
  findings: readonly CheckFinding[],
  service: CiService,
  fileOf: (finding: CheckFinding) => string | null,
): string[] {
  const all = findings
    .filter(({ weight }) => weight !== "info")
    .map((finding): Annotation => {
      const blocks = finding.weight === "block";
      const title = TITLES[finding.code] ?? "stale packet";
      return {
        level: blocks ? "error" : "warning",
        title: `handoff: ${blocks && finding.code === "check.risk" ? "blocking " : ""}${title}`,
        text: shown(describeDiagnostic(finding)),
        file: fileOf(finding),
        line: finding.source?.line ?? null,
      };
    });
  const levels = ["error", "warning"] as const;
  return levels.flatMap((level) => bounded(all.filter((one) => one.level === level)).map(LINES[service]));
}

/** The line that shows a Markdown file on the job's own page; null where the service takes it elsewhere. */
export function summaryLine(service: CiService | null, markdownPath: string): string | null {
  return service === "azure" ? `##vso[task.uploadsummary]${azureText(markdownPath)}` : null;
}
