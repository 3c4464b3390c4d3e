// Publishes a packet (S1, S3): its two files in full, then the index swap, which makes it the active one of its branch and
// topic, then the files of the packet it follows. Same bytes write nothing (P34). What is not ours is never destroyed.
import path from "node:path";
import type { Diagnostic } from "../model/diagnostic.js";
import type { HandoffPacket } from "../model/packet.js";
import type { IndexEntry, StoreIndex } from "../model/store-index.js";
import type { GeneratedHandoff } from "../generate/generate-handoff.js";
import { sha256Hex } from "../text/digest.js";
import { changeStore, type ChangeOptions, type NewFile, type StoreChange } from "./change-store.js";
import { isEditedMarkdown } from "./edited-markdown.js";
import { keepEdited } from "./keep-edited.js";
import { mistrustIndex } from "./mistrust-index.js";
import { chooseFolder, linkTo } from "./place-packet.js";
import { changedEntries, decidePlace, planPublication, type Place } from "./plan-publication.js";
import type { PacketFile } from "./read-packet.js";
import { readNearest } from "./read-predecessor.js";
import { readStore } from "./read-store.js";
import { readTarget, type Target } from "./read-target.js";
import { removePacketFiles } from "./repair-folders.js";
import { entryFile } from "./select-packet.js";
import { withSettledDigests } from "./settle-packet.js";
import { sessionFolder } from "./store-folder.js";
import { isAbandoned } from "./store-lock.js";
import { assertPacketBytes } from "./validate-packet.js";

/** A packet and the exact bytes of its two files. */
export interface Publication extends ChangeOptions {
  readonly packet: HandoffPacket;
  readonly json: string;
  readonly markdown: string;
  /**
   * The packet it was generated against (null: none). When another one is to be followed by now, nothing is published and
   * the outcome is `moved`. Left out: it is published and linked to whatever it then follows.
   */
  readonly against?: string | null;
  /**
   * Asked with the lock held: false when something else that it was made from, and that only the store's writers change, is not
   * what it was. Nothing is published then and the outcome is `moved`.
   */
  readonly stillHolds?: (store: { readonly out: string; readonly index: StoreIndex }) => Promise<boolean>;
  /**
   * The digest of the Markdown that was rendered from a handoff.json, by that one's digest; null: not known. Where it is
   * known, the file on disk need not be rendered again to see whether somebody wrote into it.
   */
  readonly rendered?: (jsonSha256: string) => string | null;
  /**
   * Makes the packet anew against another predecessor (null: none, or one that cannot be read), quickly: it is called with
   * the lock held. With it the outcome is never `moved` on account of the predecessor.
   */
  readonly rebase?: (predecessor: HandoffPacket | null) => GeneratedHandoff;
}

/** What a publication did: the packet as published, its links are what the index says, and the bytes of its files. */
export interface Published extends GeneratedHandoff {
  readonly status: "published";
  /** Absolute real path of the folder with handoff.json and handoff.md. */
  readonly dir: string;
  /** False when everything was there already. */
  readonly changed: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Another session published meanwhile: generate again against this packet, so that its open items come along (P33); or what it
 * was made from is out of date.
 */
export interface Moved {
  readonly status: "moved";
  readonly predecessor: string | null;
  readonly diagnostics: readonly Diagnostic[];
}

function isEdited(found: PacketFile): found is Extract<PacketFile, { readonly text: string }> {
  return found.status === "invalid" || (found.status === "packet" && !found.id_matches);
}

/** The files that do not hold these very bytes yet, handoff.json last: until it is there the old packet stands. */
function filesToWrite(folder: string, target: Target, { json, markdown }: GeneratedHandoff): NewFile[] {
  const files: NewFile[] = [];
  if (target.markdown.status !== "read" || target.markdown.sha256 !== sha256Hex(markdown))
    files.push({ path: `${folder}/handoff.md`, text: markdown });
  if (!("sha256" in target.json) || target.json.sha256 !== sha256Hex(json))
    files.push({ path: `${folder}/handoff.json`, text: json });
  return files;
}

/** Keeps what somebody changed by hand and these files would replace. */
async function keepReplaced(
  out: string,
  folder: string,
  { json, markdown }: Target,
  files: readonly NewFile[],
  { templates, rendered }: Pick<Publication, "templates" | "rendered">,
): Promise<Diagnostic[]> {
  const kept: Diagnostic[] = [];
  if (files.length === 0) return kept;
  if (isEdited(json)) kept.push(await keepEdited(out, { folder, name: "handoff.json", ...json }));
  const isReplaced = files.some((file) => file.path.endsWith("/handoff.md"));
  const isKnown =
    markdown.status === "read" && "sha256" in json && rendered?.(json.sha256) === markdown.sha256;
  if (
    isReplaced &&
    markdown.status === "read" &&
    !isKnown &&
    isEditedMarkdown(json, markdown.text, templates)
  )
    kept.push(await keepEdited(out, { folder, name: "handoff.md", ...markdown }));
  return kept;
}

function bytesOf({ packet, json, markdown }: GeneratedHandoff): GeneratedHandoff {
  return { packet, json, markdown };
}

/**
 * Without the lock: everything is there already, byte for byte (P34). Most calls of a hook end here. A writer that died
 * between the index swap and its last step may have left older packets' files behind: then there is something to do.
 */
async function findUnchanged(publication: Publication): Promise<Published | null> {
  const { out, index, diagnostics } = await readStore(publication);
  if (out === null || diagnostics.length > 0 || (await isAbandoned(out))) return null;
  const place = decidePlace(index, publication.packet);
  const { known, replaced } = place;
  if (known === null || known !== replaced) return null;
  const generated = linkTo(place, publication, publication.templates);
  const target = await readTarget(out, index, known.path);
  if (filesToWrite(known.path, target, generated).length > 0) return null;
  const json_sha256 = sha256Hex(generated.json);
  if (planPublication(index, generated.packet, place, { path: known.path, json_sha256 }).index !== index)
    return null;
  const dir = path.dirname(entryFile(out, known, "handoff.json"));
  return { status: "published", dir, ...bytesOf(generated), changed: false, diagnostics: [] };
}

/** Folders that a publication touches. */
function touchedFolders(
  index: StoreIndex,
  entries: readonly (IndexEntry | null)[],
  folder: string,
): string[] {
  const ids = new Set(entries.flatMap((entry) => entry?.packet_id ?? []));
  const around = index.packets.filter(
    ({ packet_id, supersedes, superseded_by }) =>
      ids.has(packet_id) || ids.has(supersedes ?? "") || ids.has(superseded_by ?? ""),
  );
  return [...new Set([folder, ...around.map((entry) => entry.path)])];
}

/** True when a packet was generated against another one than it would follow now. */
function hasMoved(
  { against }: Pick<Publication, "against">,
  { known, replaced, predecessor }: Place,
): boolean {
  // Generated against itself: taken by somebody, and nothing has changed since.
  if (known !== null && known === replaced && against === known.packet_id) return false;
  return against !== undefined && against !== (predecessor?.packet_id ?? null);
}

/** The same for a caller that holds the store, and has seen that the packet validates. Throws as {@link publishPacket}. */
export async function publishLocked(
  change: StoreChange,
  publication: Omit<Publication, keyof ChangeOptions> & Pick<Publication, "templates">,
): Promise<Published | Moved> {
  const { out, diagnostics } = change;
  const decided = decidePlace(change.index(), publication.packet);
  const builtOn = [decided.known, decided.replaced, decided.predecessor];
  await mistrustIndex(change, builtOn, publication.templates);
  const before = change.index();
  let place = decidePlace(before, publication.packet);
  let made: GeneratedHandoff = publication;
  const { stillHolds } = publication;
  if (stillHolds !== undefined && !(await stillHolds({ out, index: before })))
    return { status: "moved", predecessor: place.predecessor?.packet_id ?? null, diagnostics };
  if (hasMoved(publication, place)) {
    if (publication.rebase === undefined)
      return { status: "moved", predecessor: place.predecessor?.packet_id ?? null, diagnostics };
    made = publication.rebase((await readNearest(out, before, place.predecessor)).packet);
    assertPacketBytes(made.json);
    place = decidePlace(before, made.packet);
  }
  const { known, replaced, predecessor } = place;
  const generated = linkTo(place, made, publication.templates);
  const folder = await chooseFolder(out, before, place, generated);
  const target = await readTarget(out, before, folder);
  const files = filesToWrite(folder, target, generated);
  const facts = { path: folder, json_sha256: sha256Hex(generated.json) };
  const planned = planPublication(before, generated.packet, place, facts);
  const changed = changedEntries(before, planned.index);
  const dir = path.join(out, ...folder.split("/"));
  const isSame = files.length === 0 && planned.index === before;
  if (!isSame) {
    await change.announce(touchedFolders(before, [known, replaced, predecessor], folder));
    diagnostics.push(...(await keepReplaced(out, folder, target, files, publication)));
    await change.commit(await withSettledDigests(out, planned.index, changed), files);
    const now = new Set(changed.map(({ packet_id }) => packet_id));
    await change.settle([
      ...change.index().packets.filter(({ packet_id }) => now.has(packet_id)),
      ...(planned.entry.consumed_by.length > 0 ? [planned.entry] : []),
    ]);
    // The same content's earlier place is a second copy now.
    if (known !== null && known.path !== folder)
      await removePacketFiles(out, known.path, false).catch(() => undefined);
  }
  return { status: "published", dir, ...bytesOf(generated), changed: !isSame, diagnostics };
}

/**
 * Publishes a packet and makes it the active one of its branch and topic. Idempotent.
 * Throws UsageError (exit 2) when a file cannot be written or is not ours: files and index are then as before;
 * a plain Error when the packet does not validate, which is a bug.
 */
export async function publishPacket(
  publication: Omit<Publication, "stillHolds"> &
    Required<Pick<Publication, "rebase">> & { readonly stillHolds?: never },
): Promise<Published>;
export async function publishPacket(
  publication: Publication & { readonly against: string | null },
): Promise<Published | Moved>;
export async function publishPacket(publication: Publication): Promise<Published>;
export async function publishPacket(publication: Publication): Promise<Published | Moved> {
  assertPacketBytes(publication.json);
  sessionFolder(publication.packet.session_id);
  return (
    (await findUnchanged(publication)) ??
    (await changeStore(publication, (change) => publishLocked(change, publication)))
  );
}
