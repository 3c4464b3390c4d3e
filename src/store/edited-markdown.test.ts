// P39: a handoff.md that somebody wrote into is kept, stamp or no stamp, whatever is about to render it anew.
import { existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { samplePacket, variantOf } from "../cli/testing/sample-packet.js";
import { emptyFolder, put } from "../cli/testing/sample-workbench.js";
import type { GeneratedHandoff } from "../generate/generate-handoff.js";
import type { Diagnostic } from "../model/diagnostic.js";
import { archivePackets } from "./archive-packets.js";
import { publishPacket } from "./publish-packet.js";
import { recordConsumption } from "./record-consumption.js";

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

const place = (): { root: string; outDir: string } => ({ root, outDir: "out" });
const MARKDOWN = "out/s-2041/handoff.md";
const write = (): string => {
  const text = sample.markdown.replace("## Summary", "My own thoughts.\n\n## Summary");
  put(root, MARKDOWN, text);
  return text;
};
const kept = (): string[] => {
  const folder = path.join(root, "out/archive/edited");
  return readdirSync(folder).map((name) => readFileSync(path.join(folder, name), "utf8"));
};
const other = (): GeneratedHandoff =>
  variantOf(sample.packet, { session_id: "s-2042", next_action: "another thing" });
const newer = (): GeneratedHandoff => variantOf(sample.packet, { next_action: "another thing" });

const RENDERERS: readonly [string, () => Promise<{ diagnostics: readonly Diagnostic[] }>][] = [
  ["its session's next packet", () => publishPacket({ ...place(), ...newer() })],
  ["the same packet again", () => publishPacket({ ...place(), ...sample })],
  ["a packet that supersedes it", () => publishPacket({ ...place(), ...other() })],
  [
    "the archive",
    () => archivePackets({ ...place(), select: (entries) => entries.map(({ packet_id }) => packet_id) }),
  ],
];

describe("P39 a handoff.md changed by hand, its stamp intact", () => {
  it.each(RENDERERS)("is kept before %s renders it anew", async (_, render) => {
    const text = write();
    const { diagnostics } = await render();
    expect(diagnostics.map(({ code, source }) => `${code} ${source?.path}`)).toEqual([
      "packet.edited s-2041/handoff.md",
    ]);
    expect(kept()).toEqual([text]);
  });

  it.each(RENDERERS)("nothing is kept, and nothing said, when nobody changed it: %s", async (_, render) => {
    expect((await render()).diagnostics).toEqual([]);
    expect(existsSync(path.join(root, "out/archive/edited"))).toBe(false);
  });

  it("stays where it is when somebody only takes the packet", async () => {
    const text = write();
    const at = "2026-11-29T12:00:00.000Z";
    await recordConsumption({ ...place(), packetId: sample.packet.packet_id, by: "s-2042", at });
    expect(readFileSync(path.join(root, MARKDOWN), "utf8")).toBe(text);
  });

  it("is kept once, however often it is changed the same way", async () => {
    write();
    await publishPacket({ ...place(), ...sample });
    write();
    await publishPacket({ ...place(), ...sample });
    expect(kept()).toHaveLength(1);
  });
});
