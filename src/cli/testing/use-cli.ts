// For tests of the built command line: builds it once a file, hands out workbenches that are removed after each test.
import { createHash } from "node:crypto";
import { lstatSync, readFileSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { buildCli, runCli, type BuiltCli, type CliRun, type CliStart } from "./built-cli.js";
import { emptyFolder, sampleWorkbench } from "./sample-workbench.js";

/** Where the sample workbench's packet is written. */
export const SESSION = "outputs/handoff/s-2041";

/** The file's text. */
export function read(root: string, name: string): string {
  return readFileSync(path.join(root, name), "utf8");
}

/** The packet of a session's folder, parsed. */
export function packetIn(root: string, session = SESSION): Record<string, unknown> {
  const packet: Record<string, unknown> = JSON.parse(read(root, `${session}/handoff.json`));
  return packet;
}

/** Every file below a folder with its digest and identity, `.git` aside: equal trees mean that nothing was written. */
export function tree(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => !/^\.git(?:$|\/)/u.test(name) && lstatSync(path.join(folder, name)).isFile(),
  );
  return Object.fromEntries(
    files.sort().map((name) => {
      const file = path.join(folder, name);
      const digest = createHash("sha256").update(readFileSync(file)).digest("hex").slice(0, 12);
      return [name, `${digest} ${lstatSync(file).ino}`];
    }),
  );
}

/** Exit 2, nothing on stdout, the failure as the last problem on stderr with its hint, no stack trace. */
export function expectUsageError(result: CliRun, code: string, words: string): void {
  expect([result.code, result.stdout]).toEqual([2, ""]);
  expect(result.stderr).toMatch(
    new RegExp(`^(?:handoff: .*\\n(?:  .*\\n)?)*handoff: ${code}: .*\\n  .+\\n$`, "u"),
  );
  expect(result.stderr).toContain(words);
  expect(result.stderr).not.toMatch(/\n\s+at /u);
}

/** What {@link useCli} hands out. */
export interface CliBench {
  readonly cli: () => BuiltCli;
  /** A sample workbench. */
  readonly bench: () => string;
  /** An empty folder. */
  readonly folder: () => string;
  readonly run: (cwd: string, ...args: string[]) => Promise<CliRun>;
  readonly start: (args: readonly string[], how: CliStart) => Promise<CliRun>;
}

/** Call once at the top of a test file. */
export function useCli(): CliBench {
  let cli: BuiltCli | null = null;
  const made: string[] = [];
  const track = (folder: string): string => {
    made.push(folder);
    return folder;
  };
  const built = (): BuiltCli => {
    if (cli === null) throw new Error("not built yet");
    return cli;
  };
  beforeAll(() => {
    cli = buildCli();
  });
  afterAll(() => cli?.remove());
  afterEach(() => {
    for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  return {
    cli: built,
    bench: () => track(sampleWorkbench()),
    folder: () => track(emptyFolder()),
    run: (cwd, ...args) => runCli(built(), args, { cwd }),
    start: (args, how) => runCli(built(), args, how),
  };
}
