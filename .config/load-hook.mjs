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
 * A loader for CommonJS modules that name each other as `./name.cjs`, several to a file. `plan`: the file of each, by its
 * name, and the module behind which a turn's work is done. `isHook`: nothing is loaded into this process for longer than
 * one hook takes. `scripts`: those it has loaded, by their file, from which the build makes the caches.
 */
export function hookLoader(folder, { places, publishes }, isHook) {
  const scripts = new Map();
  const bodies = new Map();
  const modules = new Map();
  const outer = createRequire(path.join(folder, "main.js"));
  const late = (id) => new Proxy({}, { get: (_, name) => outer(id)[name] });
  const bodyOf = (name) => {
    const known = bodies.get(name);
    if (known !== undefined) return known;
    const file = path.join(folder, places[name] ?? name);
    // ASCII, and functions already: nothing is decoded or copied.
    const script = new vm.Script(readFileSync(file, "latin1"), {
      filename: file,
      cachedData: readCache(file),
    });
    scripts.set(file, script);
    for (const [one, body] of Object.entries(script.runInThisContext())) bodies.set(one, body);
    return bodies.get(name);
  };
  const run = (name) => {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    modules.set(name, module);
    const require = (id) => (id.startsWith("./") ? load(id.slice(2)) : LATE.has(id) ? late(id) : outer(id));
    bodyOf(name).call(module.exports, module.exports, require, module);
    return module.exports;
  };
  let depth = 0;
  let isSettled = !isHook;
  /** What makes code faster takes longer than the tenth of a second in which it could be of use. */
  const settle = () => {
    isSettled = true;
    // These come with caches that hold only for the flags that V8 started with.
    for (const id of LATE) outer(id);
    for (const flag of ["--no-opt", "--no-sparkplug", "--no-regexp-tier-up"])
      outer("node:v8").setFlagsFromString(flag);
  };
  const load = (name) => {
    depth += 1;
    const exports = run(name);
    depth -= 1;
    if (!isSettled && depth === 0 && bodies.has(publishes)) settle();
    return exports;
  };
  return { load, scripts };
}
