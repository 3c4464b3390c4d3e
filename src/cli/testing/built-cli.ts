// For tests: builds the command line into a package folder of its own, as an installation would have it, and runs it there.
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const PROJECT = path.join(import.meta.dirname, "../../..");

/** A built command line. */
export interface BuiltCli {
  /** Folder that holds package.json, schemas, templates and dist. */
  readonly folder: string;
  readonly main: string;
  readonly remove: () => void;
}

/** Builds it; takes about a second. */
export function buildCli(): BuiltCli {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "handoff-package-")));
  // Another user may run it too, as with an installation.
  chmodSync(folder, 0o755);
  for (const name of ["package.json", "schemas", "templates"]) {
    const from = path.join(PROJECT, name);
    if (existsSync(from)) cpSync(from, path.join(folder, name), { recursive: true });
  }
  const build = path.join(PROJECT, ".config/build.mjs");
  execFileSync(process.execPath, [build, "--cli", path.join(folder, "dist")], { stdio: "pipe" });
  return {
    folder,
    main: path.join(folder, "dist/cli/main.js"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** How a run ended. */
export interface CliRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a run starts from; nothing of the environment of the tests gets in. */
export interface CliStart {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
}

/** The environment of a run: a path, an empty home, no CI. */
export function plainEnvironment(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: "/nonexistent",
    GIT_CONFIG_NOSYSTEM: "1",
    TZ: "UTC",
    ...extra,
  };
}

/** Runs the command line to its end. */
export function runCli({ main }: BuiltCli, args: readonly string[], start: CliStart): Promise<CliRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, ...args], {
      cwd: start.cwd,
      env: plainEnvironment(start.env),
      stdio: ["ignore", "pipe", "pipe"],
      ...(start.uid === undefined ? {} : { uid: start.uid, gid: start.uid }),
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    child.on("error", reject);
    child.on("close", (code) =>
      resolve({ code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }),
    );
  });
}
