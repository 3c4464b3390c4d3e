// A16: annotations as GitHub and Azure read them. The readers below are written from the services' own parsers
// (actions/runner ActionCommand.cs, azure-pipelines-agent Command.cs).
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CheckFinding } from "../../packet/decide-check.js";
import { decideCiService, renderAnnotations, summaryLine, type CiService } from "./annotations.js";

function risk(detail: string, weight: "block" | "warn" | "info" = "block", line?: number): CheckFinding {
  return {
    code: "check.risk",
    severity: "error",
    artifact: "packet",
    source: line === undefined ? { path: "a.json" } : { path: "a.json", line },
    args: { detail },
    weight,
    items: [],
  };
}

interface Read {
  readonly command: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly text: string;
}

function readGithub(line: string): Read {
  const { head = "", text = "" } = /^::(?<head>.*?)::(?<text>.*)$/su.exec(line)?.groups ?? {};
  const [command = "", ...rest] = head.split(" ");
  const unescapeText = (value: string): string =>
    value.replaceAll("%0D", "\r").replaceAll("%0A", "\n").replaceAll("%25", "%");
  const pairs = rest
    .join(" ")
    .split(",")
    .map((pair) => pair.split("="));
  const properties = pairs.map(([name = "", ...value]) => [
    name,
    unescapeText(value.join("=").replaceAll("%3A", ":").replaceAll("%2C", ",")),
  ]);
  return {
    command,
    properties: Object.fromEntries(properties) as Record<string, string>,
    text: unescapeText(text),
  };
}

function readAzure(line: string): Read {
  const start = line.indexOf("##vso[");
  const end = line.indexOf("]", start);
  const [command = "", ...rest] = line.slice(start + "##vso[".length, end).split(" ");
  const unescapeText = (value: string): string =>
    value
      .replaceAll("%0D", "\r")
      .replaceAll("%0A", "\n")
      .replaceAll("%5D", "]")
      .replaceAll("%3B", ";")
      .replaceAll("%AZP25", "%");
  const pairs = rest
    .join(" ")
    .split(";")
    .map((pair) => pair.split("="));
  const properties = pairs.map(([name = "", ...value]) => [name, unescapeText(value.join("="))]);
  return {
    command,
    properties: Object.fromEntries(properties) as Record<string, string>,
    text: unescapeText(line.slice(end + 1)),
  };
}

const at = (file: string | null) => (): string | null => file;

describe("A16 annotations", () => {
  it("A16 GitHub: level, title, file, line, text", () => {
    expect(renderAnnotations([risk("50% lost: a, b", "block", 7)], "github", at("src/a,b:c.ts"))).toEqual([
      "::error title=handoff%3A blocking risk,file=src/a%2Cb%3Ac.ts,line=7::50%25 lost: a, b",
    ]);
    expect(renderAnnotations([risk("x", "warn", 7), risk("y", "info")], "github", at(null))).toEqual([
      "::warning title=handoff%3A risk::x",
    ]);
  });

  it("A16 Azure: an issue of the task, and the packet on the build's page", () => {
    expect(renderAnnotations([risk("50% [x]", "block", 7)], "azure", at("a;b].ts"))).toEqual([
      "##vso[task.logissue type=error;sourcepath=a%3Bb%5D.ts;linenumber=7]handoff: blocking risk: 50%AZP25 [x]",
    ]);
    expect(summaryLine("azure", "/w/100%/handoff.md")).toBe(
      "##vso[task.uploadsummary]/w/100%AZP25/handoff.md",
    );
    expect([summaryLine("github", "x"), summaryLine(null, "x")]).toEqual([null, null]);
  });

  it("A16 any text stays the text of one annotation", () => {
    const readers = { github: readGithub, azure: readAzure } as const;
    const part = fc.constantFrom(
      "::error::x",
      "##vso[task.x]y",
      "%0A",
      "%25",
      "\n",
      "\r",
      "a=b",
      ",;]:",
      "é",
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(part).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(text, text, fc.constantFrom<CiService>("github", "azure"), (detail, file, service) => {
        const [line = ""] = renderAnnotations([risk(detail)], service, at(file));
        expect(line).not.toMatch(/[\r\n]/u);
        const read = readers[service](line);
        expect(read.command).toBe(service === "github" ? "error" : "task.logissue");
        expect(read.properties[service === "github" ? "file" : "sourcepath"]).toBe(file);
        expect(Object.keys(read.properties)).toHaveLength(2);
      }),
    );
  });

  it("A16 at most ten of a level, the last counts the others", () => {
    const many = (weight: "block" | "warn", count: number) =>
      Array.from({ length: count }, (_, i) => risk(`risk ${i}`, weight));
    const lines = renderAnnotations([...many("block", 25), ...many("warn", 11)], "github", at(null));
    expect(lines.filter((line) => line.startsWith("::error "))).toHaveLength(10);
    expect(lines.filter((line) => line.startsWith("::warning "))).toHaveLength(10);
    expect([lines[9], lines[19]]).toEqual([
      "::error title=handoff::… and 16 more like these: see the packet",
      "::warning title=handoff::… and 2 more like these: see the packet",
    ]);
    expect(renderAnnotations(many("block", 10), "github", at(null))[9]).toContain("risk 9");
  });

  it("A16 which service", () => {
    expect(decideCiService({ GITHUB_ACTIONS: "true", CI: "true" })).toBe("github");
    expect(decideCiService({ TF_BUILD: "True" })).toBe("azure");
    expect([{}, { CI: "true", GITLAB_CI: "true" }, { GITHUB_ACTIONS: "" }].map(decideCiService)).toEqual([
      null,
      null,
      null,
    ]);
  });
});
