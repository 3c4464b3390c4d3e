// Which paths are the workbench's own: artifacts at any of their places, `.handoff/`, the store. They never count as
// changed or dirty (P10), so that writing a packet does not make the tree look touched.
import type { LoadedAt } from "./artifacts/load-artifact.js";
import { ownPlaceMatcher, type Places } from "./artifacts/places.js";

/**
 * A predicate for paths relative to the root. A file at an artifact's place that turned out to be something else belongs
 * to the project, and its changes count.
 * @param outDir the store's root, relative to the root
 */
export function ownPaths(
  places: Places,
  loaded: readonly Pick<LoadedAt<unknown>, "considered" | "foreign">[],
  outDir: string,
): (file: string) => boolean {
  const foreign = new Set(loaded.flatMap((one) => one.foreign));
  const considered = new Set(loaded.flatMap((one) => one.considered).filter((file) => !foreign.has(file)));
  const isOwnPlace = ownPlaceMatcher(places);
  return (file) =>
    file === ".handoff" ||
    file.startsWith(".handoff/") ||
    file === outDir ||
    file.startsWith(`${outDir}/`) ||
    considered.has(file) ||
    (isOwnPlace(file) && !foreign.has(file));
}
