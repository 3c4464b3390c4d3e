// Paths as artifacts spell them, made equal to git's spelling: relative to the root, forward slashes, no `./`.
import path from "node:path";
import { isInside } from "../../io/read-artifact-file.js";

/** A URL among the paths: its `//` is no doubled slash, and the password behind it has to be found later (S13). */
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:[\\/]{2}/u;

/**
 * `file` relative to the first of `roots` that holds it; a file outside them, or a relative path that climbs, and a
 * URL stay as written. Purely lexical: nothing is looked up on disk.
 */
export function relativePath(file: string, roots: readonly string[]): string {
  const native = path.sep === "\\" ? file.replaceAll("\\", "/") : file;
  if (path.isAbsolute(native)) {
    const root = roots.find((candidate) => isInside(path.normalize(native), candidate));
    if (root === undefined) return native;
    return path.relative(root, path.normalize(native)).split(path.sep).join("/") || ".";
  }
  if (SCHEME.test(native)) return native;
  const normal = path.posix.normalize(native);
  return normal === ".." || normal.startsWith("../") ? native : normal;
}
