// Where a packet would go and what its files would hold: shared by publishing and by looking ahead without writing.
import type { GeneratedHandoff } from "../generate/generate-handoff.js";
import type { StoreIndex } from "../model/store-index.js";
import type { TemplateOverrides } from "../render/templates.js";
import { findFreeFolder } from "./free-folder.js";
import { hasLifecycle, withLifecycle } from "./lifecycle.js";
import { decidePlace, type Place } from "./plan-publication.js";
import { readStore, type StorePlace } from "./read-store.js";
import { sessionFolder, storePath } from "./store-folder.js";

/** The packet as it is to be published: active, following what the index says it follows. */
export function linkTo(
  { predecessor }: Place,
  generated: GeneratedHandoff,
  templates?: TemplateOverrides,
): GeneratedHandoff {
  const supersedes = predecessor?.packet_id ?? null;
  const life = { status: "active", supersedes, superseded_by: null } as const;
  return hasLifecycle(generated.packet, life) ? generated : withLifecycle(generated.packet, life, templates);
}

/**
 * The folder of the packet it replaces, which is thereby gone; else of the same content published before, unless that is
 * archived; else a free one.
 */
export async function chooseFolder(
  out: string,
  index: StoreIndex,
  { replaced, known }: Place,
  { packet }: GeneratedHandoff,
): Promise<string> {
  if (replaced !== null) return replaced.path;
  return known !== null && known.status !== "archived" ? known.path : findFreeFolder(out, index, packet);
}

/** What publishing would write, and in which folder below the store's root (absolute). Writes nothing. */
export async function previewPublication(
  place: StorePlace,
  generated: GeneratedHandoff,
  templates?: TemplateOverrides,
): Promise<GeneratedHandoff & { readonly dir: string }> {
  const { out, index } = await readStore(place);
  const decided = decidePlace(index, generated.packet);
  const linked = linkTo(decided, generated, templates);
  const folder =
    out === null
      ? sessionFolder(generated.packet.session_id)
      : await chooseFolder(out, index, decided, generated);
  return { ...linked, dir: `${out ?? storePath(place.root, place.outDir)}/${folder}` };
}
