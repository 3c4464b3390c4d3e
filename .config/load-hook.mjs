// Loads the code of hooks with what V8 made of it when it was built: compiling takes longer than anything a hook does (A10).
// The build puts this into main.js. A cache of another Node, or a damaged one, is passed by; then it is compiled as ever.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import vm from "node:vm";

/** Modules of Node that take long to load and are not needed by every hook: loaded when one of their functions is. */
const LATE = new Set(["node:child_process", "node:crypto", "node:os", "node:zlib"]);

/** Beside each file, for the Node that built it. */
export function cacheFile(file) {
  return `${file}.${process.version}-${process.platform}-${process.arch}.cache`;
}

function readCache(file) {
  try {
    return readFileSync(cacheFile(file));
  } catch {
    return undefined;
  }
}

/**
 * A loader for the CommonJS files of one folder that name each other as `./name.cjs`. `scripts`: those it has loaded, by
 * their file, from which the build makes the caches.
 */
export function hookLoader(folder) {
  const scripts = new Map();
  const modules = new Map();
  const outer = createRequire(path.join(folder, "main.js"));
  const late = (id) => new Proxy({}, { get: (_, name) => outer(id)[name] });
  const load = (name) => {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const file = path.join(folder, name);
    const module = { exports: {} };
    modules.set(name, module);
    // ASCII, and a function already: nothing is decoded or copied.
    const script = new vm.Script(readFileSync(file, "latin1"), {
      filename: file,
      cachedData: readCache(file),
    });
    scripts.set(file, script);
    const require = (id) => (id.startsWith("./") ? load(id.slice(2)) : LATE.has(id) ? late(id) : outer(id));
    script.runInThisContext().call(module.exports, module.exports, require, module);
    return module.exports;
  };
  return { load, scripts };
}
