// On real files: what is read, what is refused, and that nothing waits (S18, P7).
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeFifo } from "../../fixtures/artifacts/temp-bench.js";
import { sha256Hex } from "../text/digest.js";
import { isInside, MAX_ARTIFACT_BYTES, readArtifactFile } from "./read-artifact-file.js";

let base: string;
let root: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "handoff-read-")));
  root = path.join(base, "root");
  mkdirSync(path.join(root, "sub"), { recursive: true });
  writeFileSync(path.join(root, "a.json"), "{}\n");
  writeFileSync(path.join(base, "secret.json"), "{}\n");
});
afterEach(() => rmSync(base, { recursive: true }));

describe("P7 what is read", () => {
  test.each([
    ["plain", Buffer.from("{}\n"), "{}\n", 0],
    ["byte order mark", Buffer.from("\ufeff{}\n"), "{}\n", 0],
    ["CRLF", Buffer.from("{\r\n}\r\n"), "{\r\n}\r\n", 0],
    ["no final newline", Buffer.from("{}"), "{}", 0],
    ["empty", Buffer.alloc(0), "", 0],
    ["invalid UTF-8", Buffer.from([0x61, 0xff, 0x62, 0xc3]), "a\ufffdb\ufffd", 2],
    ["a replacement character of its own", Buffer.from("a\ufffdb"), "a\ufffdb", 0],
    ["both", Buffer.concat([Buffer.from("\ufffd"), Buffer.from([0xfe])]), "\ufffd\ufffd", 1],
    ["UTF-16 LE", Buffer.from([0xff, 0xfe, 0x7b, 0, 0x7d, 0]), "{}", 0],
    ["UTF-16 BE", Buffer.from([0xfe, 0xff, 0, 0x7b, 0, 0x7d]), "{}", 0],
  ])("P7 %s", async (_name, bytes, text, invalid_sequences) => {
    writeFileSync(path.join(root, "f"), bytes);
    expect(await readArtifactFile(root, "f")).toEqual({
      status: "read",
      text,
      sha256: sha256Hex(bytes),
      bytes: bytes.length,
      invalid_sequences,
    });
  });

  test("P7 a file of several blocks comes whole", async () => {
    const text = "äöü".repeat(700_000);
    writeFileSync(path.join(root, "f"), text);
    const read = await readArtifactFile(root, "f");
    expect(read.status === "read" && read.text === text && read.bytes === 4_200_000).toBe(true);
  });
});

describe("S18 what is refused", () => {
  const status = async (file: string): Promise<string> => (await readArtifactFile(root, file)).status;

  test("S18 nothing there", async () => {
    expect(await readArtifactFile(root, "none.json")).toEqual({ status: "missing" });
    expect(await readArtifactFile(root, "no/such/folder.json")).toEqual({ status: "missing" });
    expect(await readArtifactFile(root, "a.json/below")).toEqual({ status: "missing" });
  });

  test("S18 a folder", async () => {
    expect(await readArtifactFile(root, "sub")).toEqual({ status: "not_regular", kind: "folder" });
  });

  test("S18 a FIFO without a writer is refused at once", async () => {
    makeFifo(path.join(root, "pipe"));
    expect(await readArtifactFile(root, "pipe")).toEqual({ status: "not_regular", kind: "FIFO" });
    symlinkSync("pipe", path.join(root, "to-pipe"));
    expect(await readArtifactFile(root, "to-pipe")).toEqual({ status: "not_regular", kind: "FIFO" });
  });

  test("S18 a socket", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path.join(root, "s"), resolve));
    expect(await readArtifactFile(root, "s")).toEqual({ status: "not_regular", kind: "socket" });
    await new Promise((resolve) => server.close(resolve));
  });

  test("S18 a device, reached by a link, is outside", async () => {
    symlinkSync("/dev/zero", path.join(root, "zero"));
    expect(await status("zero")).toBe("outside_root");
    expect(await readArtifactFile(null, "/dev/zero")).toEqual({ status: "not_regular", kind: "device" });
  });

  test("S18 links: inside are followed, outside are not", async () => {
    symlinkSync("a.json", path.join(root, "inside"));
    symlinkSync(path.join(root, "a.json"), path.join(root, "inside-absolute"));
    symlinkSync("../secret.json", path.join(root, "outside"));
    symlinkSync("..", path.join(root, "up"));
    symlinkSync("inside-absolute", path.join(root, "chain"));
    expect(await status("inside")).toBe("read");
    expect(await status("inside-absolute")).toBe("read");
    expect(await status("chain")).toBe("read");
    expect(await status("outside")).toBe("outside_root");
    expect(await status("up/secret.json")).toBe("outside_root");
    expect(await status("up/root/a.json")).toBe("read");
    expect(await status("../secret.json")).toBe("outside_root");
  });

  test("S18 dangling and circular links", async () => {
    symlinkSync("gone", path.join(root, "dangling"));
    symlinkSync("loop", path.join(root, "loop"));
    expect(await readArtifactFile(root, "dangling")).toEqual({
      status: "unreadable",
      reason: "dangling link",
    });
    expect(await readArtifactFile(root, "loop")).toEqual({ status: "unreadable", reason: "ELOOP" });
  });

  test("S18 4 GiB are not read", async () => {
    writeFileSync(path.join(root, "big"), "");
    truncateSync(path.join(root, "big"), 4 * 1024 ** 3);
    expect(await readArtifactFile(root, "big")).toEqual({
      status: "too_large",
      bytes: 4 * 1024 ** 3,
      limit: MAX_ARTIFACT_BYTES,
    });
  });

  test("S18 the limit itself fits, a byte more does not", async () => {
    writeFileSync(path.join(root, "f"), "12345678");
    expect((await readArtifactFile(root, "f", 8)).status).toBe("read");
    expect(await readArtifactFile(root, "f", 7)).toEqual({ status: "too_large", bytes: 8, limit: 7 });
  });

  test("S18 files that say they have no bytes and have (procfs) are bounded too", async () => {
    expect((await readArtifactFile(null, "/proc/self/status", 8)).status).toBe("too_large");
  });

  test("S18 names no system takes", async () => {
    expect(await readArtifactFile(root, "a\0b")).toEqual({
      status: "unreadable",
      reason: "ERR_INVALID_ARG_VALUE",
    });
    expect(await readArtifactFile(root, "x".repeat(5000))).toEqual({
      status: "unreadable",
      reason: "ENAMETOOLONG",
    });
  });

  test("S18 no permission", async () => {
    chmodSync(base, 0o755);
    chmodSync(path.join(root, "a.json"), 0);
    const isRoot = process.geteuid?.() === 0;
    try {
      // Root may read anything: for this one look we are nobody.
      if (isRoot) process.seteuid?.(65_534);
      expect(await readArtifactFile(root, "a.json")).toEqual({ status: "unreadable", reason: "EACCES" });
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });
});

test("S18 a file that others make and remove all the time is read, or is not there", async () => {
  const file = path.join(root, "now-and-then.json");
  const script = `const fs = require("node:fs");
    for (;;) { fs.writeFileSync(${JSON.stringify(file)}, "{}"); fs.unlinkSync(${JSON.stringify(file)}); }`;
  const other = spawn(process.execPath, ["-e", script], { stdio: "ignore" });
  const gone = new Promise((resolve) => other.once("exit", resolve));
  try {
    const seen = new Set<string>();
    while (!seen.has("read")) seen.add((await readArtifactFile(root, file)).status);
    for (let count = 0; count < 20_000 || !seen.has("missing"); count += 1)
      seen.add((await readArtifactFile(root, file)).status);
    expect([...seen].toSorted()).toEqual(["missing", "read"]);
  } finally {
    other.kill("SIGKILL");
    await gone;
  }
});

test("isInside is about folders, not about prefixes", () => {
  expect(isInside("/a/b", "/a")).toBe(true);
  expect(isInside("/a", "/a")).toBe(true);
  expect(isInside("/ab", "/a")).toBe(false);
  expect(isInside("/a/..b", "/a")).toBe(true);
  expect(isInside("/", "/a")).toBe(false);
});
