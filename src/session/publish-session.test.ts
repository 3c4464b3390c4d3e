// A session's packet in one call, and what the session's folder says of it afterwards (A9): real workbenches and stores.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { git, put, sampleWorkbench } from "../cli/testing/sample-workbench.js";
import { tree } from "../cli/testing/use-cli.js";
import { noEdits } from "../model/packet-edits.js";
import { createRedactor } from "../redact/create-redactor.js";
import { changeStore, type StoreChange } from "../store/change-store.js";
import { publishLocked } from "../store/publish-packet.js";
import { writeEdits } from "../store/session-edits.js";
import { sha256Hex } from "../text/digest.js";
import { openWorkbench } from "./open-workbench.js";
import { previewSession, publishSession, type PublishOptions } from "./publish-session.js";
import { hasUnpublishedWork, measureSession } from "./session-work.js";

const ID = "s-7";
const FOLDER = `.handoff/sessions/${ID}`;
const RECORD = `${JSON.stringify({ command: "npm test", exit_code: 1, stderr_tail: "no" })}\n`;
let root = "";
beforeEach(() => {
  root = sampleWorkbench();
  put(root, `${FOLDER}/feedback.jsonl`, RECORD);
  put(root, `${FOLDER}/agent_state.json`, { next_action: "make npm test pass" });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const env = { PATH: process.env["PATH"] };
async function publish(options: PublishOptions = {}) {
  const workbench = await openWorkbench({ cwd: root, env });
  return publishSession(workbench, { hookSessionId: ID, ...options });
}
const note = (): Record<string, unknown> => {
  const value: Record<string, unknown> = JSON.parse(
    readFileSync(path.join(root, FOLDER, "published.json"), "utf8"),
  );
  return value;
};
const codes = (found: readonly { code: string }[]): string[] => found.map(({ code }) => code);

describe("publishing a session", () => {
  test("A9 writes the packet of the session that a hook names, with its reason, and its bytes", async () => {
    const { packet, dir, changed, json, markdown, snapshot } = await publish({ reason: "session_end" });
    expect([packet.session_id, packet.handoff_reason, packet.next_action, changed]).toEqual([
      ID,
      "session_end",
      "make npm test pass",
      true,
    ]);
    expect(readFileSync(path.join(dir, "handoff.json"), "utf8")).toBe(json);
    expect(readFileSync(path.join(dir, "handoff.md"), "utf8")).toBe(markdown);
    expect(snapshot.session).toEqual({ id: ID, from: "hook" });
  });

  test("A9 notes what the packet had seen: sizes, the state, the commit, both files", async () => {
    put(root, `${FOLDER}/touched_files.jsonl`, '{"path": "app/signup.py"}\n');
    const { packet, json, markdown } = await publish();
    expect(note()).toEqual({
      packet_id: packet.packet_id,
      feedback_bytes: RECORD.length,
      touched_bytes: 26,
      state_sha256: sha256Hex(readFileSync(path.join(root, FOLDER, "agent_state.json"))),
      head: git(root, "rev-parse", "HEAD").trim(),
      json_sha256: sha256Hex(json),
      markdown_sha256: sha256Hex(markdown),
    });
  });

  test("A9 work that came afterwards is unpublished until the next publication", async () => {
    expect(await hasUnpublishedWork(root, ID)).toBe(true);
    await publish();
    expect(await hasUnpublishedWork(root, ID)).toBe(false);
    const steps: readonly (() => void)[] = [
      () => appendFileSync(path.join(root, FOLDER, "feedback.jsonl"), RECORD),
      () => put(root, `${FOLDER}/touched_files.jsonl`, '{"path": "a"}\n'),
      () => put(root, `${FOLDER}/agent_state.json`, { next_action: "another thing" }),
      () => rmSync(path.join(root, FOLDER, "agent_state.json")),
    ];
    for (const step of steps) {
      step();
      expect(await hasUnpublishedWork(root, ID)).toBe(true);
      await publish({ allowDegraded: true });
      expect(await hasUnpublishedWork(root, ID)).toBe(false);
    }
  });

  test("A9 what is added while the packet is made counts as new", async () => {
    await publish({ onProgress: () => appendFileSync(path.join(root, FOLDER, "feedback.jsonl"), RECORD) });
    expect(note()["feedback_bytes"]).toBe(RECORD.length);
    expect(await hasUnpublishedWork(root, ID)).toBe(true);
  });

  test("A9 a session that only its state names is noted too; one without a folder, or a bad name, leaves nothing", async () => {
    put(root, "agent_state.json", { session_id: ID, next_action: "make npm test pass" });
    await publish({ hookSessionId: null });
    expect(note()["feedback_bytes"]).toBe(RECORD.length);
    await publish({ hookSessionId: "s-8", allowDegraded: true });
    expect(existsSync(path.join(root, ".handoff/sessions/s-8"))).toBe(false);
    for (const id of ["s-8", "../s-7", ""]) {
      expect(await measureSession(root, id)).toBeNull();
      expect(await hasUnpublishedWork(root, id)).toBe(false);
    }
  });

  test("A9 a note that cannot be written, or read, costs nothing but another look", async () => {
    mkdirSync(path.join(root, FOLDER, "published.json/in-the-way"), { recursive: true });
    const { changed, diagnostics } = await publish();
    expect([changed, codes(diagnostics)]).toEqual([true, expect.arrayContaining(["session.not_noted"])]);
    expect(await hasUnpublishedWork(root, ID)).toBe(true);
    rmSync(path.join(root, FOLDER, "published.json"), { recursive: true });
    put(root, `${FOLDER}/published.json`, '{"feedback_bytes": "many"}');
    expect(await hasUnpublishedWork(root, ID)).toBe(true);
  });

  test("P34 nothing new writes nothing in the store", async () => {
    await publish();
    const before = tree(path.join(root, "outputs"));
    const { changed } = await publish();
    expect(changed).toBe(false);
    expect(tree(path.join(root, "outputs"))).toEqual(before);
  });

  test("P39 a handoff.md that somebody wrote into is kept, also where its digest is on record; one left alone is not", async () => {
    const { dir } = await publish();
    appendFileSync(path.join(root, FOLDER, "feedback.jsonl"), RECORD.replace("npm test", "npm run lint"));
    expect(codes((await publish()).diagnostics)).not.toContain("packet.edited");
    const file = path.join(dir, "handoff.md");
    writeFileSync(file, readFileSync(file, "utf8").replace("## Summary", "## Summary by Ann"));
    appendFileSync(path.join(root, FOLDER, "feedback.jsonl"), RECORD.replace("npm test", "npm run types"));
    expect(codes((await publish()).diagnostics)).toContain("packet.edited");
  });

  test("tells problems as it learns them, also when it throws in the end", async () => {
    rmSync(path.join(root, "agent_state.json"));
    rmSync(path.join(root, FOLDER), { recursive: true });
    rmSync(path.join(root, "feedback_record.jsonl"));
    put(root, "task_board.json", "{");
    const told: string[] = [];
    const publication = publish({ onDiagnostics: (found) => void told.push(...codes(found)) });
    await expect(publication).rejects.toMatchObject({ code: "next_action.unknown", exitCode: 1 });
    expect(told).toContain("artifact.not_json");
    await expect(publish({ base: "no-such-commit" })).rejects.toMatchObject({ code: "usage.base" });
  });
});

describe("S1 S4 of one session's publications at once", () => {
  /** Publishes. Each of `meanwhile` happens in the store after the packet has been made once more and before the store is free. */
  async function publishBeside(...meanwhile: readonly ((change: StoreChange) => Promise<unknown>)[]) {
    const place = { root, outDir: "outputs/handoff" };
    const claimsIn = (out: string): string[] =>
      readdirSync(path.join(out, ".lock")).filter((name) => name.startsWith("claim."));
    const seen = new Set<string>();
    let publishing: ReturnType<typeof publish> | null = null;
    /** False where it still waits with the packet that the step before was too late for. */
    const during = (step: (change: StoreChange) => Promise<unknown>): Promise<boolean> =>
      changeStore(place, async (change) => {
        publishing ??= publish();
        await expect.poll(() => claimsIn(change.out), { timeout: 20_000 }).not.toEqual([]);
        const [claim = ""] = claimsIn(change.out);
        if (seen.has(claim)) return false;
        seen.add(claim);
        await step(change);
        return true;
      });
    for (const step of meanwhile) while (!(await during(step)));
    return publishing ?? publish();
  }

  // The log of the workbench itself has three records, the session's own two in the end.
  test("an older one never takes a newer one's place", async () => {
    const { packet } = await publishBeside(async (change) => {
      appendFileSync(path.join(root, FOLDER, "feedback.jsonl"), RECORD.replace("npm test", "npm run lint"));
      const workbench = await openWorkbench({ cwd: root, env });
      await publishLocked(change, await previewSession(workbench, { hookSessionId: ID }));
    });
    expect(packet.feedback.total).toBe(3 + 2);
    expect(await hasUnpublishedWork(root, ID)).toBe(false);
  });

  test("P39 what a person edits meanwhile is in the packet", async () => {
    const { packet: before } = await publish();
    appendFileSync(path.join(root, FOLDER, "feedback.jsonl"), RECORD.replace("npm test", "npm run lint"));
    const next = {
      ...noEdits(before),
      next_action: { from: before.next_action, to: "ask the owner first" },
    };
    const both = { ...next, doing: { from: before.doing, to: "waiting" } };
    const { packet } = await publishBeside(
      ({ out }) => writeEdits(out, ID, next, createRedactor()),
      ({ out }) => writeEdits(out, ID, both, createRedactor()),
    );
    const { next_action, doing, feedback } = packet;
    expect([next_action, doing, feedback.total]).toEqual(["ask the owner first", "waiting", 3 + 2]);
  });
});

describe("a preview", () => {
  test("is what would be published, and writes nothing at all", async () => {
    const before = tree(root);
    const workbench = await openWorkbench({ cwd: root, env });
    const preview = await previewSession(workbench, { hookSessionId: ID });
    expect(tree(root)).toEqual(before);
    const published = await publish();
    expect([preview.json, preview.markdown, preview.dir]).toEqual([
      published.json,
      published.markdown,
      published.dir,
    ]);
  });
});
