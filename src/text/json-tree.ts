// Where every value of a JSON text stands, so that a text can be changed by splicing: what is not touched keeps its bytes
// (A1). Pure; never recurses into the input.

/** One member of an object or item of an array. */
export interface JsonChild {
  /** The member's name, unescaped; null for an item. Names may repeat: the last one counts for most readers. */
  readonly key: string | null;
  /** Index of the name's opening quote, or of the item itself. */
  readonly start: number;
  readonly value: JsonNode;
}

/** A value: `text.slice(start, end)` is its spelling. */
export interface JsonNode {
  readonly kind: "object" | "array" | "scalar";
  readonly start: number;
  readonly end: number;
  readonly children: readonly JsonChild[];
}

interface Open {
  readonly kind: "object" | "array";
  readonly start: number;
  readonly children: JsonChild[];
  name: { readonly key: string; readonly start: number } | null;
}

const STRING = /"(?:[^"\\]|\\.)*"/sy;
const OTHER_SCALAR = /[^\s,\]}]+/y;

function endOf(token: RegExp, text: string, at: number): number {
  token.lastIndex = at;
  return token.test(text) ? token.lastIndex : text.length;
}

/** The root value of a valid JSON text. What is neither value nor structure (a byte order mark) is passed over. */
export function readJsonTree(text: string): JsonNode {
  const stack: Open[] = [];
  let root: JsonNode = { kind: "scalar", start: text.length, end: text.length, children: [] };
  const add = (value: JsonNode): void => {
    const parent = stack.at(-1);
    if (parent === undefined) root = value;
    else {
      parent.children.push({
        key: parent.name?.key ?? null,
        start: parent.name?.start ?? value.start,
        value,
      });
      parent.name = null;
    }
  };
  for (let at = 0; at < text.length;) {
    const c = text.charAt(at);
    const parent = stack.at(-1);
    if (c === "{" || c === "[") {
      stack.push({ kind: c === "{" ? "object" : "array", start: at, children: [], name: null });
      at += 1;
    } else if ((c === "}" || c === "]") && parent !== undefined) {
      stack.pop();
      at += 1;
      add({ kind: parent.kind, start: parent.start, end: at, children: parent.children });
    } else if (c === '"') {
      const end = endOf(STRING, text, at);
      if (parent?.kind === "object" && parent.name === null) {
        const key: unknown = JSON.parse(text.slice(at, end));
        parent.name = { key: String(key), start: at };
      } else add({ kind: "scalar", start: at, end, children: [] });
      at = end;
    } else if (/[-0-9a-zA-Z]/u.test(c)) {
      const end = endOf(OTHER_SCALAR, text, at);
      add({ kind: "scalar", start: at, end, children: [] });
      at = end;
    } else at += 1;
  }
  return root;
}

/** The member that counts: the last of its name. */
export function memberOf(node: JsonNode | undefined, key: string): JsonNode | undefined {
  return node?.kind === "object" ? node.children.findLast((child) => child.key === key)?.value : undefined;
}
