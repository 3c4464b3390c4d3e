// Where the files of this package are: two folders above in source and build alike, the entry beside the bundle's parts.
import { fileURLToPath } from "node:url";

/** Absolute path of the command line's entry; in the source tree there is none. */
export function ownMain(): string {
  return fileURLToPath(new URL("main.js", import.meta.url));
}

/** Absolute path of the schema that every handoff.json follows. */
export function packetSchemaFile(): string {
  return fileURLToPath(new URL("../../schemas/handoff.schema.json", import.meta.url));
}
