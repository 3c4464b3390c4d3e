// A workbench as a caller without a terminal opens it: real folders and repositories.
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { git, put, sampleWorkbench } from "../cli/testing/sample-workbench.js";
import { HandoffError } from "../model/errors.js";
import type { Redactor } from "../redact/create-redactor.js";
import { briefPath, openWorkbench, type WorkbenchPlace } from "./open-workbench.js";

let root = "";
beforeEach(() => {
  root = sampleWorkbench();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const env = { PATH: process.env["PATH"] };
const open = (place: Partial<WorkbenchPlace> = {}) => openWorkbench({ cwd: root, env, ...place });

async function failure(place: Partial<WorkbenchPlace>): Promise<string> {
  try {
    await open(place);
    return "none";
  } catch (error) {
    if (!(error instanceof HandoffError)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

describe("opening a workbench", () => {
  test("finds it from below, with its configuration and templates", async () => {
    put(root, "mine.hbs", "# {{next_action}}\n");
    put(root, "handoff.config.json", { out: "packets", topic: "api", templates: { handoff: "mine.hbs" } });
    const cwd = path.join(root, "app");
    const { root: found, config, outDir, templates } = await open({ cwd });
    expect([found, config.topic, outDir]).toEqual([root, "api", "packets"]);
    expect(templates).toEqual({ handoff: { path: "mine.hbs", source: "# {{next_action}}\n" } });
  });

  test("a caller's place is relative to where the caller is, a configured one stays inside", async () => {
    mkdirSync(path.join(root, "app/deep"));
    const opened = await open({ cwd: path.join(root, "app"), root: "..", out: "../../elsewhere" });
    expect(opened.outDir).toBe(path.resolve(root, "../elsewhere"));
    put(root, "handoff.config.json", { out: "../elsewhere" });
    expect(await failure({})).toMatch(/^config\.invalid: \/out: .* leads outside the workbench$/u);
  });

  test("S13 an id that is a secret is refused by the name it was given with, also one that only the project knows", async () => {
    const token = ["ghp", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"].join("_");
    expect(await failure({ ids: { session: "s-1", by: token } })).toMatch(
      /^usage\.bad_id: --by .* a secret$/u,
    );
    put(root, "handoff.config.json", { redaction: { patterns: { ticket: "ACME-\\d+" } } });
    expect(await failure({ ids: { session: "ACME-7" } })).toMatch(/^usage\.bad_id: --session "ACME-7"/u);
  });

  test("S13 the gate is told before anything can fail behind it", async () => {
    put(root, "handoff.config.json", {
      redaction: { patterns: { ticket: "ACME-\\d+" } },
      templates: { brief: "gone.hbs" },
    });
    const told: Redactor[] = [];
    expect(await failure({ onRedactor: (gate) => void told.push(gate) })).toMatch(/^template\.unreadable/u);
    expect(told[0]?.redactText("see ACME-7").text).toBe("see [redacted:ticket]");
  });

  test("asks git for the branch once, and names packets from the root", async () => {
    const workbench = await open();
    expect(await workbench.branch()).toBe("feat/signup");
    git(root, "checkout", "--quiet", "main");
    expect(await workbench.branch()).toBe("feat/signup");
    expect(briefPath(root, path.join(root, "outputs/handoff/s/handoff.json"), workbench)).toBe(
      "outputs/handoff/s/handoff.json",
    );
    expect(briefPath(root, "/elsewhere/handoff.json", workbench)).toBe("/elsewhere/handoff.json");
  });
});
