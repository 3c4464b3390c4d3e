// What somebody changed by hand is kept before it is replaced (P39).
import path from "node:path";
import { ensureFolder, writeAtomic } from "../io/write-atomic.js";
import type { Diagnostic } from "../model/diagnostic.js";
import { ARCHIVE } from "./scan-packets.js";

/** A changed file. */
export interface EditedFile {
  /** Its folder relative to the store's root. */
  readonly folder: string;
  readonly name: "handoff.json" | "handoff.md" | "index.json";
  readonly text: string;
  readonly sha256: string;
}

/** Copies it to `archive/edited/`, named by its content, so that keeping it twice is once. Gives the copy's place in the store. */
export async function keepCopy(out: string, { folder, name, text, sha256 }: EditedFile): Promise<string> {
  const prefix = folder === "" ? "" : `${folder.replaceAll("/", "-")}-`;
  const kept = `${ARCHIVE}/edited/${prefix}${sha256.slice(0, 12)}.${name}`;
  await ensureFolder(path.join(out, ARCHIVE, "edited"), { base: out });
  await writeAtomic(path.join(out, kept), text, { base: out });
  return kept;
}

/** The same for a packet's file, and says so. */
export async function keepEdited(out: string, file: EditedFile): Promise<Diagnostic> {
  return {
    code: "packet.edited",
    severity: "warn",
    artifact: "packet",
    source: { path: `${file.folder}/${file.name}` },
    args: { kept: await keepCopy(out, file) },
  };
}
