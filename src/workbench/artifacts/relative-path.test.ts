// P9, S13: paths in git's spelling; a URL among them stays as written, for the password in it to be found.
import { describe, expect, it } from "vitest";
import { createRedactor } from "../../redact/create-redactor.js";
import { relativePath } from "./relative-path.js";

const ROOTS = ["/srv/app"];

describe("relativePath", () => {
  it.each([
    ["./a//b.ts", "a/b.ts"],
    ["/srv/app/a//b.ts", "a/b.ts"],
    ["/srv/app", "."],
    ["/etc/hosts", "/etc/hosts"],
    ["../x//y", "../x//y"],
    ["a/../../x", "a/../../x"],
    ["a:b//c", "a:b/c"],
  ])("P9: %s is %s", (file, expected) => {
    expect(relativePath(file, ROOTS)).toBe(expected);
  });

  const MARK = "[redacted:credential]";
  it.each([
    ["https://user:%s@host/x", `https://user:${MARK}@host/x`],
    ["git+ssh://user:%s@host//x/../y", `git+ssh://user:${MARK}@host//x/../y`],
    ["./https://user:%s@host/x", `https:/user:${MARK}@host/x`],
    ["notes/https://user:%s@host/x", `notes/https:/user:${MARK}@host/x`],
    ["/srv/app/https://user:%s@host/x", `https:/user:${MARK}@host/x`],
  ])("S13: the password of %s is found behind it", (file, expected) => {
    const secret = ["correct", "horse"].join("-");
    const path = relativePath(file.replace("%s", secret), ROOTS);
    expect(createRedactor().redactText(path).text).toBe(expected);
  });
});
