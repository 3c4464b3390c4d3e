// A report as JUnit XML, as CI servers read it. Pure. Whatever an executor says is text: escaped, and without the characters that XML
// cannot hold.
import type { ConformanceReport, ScenarioResult } from "./run-conformance.js";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "\n": "&#10;",
  "\r": "&#13;",
  "\t": "&#9;",
};

/** Text as an attribute's value or an element's content. */
export function xmlText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\u0009\u000A\u000D\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replace(/[&<>"'\n\r\t]/gu, (character) => ENTITIES[character] ?? "");
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

/** `handoff-crash (begun)`. */
export function resultName({ scenario, variant }: Pick<ScenarioResult, "scenario" | "variant">): string {
  return variant === null ? scenario : `${scenario} (${variant})`;
}

function testCase(result: ScenarioResult, executor: string): string {
  const { status, detail, duration_ms } = result;
  const head = `    <testcase name="${xmlText(resultName(result))}" classname="${xmlText(executor)}" time="${seconds(duration_ms)}"`;
  const message = xmlText(detail ?? "");
  if (status === "passed") return `${head}/>`;
  const inner =
    status === "failed"
      ? `<failure message="${message}">${message}</failure>`
      : `<skipped message="${message}"/>`;
  return `${head}>\n      ${inner}\n    </testcase>`;
}

/** The whole document. */
export function junitReport({ executor, results }: ConformanceReport): string {
  const name = executor === "" ? "executor" : executor;
  const of = (status: ScenarioResult["status"]): number =>
    results.filter((one) => one.status === status).length;
  const time = seconds(results.reduce((sum, { duration_ms }) => sum + duration_ms, 0));
  const counts = `tests="${results.length}" failures="${of("failed")}" errors="0" skipped="${of("not-run")}" time="${time}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${counts}>
  <testsuite name="handoff conformance" ${counts}>
${results.map((result) => testCase(result, name)).join("\n")}
  </testsuite>
</testsuites>
`;
}
