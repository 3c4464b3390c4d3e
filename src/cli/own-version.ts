// Which handoff this is.
import { readFileSync } from "node:fs";

/** The version in our package.json, two folders above in source and build alike. */
export function ownVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return /"version":\s*"([^"]+)"/u.exec(text)?.[1] ?? "unknown";
}
