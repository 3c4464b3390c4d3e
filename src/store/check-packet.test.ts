import { rmSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { samplePacket, variantOf } from "../cli/testing/sample-packet.js";
import { emptyFolder, put } from "../cli/testing/sample-workbench.js";
import type { GeneratedHandoff } from "../generate/generate-handoff.js";
import { describeDiagnostic } from "../text/diagnostic-text.js";
import { archivePackets } from "./archive-packets.js";
import { checkPacket } from "./check-packet.js";
import { type FoundPacket, locatePacket } from "./locate-packet.js";
import { publishPacket } from "./publish-packet.js";
import { withStoreLock } from "./store-lock.js";

let sample: GeneratedHandoff;
let root = "";
beforeAll(async () => {
  sample = await samplePacket();
});
beforeEach(async () => {
  root = emptyFolder();
  await publishPacket({ root, outDir: "out", ...sample });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const SESSION = "out/s-2041";
async function findings(session = "s-2041"): Promise<string[]> {
  const found = await locatePacket({ root, outDir: "out", ref: session, branch: null, topic: "main" });
  return (await checkPacket(found)).map(
    (finding) =>
      `${finding.code} ${path.basename(finding.source?.path ?? "")}: ${describeDiagnostic(finding)}`,
  );
}
const write = (name: string, text: string): void => void put(root, `${SESSION}/${name}`, text);

describe("P39 what check tells", () => {
  test("nothing, right after it was published", async () => {
    expect(await findings()).toEqual([]);
  });

  test.each<[string, (s: GeneratedHandoff) => [string, string], RegExp[]]>([
    [
      "a changed field",
      ({ json }) => ["handoff.json", json.replace("mend what", "break what")],
      [
        /^drift\.packet_edited handoff\.json: .*changed by hand$/u,
        /^packet\.diverged handoff\.md: .*other bytes/u,
      ],
    ],
    [
      "a changed packet id",
      ({ json, packet }) => ["handoff.json", json.replace(packet.packet_id, "hp_0000000000000000")],
      [/^drift\.packet_edited handoff\.json/u, /^packet\.diverged handoff\.md: handoff\.md is of hp_/u],
    ],
    [
      "a field too many",
      ({ json }) => ["handoff.json", json.replace("{", '{"extra": 1,')],
      [/^packet\.invalid handoff\.json: .*additional properties \(extra\)$/u],
    ],
    [
      "a wrong type",
      ({ json }) => ["handoff.json", json.replace(/"status": "active"/u, '"status": 5')],
      [/^packet\.invalid handoff\.json: .*\/status must be string$/u],
    ],
    ["half a file", ({ json }) => ["handoff.json", json.slice(0, 500)], [/^packet\.invalid .*not JSON/u]],
    [
      "white space only",
      ({ json }) => ["handoff.json", `${json}\n`],
      [/^packet\.diverged handoff\.md: .*other bytes/u],
    ],
    [
      "a changed Markdown",
      ({ markdown }) => ["handoff.md", markdown.replace("mend what", "break what")],
      [/^drift\.markdown_edited handoff\.md: .*changed by hand$/u],
    ],
    [
      "a Markdown without stamp",
      ({ markdown }) => ["handoff.md", markdown.replace(/<!-- handoff-packet.*-->/u, "")],
      [/^packet\.diverged handoff\.md: .*no packet id$/u],
    ],
  ])("%s", async (_, damage, expected) => {
    write(...damage(sample));
    const told = await findings();
    expect(told).toHaveLength(expected.length);
    for (const [i, pattern] of expected.entries()) expect(told[i]).toMatch(pattern);
  });

  test("a Markdown that is missing", async () => {
    rmSync(path.join(root, SESSION, "handoff.md"));
    expect(await findings()).toEqual(["packet.diverged handoff.md: handoff.md is missing"]);
  });

  test("one file of a newer packet: a crash between the two", async () => {
    const newer = variantOf(sample.packet, { next_action: "another thing" });
    write("handoff.md", newer.markdown);
    expect((await findings())[0]).toContain(`is of ${newer.packet.packet_id}`);
    await publishPacket({ root, outDir: "out", ...newer });
    expect(await findings()).toEqual([]);
  });

  test("the packet of another session in its place", async () => {
    const other = variantOf(sample.packet, { session_id: "s-other" });
    write("handoff.json", other.json);
    write("handoff.md", other.markdown);
    expect(await findings()).toEqual([
      "packet.diverged handoff.json: it names session s-other, but is the packet of s-2041 in the index",
    ]);
  });

  test("P21 what its life changes does not change its id", async () => {
    const json = sample.json.replace('"status": "active"', '"status": "superseded"');
    write("handoff.json", json);
    expect(await findings()).toEqual([
      expect.stringMatching(/^packet\.diverged handoff\.md: .*other bytes/u),
    ]);
  });
});

describe("P39 S4 while others write", () => {
  const found = (): Promise<FoundPacket> =>
    locatePacket({ root, outDir: "out", ref: "s-2041", branch: null, topic: "main" });
  const newer = (): GeneratedHandoff => variantOf(sample.packet, { next_action: "another thing" });

  test("a packet that its session replaced since it was found fits together", async () => {
    const before = await found();
    await publishPacket({ root, outDir: "out", ...newer() });
    expect(await checkPacket(before)).toEqual([]);
  });

  test("one that was archived since it was found is not told to have lost its files", async () => {
    const before = await found();
    await archivePackets({ root, outDir: "out", select: () => [sample.packet.packet_id] });
    expect(await checkPacket(before)).toEqual([]);
  });

  test("a writer between the two files is waited for", async () => {
    const { markdown, json } = newer();
    const checking = await withStoreLock(path.join(root, "out"), {}, async () => {
      write("handoff.md", markdown);
      const looking = checkPacket(await found());
      // It has looked at both: nothing of a look waits for anything.
      await new Promise(setImmediate);
      write("handoff.json", json);
      return { looking };
    });
    expect(await checking.looking).toEqual([]);
  });

  test("what does not fit is told, however long somebody holds the store", async () => {
    write("handoff.md", newer().markdown);
    const told = await withStoreLock(path.join(root, "out"), {}, async () => checkPacket(await found()));
    expect(told.map(({ code }) => code)).toEqual(["packet.diverged"]);
  });
});
