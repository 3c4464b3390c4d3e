// What changed between two packets, field by field. Pure: rows are matched by what makes them the same thing (an id, a
// path, a command and its exit), so that a moved row is no change.
import type { HandoffPacket } from "../model/packet.js";

/** One changed field. `added`, `removed` and `changed` are rows of a list; a plain field has `from` and `to`. */
export interface FieldDiff {
  readonly field: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly { readonly from: string; readonly to: string }[];
}

/** Fields in the order of handoff.json; what only a packet's life changes (status, links) is not content. */
const PLAIN: readonly (keyof HandoffPacket)[] = [
  "session_id",
  "task_id",
  "topic",
  "branch",
  "head_commit",
  "last_known_good_commit",
  "generated_at",
  "summary",
  "next_action",
  "doing",
];

interface Row {
  readonly key: string;
  readonly text: string;
}

/** Every list of a packet as rows: what makes a row the same one, and all of it that can change in words. */
const LISTS: Readonly<Record<string, (packet: HandoffPacket) => Row[]>> = {
  changed_files: (p) =>
    p.changed_files.map((f) => ({
      key: f.path,
      text: `${f.path}: ${f.change}${lines(f)}${f.committed ? ", committed" : ""}`,
    })),
  commands_run: (p) =>
    p.commands_run.map((c) => ({
      key: `${c.command}\n${c.exit_code}`,
      text: `${c.command}: ${exit(c.exit_code)}, ${c.count} times`,
    })),
  failed_attempts: (p) =>
    p.failed_attempts.map((a) => ({
      key: a.kind === "remainder" ? "remainder" : `${a.id}\n${a.exit_code}`,
      text: `${a.what}${a.kind === "command" ? `: ${exit(a.exit_code)}, ${a.count} times, ${a.resolved ? "resolved" : "unresolved"}` : ""}${because(a.why)}`,
    })),
  open_risks: (p) =>
    p.open_risks.map((r) => ({
      key: `${r.code}\n${r.detail}`,
      text: `${r.severity} ${r.code}: ${r.detail}`,
    })),
  decisions: (p) => p.decisions.map((d) => ({ key: d.id, text: `${d.what}${because(d.why)}` })),
  assumptions_to_validate: (p) => p.assumptions_to_validate.map((a) => ({ key: a.id, text: a.text })),
  questions_for_human: (p) => p.questions_for_human.map((q) => ({ key: q.id, text: q.text })),
  prerequisites: (p) =>
    p.prerequisites.map((f) => ({
      key: f.path,
      text: `${f.path} (${f.bytes} bytes, ${f.sha256.slice(0, 12)})`,
    })),
  scene: (p) => p.scene.map((path) => ({ key: path, text: path })),
  commits: (p) => p.commits.map(({ sha, subject }) => ({ key: sha, text: `${sha.slice(0, 12)} ${subject}` })),
  gaps: (p) =>
    p.gaps.map((g) => ({
      key: `${g.artifact}\n${g.code}\n${g.path}\n${g.detail}`,
      text: `${g.artifact}: ${g.detail}${g.path === null ? "" : ` (${g.path})`}`,
    })),
};

function lines({ insertions, deletions }: HandoffPacket["changed_files"][number]): string {
  return insertions === null || deletions === null ? "" : ` +${insertions} -${deletions}`;
}

function exit(code: number | null): string {
  return code === null ? "no exit status" : `exit ${code}`;
}

function because(why: string | null): string {
  return why === null || why === "" ? "" : ` (${why})`;
}

/** The verdicts, the log's counts and git's state: small objects, one row a leaf. */
function leaves(packet: HandoffPacket): ReadonlyMap<string, string> {
  const { verification, review } = packet.verdict_pointer;
  const { total, nonzero, skipped_lines } = packet.feedback;
  const rows: [string, string | number | boolean | null][] = [
    ...Object.entries(verification).map(([k, v]): [string, string | number | boolean | null] => [
      `verdict_pointer.verification.${k}`,
      v,
    ]),
    ...Object.entries(review).map(([k, v]): [string, string | number | boolean | null] => [
      `verdict_pointer.review.${k}`,
      v,
    ]),
    ...Object.entries({ total, nonzero, skipped_lines }).map(
      ([k, v]): [string, string | number | boolean | null] => [`feedback.${k}`, v],
    ),
    ...Object.entries(packet.git).map(([k, v]): [string, string | number | boolean | null] => [
      `git.${k}`,
      v,
    ]),
    ["degraded", packet.degraded === null ? null : `${packet.degraded.reason}: ${packet.degraded.detail}`],
  ];
  return new Map(rows.map(([field, value]) => [field, value === null ? "null" : String(value)]));
}

/** Rows by key; rows that share one are told apart by their number. */
function byKey(rows: readonly Row[]): Map<string, string> {
  const map = new Map<string, string>();
  for (const { key, text } of rows) {
    let unique = key;
    for (let n = 2; map.has(unique); n += 1) unique = `${key}\n#${n}`;
    map.set(unique, text);
  }
  return map;
}

const NO_ROWS = { added: [], removed: [], changed: [] } as const;

function plainDiff(field: string, from: string | null, to: string | null): FieldDiff[] {
  return from === to ? [] : [{ field, from, to, ...NO_ROWS }];
}

function listDiff(field: string, before: readonly Row[], after: readonly Row[]): FieldDiff[] {
  const [then, now] = [byKey(before), byKey(after)];
  const added = [...now].filter(([key]) => !then.has(key)).map(([, text]) => text);
  const removed = [...then].filter(([key]) => !now.has(key)).map(([, text]) => text);
  const changed = [...now].flatMap(([key, to]) => {
    const from = then.get(key);
    return from === undefined || from === to ? [] : [{ from, to }];
  });
  return added.length + removed.length + changed.length === 0
    ? []
    : [{ field, from: null, to: null, added, removed, changed }];
}

/** Everything that differs from `a` to `b`, in the order of handoff.json; nothing for packets with the same content. */
export function diffPackets(a: HandoffPacket, b: HandoffPacket): readonly FieldDiff[] {
  const [then, now] = [leaves(a), leaves(b)];
  return [
    ...PLAIN.flatMap((field) => plainDiff(field, textOf(a[field]), textOf(b[field]))),
    ...Object.entries(LISTS).flatMap(([field, rows]) => listDiff(field, rows(a), rows(b))),
    ...[...now].flatMap(([field, to]) => plainDiff(field, then.get(field) ?? null, to)),
  ];
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
