// The frame of every change to a store (S3, S4): under the lock, on a sound index, in one order. Packet files first, then the
// index swap, which decides, then older packets' files. What a writer that died left behind is mended before anything else.
import { rmdir } from "node:fs/promises";
import path from "node:path";
import { commitTogether } from "../io/commit-together.js";
import { asReadError, ensureFolder, stageFile, type StagedFile } from "../io/write-atomic.js";
import type { Diagnostic } from "../model/diagnostic.js";
import { HandoffError, UsageError } from "../model/errors.js";
import type { IndexEntry, StoreIndex } from "../model/store-index.js";
import type { TemplateOverrides } from "../render/templates.js";
import { INDEX_FILE, readIndexFile, renderIndex, type IndexFile } from "./index-file.js";
import { keepCopy } from "./keep-edited.js";
import { indexRebuilt, type StorePlace } from "./read-store.js";
import { rebuildIndex } from "./rebuild-index.js";
import { repairFolders } from "./repair-folders.js";
import { settlePacket } from "./settle-packet.js";
import { ensureStore } from "./store-folder.js";
import { withStoreLock, type LockOptions } from "./store-lock.js";

/** A store about to be changed. */
export interface ChangeOptions extends StorePlace {
  /** A project's own templates: packets whose status changes are rendered anew. */
  readonly templates?: TemplateOverrides;
  readonly lock?: LockOptions;
}

/** A file to be written along with the index. */
export interface NewFile {
  /** Relative to the store's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** A store while its lock is held. */
export interface StoreChange {
  /** Absolute real path of the store's root. */
  readonly out: string;
  /** The index as it stands; after a commit the new one. */
  readonly index: () => StoreIndex;
  /** Said to the caller in the end. */
  readonly diagnostics: Diagnostic[];
  /**
   * Writes files and swaps the index: all or nothing. Throws UsageError (exit 2); everything is then as before.
   * Writes nothing when there are no files and the index is the same.
   */
  readonly commit: (next: StoreIndex, files?: readonly NewFile[]) => Promise<void>;
  /** Names the folders about to be touched, so that the next writer knows where to look if this one dies. */
  readonly announce: (folders: readonly string[]) => Promise<void>;
  /** After a commit: brings entries' files up to date. What cannot be written is a diagnostic, the index counts. */
  readonly settle: (entries: readonly IndexEntry[]) => Promise<void>;
}

/** A sound index: the one on disk, or one made from the packets. */
interface SoundIndex {
  readonly index: StoreIndex;
  /** Bytes of index.json; null when there is none. */
  readonly text: string | null;
  readonly diagnostics: readonly Diagnostic[];
}

async function soundIndex(out: string, file: IndexFile): Promise<SoundIndex> {
  if (file.status === "index") return { index: file.index, text: file.text, diagnostics: [] };
  if (file.status === "unreadable" && /^E[A-Z]+$/u.test(file.reason))
    throw asReadError(file.reason, path.join(out, INDEX_FILE));
  if (file.status === "unreadable")
    throw new UsageError(
      "store.index_unreadable",
      `the store's index cannot be read: ${file.reason}`,
      "make it readable, or move it away: it is made anew from the packets",
      { path: path.join(out, INDEX_FILE) },
    );
  const { index, diagnostics, unreadable } = await rebuildIndex(out);
  // A packet left out now would be gone from the index for good.
  if (unreadable !== null) throw unreadable;
  if (file.status === "missing") {
    const said = index.packets.length === 0 ? [] : [indexRebuilt("it is missing", index.packets.length)];
    return { index, text: null, diagnostics: [...said, ...diagnostics] };
  }
  const kept: Diagnostic = {
    code: "store.index_kept",
    severity: "warn",
    artifact: "packet",
    source: { path: INDEX_FILE },
    args: { kept: await keepCopy(out, { folder: "", name: INDEX_FILE, ...file }) },
  };
  return {
    index,
    text: file.text,
    diagnostics: [indexRebuilt(file.reason, index.packets.length), kept, ...diagnostics],
  };
}

/** Stages all files, then puts them in place together. On failure nothing is left, not even folders made for them. */
async function writeTogether(
  out: string,
  files: readonly NewFile[],
  beforeCommit: () => Promise<void>,
): Promise<void> {
  const staged: StagedFile[] = [];
  const folders = new Set(files.map((file) => path.dirname(path.join(out, file.path))));
  try {
    for (const folder of folders) await ensureFolder(folder, { base: out });
    for (const file of files)
      staged.push(await stageFile(path.join(out, file.path), file.text, { base: out }));
    await beforeCommit();
    await commitTogether(staged);
  } catch (error) {
    for (const one of staged) await one.discard();
    for (const folder of folders) if (folder !== out) await rmdir(folder).catch(() => undefined);
    throw error;
  }
}

function unsettled(entry: IndexEntry, error: unknown): Diagnostic {
  if (!(error instanceof HandoffError)) throw error;
  return {
    code: "store.unsettled",
    severity: "warn",
    artifact: "packet",
    source: { path: `${entry.path}/handoff.json` },
    args: { packet_id: entry.packet_id, reason: error.message },
  };
}

/**
 * Runs `work` on a store under its lock. Makes the store's root if there is none.
 * Throws UsageError (exit 2) when the store cannot be locked, read or written.
 */
export async function changeStore<T>(
  { root, outDir, templates, lock = {} }: ChangeOptions,
  work: (change: StoreChange) => Promise<T>,
): Promise<T> {
  const out = await ensureStore(root, outDir);
  return withStoreLock(out, lock, async (held) => {
    const sound = await soundIndex(out, await readIndexFile(out));
    let { index, text } = sound;
    const diagnostics: Diagnostic[] = [...sound.diagnostics];
    const change: StoreChange = {
      out,
      diagnostics,
      index: () => index,
      announce: held.announce,
      commit: async (next, files = []) => {
        const rendered = renderIndex(next);
        const isSame = rendered === text;
        if (isSame && files.length === 0) return;
        const rows = isSame ? files : [...files, { path: INDEX_FILE, text: rendered }];
        await writeTogether(out, rows, held.assertHeld);
        index = next;
        text = rendered;
      },
      settle: async (entries) => {
        for (const entry of entries)
          try {
            diagnostics.push(...(await settlePacket(out, entry, templates)).diagnostics);
          } catch (error) {
            diagnostics.push(unsettled(entry, error));
          }
      },
    };
    // A store that nothing was ever published to gets its index with the first packet.
    if (text !== null || index.packets.length > 0) await change.commit(index);
    if (held.abandoned !== null) {
      const actions = await repairFolders(change, held.abandoned, templates);
      diagnostics.push(
        ...actions.map((detail): Diagnostic => ({
          code: "store.repaired",
          severity: "info",
          artifact: "packet",
          source: null,
          args: { detail },
        })),
      );
    }
    return work(change);
  });
}
