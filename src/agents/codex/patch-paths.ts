// Which files a patch of Codex's apply_patch tool writes. Its grammar names each on a line of its own.

const FILE_LINE = /^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$/gmu;

/** The paths as the patch has them, relative to where it is applied; deleted and moved ones too, each once. */
export function patchPaths(patch: string): string[] {
  return [...new Set([...patch.matchAll(FILE_LINE)].map(([, file = ""]) => file.trim()))].filter(Boolean);
}
