import { lstatSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { samplePacket, variantOf } from "../cli/testing/sample-packet.js";
import { emptyFolder, put } from "../cli/testing/sample-workbench.js";
import type { GeneratedHandoff } from "../generate/generate-handoff.js";
import { UsageError } from "../model/errors.js";
import type { HandoffPacket } from "../model/packet.js";
import { publishPacket, type Published } from "./publish-packet.js";

let sample: GeneratedHandoff;
let root = "";
beforeAll(async () => {
  sample = await samplePacket();
});
beforeEach(() => {
  root = emptyFolder();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const DIR = "out/s-2041";
const publish = (what: GeneratedHandoff = sample, outDir = "out"): Promise<Published> =>
  publishPacket({ root, outDir, ...what });
const text = (name: string): string => readFileSync(path.join(root, name), "utf8");
const inode = (name: string): number => lstatSync(path.join(root, name)).ino;

async function refusal(work: Promise<unknown>): Promise<UsageError> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UsageError);
  return error as UsageError;
}

describe("publishing", () => {
  test("writes the very bytes, and nothing else", async () => {
    expect(await publish()).toEqual({
      status: "published",
      dir: path.join(root, DIR),
      packet: sample.packet,
      json: sample.json,
      markdown: sample.markdown,
      changed: true,
      diagnostics: [],
    });
    expect(text(`${DIR}/handoff.json`)).toBe(sample.json);
    expect(text(`${DIR}/handoff.md`)).toBe(sample.markdown);
    expect(readdirSync(path.join(root, DIR)).sort()).toEqual(["handoff.json", "handoff.md"]);
  });

  test("P34 the same bytes again touch neither file", async () => {
    await publish();
    const before = [inode(`${DIR}/handoff.json`), inode(`${DIR}/handoff.md`)];
    expect((await publish()).changed).toBe(false);
    expect([inode(`${DIR}/handoff.json`), inode(`${DIR}/handoff.md`)]).toEqual(before);
  });

  test("another packet of the session replaces both", async () => {
    await publish();
    const next = variantOf(sample.packet, { next_action: "another thing" });
    expect(await publish(next)).toMatchObject({ changed: true, diagnostics: [] });
    expect([text(`${DIR}/handoff.json`), text(`${DIR}/handoff.md`)]).toEqual([next.json, next.markdown]);
    expect(readdirSync(path.join(root, "out")).sort()).toEqual([".lock", "index.json", "s-2041"]);
    expect(readdirSync(path.join(root, "out/.lock"))).toEqual([]);
  });

  test("only what differs is written", async () => {
    await publish();
    const before = inode(`${DIR}/handoff.json`);
    put(root, `${DIR}/handoff.md`, sample.markdown.replace("mend", "break"));
    expect((await publish()).changed).toBe(true);
    expect(text(`${DIR}/handoff.md`)).toBe(sample.markdown);
    expect(inode(`${DIR}/handoff.json`)).toBe(before);
  });

  test("bytes that are no packet are a bug of ours, and nothing is written", async () => {
    const packet = { ...sample.packet, next_action: " " } as HandoffPacket;
    const broken = { ...sample, packet, json: JSON.stringify(packet) };
    await expect(publish(broken)).rejects.toThrow("the packet to be written does not validate: /next_action");
    await expect(publish({ ...sample, json: "{" })).rejects.toThrow("is not JSON");
    expect(readdirSync(root)).toEqual([]);
  });
});

describe("what is not ours stays", () => {
  test.each<[string, string, string]>([
    ["another program's packet", "handoff.json", '{"session_id": "s-2041", "summary": "x"}'],
    ["no JSON", "handoff.json", "not json"],
    ["an empty file", "handoff.json", ""],
    ["a list", "handoff.json", "[]"],
    ["somebody's notes", "handoff.md", "# Mine\n"],
  ])("%s", async (_, name, content) => {
    put(root, `${DIR}/${name}`, content);
    const error = await refusal(publish());
    expect([error.code, error.exitCode]).toEqual(["store.foreign_file", 2]);
    expect(error.place).toEqual({ path: path.join(root, DIR, name) });
    expect(error.hint).toContain("move it away");
    expect(readdirSync(path.join(root, DIR))).toEqual([name]);
    expect(text(`${DIR}/${name}`)).toBe(content);
  });

  test.each(["handoff.json", "handoff.md"])(
    "a folder, or a link that leads out, in the place of %s",
    async (name) => {
      mkdirSync(path.join(root, DIR, name), { recursive: true });
      expect((await refusal(publish())).code).toBe("store.foreign_file");
      rmSync(path.join(root, DIR, name), { recursive: true });
      const outside = emptyFolder();
      writeFileSync(path.join(outside, "victim"), sample.json);
      symlinkSync(path.join(outside, "victim"), path.join(root, DIR, name));
      expect((await refusal(publish())).code).toBe("store.foreign_file");
      expect(readFileSync(path.join(outside, "victim"), "utf8")).toBe(sample.json);
      rmSync(outside, { recursive: true });
    },
  );
});

describe("P39 what somebody changed is kept before it is replaced", () => {
  test.each<[string, (json: string) => string]>([
    ["a field", (json) => json.replace("mend what", "see to what")],
    ["a field too many", (json) => json.replace("{", '{"note": "mine",')],
  ])("%s of handoff.json", async (_, edit) => {
    await publish();
    const edited = edit(sample.json);
    put(root, `${DIR}/handoff.json`, edited);
    const { diagnostics } = await publish();
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]).toMatchObject({ code: "packet.edited", source: { path: "s-2041/handoff.json" } });
    expect(text(`out/${diagnostics[0]?.args["kept"]}`)).toBe(edited);
    expect(text(`${DIR}/handoff.json`)).toBe(sample.json);
    // Edited the same way again: kept once.
    put(root, `${DIR}/handoff.json`, edited);
    await publish();
    expect(readdirSync(path.join(root, "out/archive/edited"))).toHaveLength(1);
  });

  test("a Markdown that lost its stamp beside our JSON", async () => {
    await publish();
    put(root, `${DIR}/handoff.md`, `${sample.markdown}\nMy thoughts.\n`);
    const { diagnostics } = await publish();
    expect(diagnostics[0]).toMatchObject({ code: "packet.edited", source: { path: "s-2041/handoff.md" } });
    expect(text(`out/${diagnostics[0]?.args["kept"]}`)).toContain("My thoughts.");
    expect(text(`${DIR}/handoff.md`)).toBe(sample.markdown);
  });
});

describe("P43 writes go only under the store's root", () => {
  test.each(["archive", "runs", "Archive"])("a session cannot be called %s", async (session_id) => {
    const error = await refusal(publish(variantOf(sample.packet, { session_id })));
    expect([error.code, error.exitCode]).toEqual(["usage.bad_id", 2]);
    expect(readdirSync(root)).toEqual([]);
  });

  test("a session's folder that is a link to elsewhere, even inside the workbench", async () => {
    mkdirSync(path.join(root, "src"));
    mkdirSync(path.join(root, "out"));
    symlinkSync(path.join(root, "src"), path.join(root, DIR));
    expect((await refusal(publish())).code).toBe("write.outside");
    expect(readdirSync(path.join(root, "src"))).toEqual([]);
  });

  test("the store itself may be a link inside the workbench, or any folder outside it that is named", async () => {
    mkdirSync(path.join(root, "real"));
    symlinkSync(path.join(root, "real"), path.join(root, "out"));
    expect((await publish()).dir).toBe(path.join(root, "real/s-2041"));
    const outside = emptyFolder();
    expect((await publish(sample, path.join(outside, "a/b"))).dir).toBe(path.join(outside, "a/b/s-2041"));
    rmSync(outside, { recursive: true });
  });
});
