// Files that an agent gets whole, as they lie in templates/. Here, two folders below the package root, and not in an agent's
// own folder: the built command line lies as deep.
import { readFileSync } from "node:fs";

const FOLDER = new URL("../../templates/", import.meta.url);

/** The text of a template, by its name below templates/. Throws what the system throws: an installation without it is broken. */
export function readOwnTemplate(name: string): string {
  return readFileSync(new URL(name, FOLDER), "utf8");
}
