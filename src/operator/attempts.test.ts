// Attempts in trees of their own (O6), their finalization (O7), and what a later start makes of one that was killed (O9): real
// repositories, real worktrees, real processes killed at every write.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildChild, type BuiltChild } from "../store/testing/build-child.js";
import {
  makeRepository,
  openRepository,
  temporaryFolder,
  TEST_ENV,
  type TestRepository,
} from "../workbench/git/test-repository.js";
import { readAttempts, writeAttempt } from "./attempt-files.js";
import { FINALIZE_STEPS, type AttemptRecord } from "./attempt-record.js";
import { endWords } from "./take-over-words.js";
import { finalizeAttempt } from "./finalize-attempt.js";
import { leftAttempts } from "./left-attempts.js";
import { openScene, type AttemptScene, RUN, SESSION } from "./testing/attempt-scene.js";
import type { AttemptJob } from "./testing/attempt-child.js";

const BRANCH = `handoff/${RUN}/1`;
const ENV = Object.fromEntries(Object.entries(TEST_ENV).map(([name, value]) => [name, value ?? ""]));

interface Place {
  readonly repository: TestRepository;
  readonly aside: string;
  readonly head: string;
  /** What git says of the main tree, its stash and its index. */
  readonly mainFacts: () => string;
  readonly scene: () => Promise<AttemptScene>;
}

/** Made once: a repository whose person has a staged, an unstaged and a new file, and something stashed. */
const made = mkdtempSync(path.join(tmpdir(), "handoff-attempts-"));
beforeAll(() => {
  const repository = makeRepository(made);
  repository.write("README", "a project\n");
  repository.write("mine.txt", "mine\n");
  repository.write(".gitignore", "*.log\n/outputs/\n");
  repository.commit("Start");
  repository.write("mine.txt", "stashed\n");
  repository.git("stash", "push", "--quiet");
  repository.write("mine.txt", "staged\n");
  repository.git("add", "mine.txt");
  repository.write("mine.txt", "staged, and more\n");
  repository.write("untracked.txt", "the person's\n");
});
afterAll(() => rmSync(made, { recursive: true, force: true }));

/** Such a repository. */
function usePlace(): Place {
  const root = temporaryFolder();
  cpSync(made, root, { recursive: true });
  const repository = openRepository(root);
  const aside = temporaryFolder();
  const head = repository.git("rev-parse", "HEAD");
  const mainFacts = (): string =>
    ["status --porcelain --branch", "stash list", "diff", "diff --cached", "rev-parse HEAD"]
      .map((args) => repository.git(...args.split(" ")))
      .join("\n--\n");
  return { repository, aside, head, mainFacts, scene: () => openScene(repository.root, aside, ENV) };
}

const show = ({ repository }: Place, file: string, branch = BRANCH): string =>
  repository.git("show", `${branch}:${file}`);
const filesOf = ({ repository }: Place, branch = BRANCH): string[] =>
  repository.git("ls-tree", "-r", "--name-only", branch).split("\n");

async function runOnce(scene: AttemptScene, note: "usable" | "unusable" = "usable"): Promise<AttemptRecord> {
  const record = await scene.work(await scene.begin(), note);
  return finalizeAttempt(record, await scene.portsOf(record));
}

describe("O6 a tree and a branch of its own", () => {
  test("O6 the main tree sees nothing of it, the branch has all of the work and none of what is ignored or handoff's own", async () => {
    const place = usePlace();
    const before = place.mainFacts();
    const scene = await place.scene();
    const begun = await scene.begin();
    expect(begun.record).toMatchObject({ branch: BRANCH, base_commit: place.head, attempt: 1 });
    expect(place.mainFacts()).toBe(before);
    const record = await scene.work(begun);
    const after = await finalizeAttempt(record, await scene.portsOf(record));
    expect(place.mainFacts()).toBe(before);
    expect(after).toMatchObject({ held: null, verdict: { state: "completed" }, packet_valid: true });
    expect(after.done.map(({ step }) => step)).toEqual(FINALIZE_STEPS);
    expect(filesOf(place)).toEqual([".gitignore", "README", "mine.txt", "src/new.txt"]);
    expect(show(place, "README")).toBe("changed by the agent");
    expect(show(place, "mine.txt")).toBe("mine");
    expect(place.repository.git("rev-parse", `${BRANCH}^`)).toBe(place.head);
    expect(existsSync(begun.root)).toBe(false);
    expect(place.repository.git("worktree", "list", "--porcelain")).not.toContain("worktrees");
  });

  test("O6 the packet is in the main store, speaks of the checkpoint, and says how to take the branch over", async () => {
    const place = usePlace();
    const after = await runOnce(await place.scene());
    const { root } = place.repository;
    const file = path.join(root, after.packet?.path ?? "");
    expect(after.packet?.path).toBe(`outputs/handoff/${SESSION}/handoff.json`);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
      branch: BRANCH,
      head_commit: after.checkpoint,
      handoff_reason: "operator_request",
      git: { dirty: false },
    });
    expect(readFileSync(file.replace(".json", ".md"), "utf8")).toContain(`git switch ${BRANCH}`);
    expect(endWords(after)).toContain(`git merge ${BRANCH}`);
    // What was recorded of the session is the workbench's now.
    expect(existsSync(path.join(root, ".handoff/sessions", SESSION, "agent_state.json"))).toBe(true);
    place.repository.git("stash", "push", "--include-untracked", "--quiet");
    place.repository.git("switch", "--quiet", BRANCH);
    expect(readFileSync(path.join(root, "src/new.txt"), "utf8")).toBe("half done\n");
  });

  test("O6 hooks of the repository do not run, and an identity of our own is used only where there is none", async () => {
    const place = usePlace();
    const hooks = path.join(place.repository.root, ".git/hooks");
    mkdirSync(hooks, { recursive: true });
    for (const name of ["pre-commit", "commit-msg", "post-checkout", "reference-transaction"])
      writeFileSync(path.join(hooks, name), `#!/bin/sh\ntouch "${place.aside}/hook-ran"\nexit 1\n`, {
        mode: 0o755,
      });
    await runOnce(await place.scene());
    expect(existsSync(path.join(place.aside, "hook-ran"))).toBe(false);
    expect(place.repository.git("log", "-1", "--format=%an %ae", BRANCH)).toBe("handoff handoff@localhost");

    const named = usePlace();
    named.repository.git("config", "user.name", "Ada");
    named.repository.git("config", "user.email", "ada@example.org");
    await runOnce(await named.scene());
    expect(named.repository.git("log", "-1", "--format=%an %ae", BRANCH)).toBe("Ada ada@example.org");
  });

  test("O6 an agent that left HEAD elsewhere, in the middle of a merge, has lost nothing", async () => {
    const place = usePlace();
    const scene = await place.scene();
    const begun = await scene.begin();
    const inTree = openRepository(begun.root);
    inTree.git("switch", "--quiet", "-c", "agents-own");
    inTree.write("README", "one side\n");
    inTree.commit("One side");
    inTree.git("switch", "--quiet", "-c", "other", place.head);
    inTree.write("README", "other side\n");
    const other = inTree.commit("Other side");
    inTree.tryGit("merge", "agents-own");
    expect(inTree.git("ls-files", "--unmerged")).not.toBe("");
    const record = await scene.work(begun);
    const after = await finalizeAttempt(record, await scene.portsOf(record));
    expect(after.verdict?.state).toBe("completed");
    expect(show(place, "src/new.txt")).toBe("half done");
    expect(place.repository.git("merge-base", BRANCH, other)).toBe(other);
  });

  test("O6 the next start goes on from what the one before it left, on a branch of its own", async () => {
    const place = usePlace();
    const scene = await place.scene();
    const first = await runOnce(scene);
    const second = await scene.begin();
    expect(second.record).toMatchObject({
      attempt: 2,
      branch: `handoff/${RUN}/2`,
      base_commit: first.checkpoint,
    });
    expect(readFileSync(path.join(second.root, "src/new.txt"), "utf8")).toBe("half done\n");
    expect(existsSync(path.join(second.root, ".handoff/sessions", SESSION, "agent_state.json"))).toBe(true);
  });

  test("O6 a workbench below the repository's top works in the same folder of the tree", async () => {
    const { repository, aside } = usePlace();
    repository.write("part/README", "a part\n");
    repository.commit("Part");
    const root = path.join(repository.root, "part");
    mkdirSync(path.join(root, ".handoff"));
    const scene = await openScene(root, aside, ENV);
    const begun = await scene.begin();
    expect(begun.root).toBe(path.join(root, ".handoff/worktrees", RUN, "part"));
    const record = await scene.work(begun);
    const after = await finalizeAttempt(record, await scene.portsOf(record));
    expect(after.verdict?.state).toBe("completed");
    expect(repository.git("show", `${BRANCH}:part/src/new.txt`)).toBe("half done");
    expect(repository.git("status", "--porcelain", "--", "part/.handoff")).toBe("");
    expect(existsSync(path.join(root, after.packet?.path ?? ""))).toBe(true);
  });

  test("O6 other worktrees of the person are not looked at, even where their folder is away", async () => {
    const place = usePlace();
    const away = path.join(place.aside, "on-a-disk");
    place.repository.git("worktree", "add", "--quiet", away);
    renameSync(away, `${away}-unplugged`);
    await runOnce(await place.scene());
    expect(place.repository.git("worktree", "list")).toContain("on-a-disk");
  });

  test("O6 a branch of that name that is somebody's is not moved", async () => {
    const place = usePlace();
    place.repository.git("branch", BRANCH);
    place.repository.git("update-ref", `refs/heads/${BRANCH}`, place.head);
    const scene = await place.scene();
    await expect(scene.begin()).rejects.toMatchObject({ code: "attempt.git" });
    expect(place.repository.git("rev-parse", BRANCH)).toBe(place.head);
    await scene.reconcile();
    expect((await scene.begin()).record.branch).toBe(`handoff/${RUN}/2`);
  });

  test("O6 without a commit to start from it is refused", async () => {
    const bare = makeRepository();
    const scene = await openScene(bare.root, temporaryFolder(), ENV);
    await expect(scene.begin()).rejects.toMatchObject({ code: "attempt.no_commit" });
  });
});

describe("O7 a step that fails holds", () => {
  test("O7 a note that cannot be used: nothing is released, and the reason names the attempt", async () => {
    const place = usePlace();
    const scene = await place.scene();
    const after = await runOnce(scene, "unusable");
    expect(after.held).toMatchObject({ step: "validate" });
    expect(after.held?.reason).toContain(`attempt 1 of ${RUN}`);
    expect(after.done.map(({ step }) => step)).toEqual(["checkpoint", "validate", "ledger", "complete"]);
    expect(after.verdict).toMatchObject({ state: "not_fulfilled", reason: "packet_invalid" });
    expect(existsSync(path.join(after.tree ?? "", "src/new.txt"))).toBe(true);
    expect(place.repository.git("worktree", "list", "--porcelain")).toContain("locked");
    expect(show(place, "src/new.txt")).toBe("half done");
    expect(endWords(after)).toContain(BRANCH);
    expect(await leftAttempts(scene.main)).toEqual([
      {
        run_id: RUN,
        attempt: 1,
        branch: BRANCH,
        tree: after.tree,
        what: after.held?.reason,
        hint: expect.stringContaining(`git worktree remove -f -f ${after.tree}`),
      },
    ]);
    const hintOf = async (): Promise<string> => (await leftAttempts(scene.main))[0]?.hint ?? "";
    expect(await hintOf()).toContain(`handoff run --resume ${RUN} goes on there`);
    await writeAttempt(scene.main, {
      ...after,
      outcome: { rule: "done", handoff: false, session: SESSION },
    });
    expect(await hintOf()).not.toContain("--resume");
    await writeAttempt(scene.main, after);
    // A later start changes nothing about it, and goes on in its tree.
    const before = JSON.stringify(await readAttempts(scene.main, RUN));
    await scene.reconcile();
    expect(JSON.stringify(await readAttempts(scene.main, RUN))).toBe(before);
    const next = await scene.begin();
    expect(next.record.base_commit).toBe(after.checkpoint);
    expect(openRepository(next.root).git("symbolic-ref", "HEAD")).toBe(`refs/heads/handoff/${RUN}/2`);
    expect(openRepository(next.root).git("status", "--porcelain")).toBe("");
  });

  test("O7 what was written after the checkpoint is not cleaned away", async () => {
    const place = usePlace();
    const scene = await place.scene();
    const record = await scene.work(await scene.begin());
    const ports = await scene.portsOf(record);
    const late = path.join(record.tree ?? "", "late.txt");
    const after = await finalizeAttempt(record, {
      ...ports,
      publish: async (now) => {
        const packet = await ports.publish(now);
        writeFileSync(late, "too late\n");
        return packet;
      },
    });
    expect(after).toMatchObject({
      held: { step: "hold_check" },
      verdict: { state: "not_fulfilled", reason: "held" },
    });
    expect(readFileSync(late, "utf8")).toBe("too late\n");
  });

  test("O7 a repository inside the tree is no file of the branch: the tree stays", async () => {
    const place = usePlace();
    const scene = await place.scene();
    const begun = await scene.begin();
    makeRepository(path.join(begun.root, "vendored")).commit("Inner");
    const record = await scene.work(begun);
    const after = await finalizeAttempt(record, await scene.portsOf(record));
    expect(after.held).toMatchObject({ step: "hold_check" });
    expect(after.held?.reason).toContain("vendored");
    expect(existsSync(path.join(begun.root, "vendored/.git"))).toBe(true);
  });

  test("O7, O9 a later start, or one that was killed before it was ready, does not clean away what was held", async () => {
    const place = usePlace();
    const scene = await place.scene();
    const begun = await scene.begin();
    const inner = path.join(begun.root, "vendored");
    makeRepository(inner).commit("Inner");
    const first = await scene.work(begun);
    await finalizeAttempt(first, await scene.portsOf(first));
    const second = await scene.begin();
    expect(second.record).toMatchObject({ attempt: 2, takes_over: true });
    await writeAttempt(scene.main, { ...second.record, ready_at: null });
    await scene.reconcile();
    expect(existsSync(path.join(inner, ".git"))).toBe(true);
    const third = await scene.work(await scene.begin());
    const after = await finalizeAttempt(third, await scene.portsOf(third));
    expect(after).toMatchObject({ attempt: 3, held: { step: "hold_check" } });
    expect(existsSync(path.join(inner, ".git"))).toBe(true);
  });

  test("O7 after clean-up nothing looks into the tree again: the packet's file may even be gone by then", async () => {
    const place = usePlace();
    const scene = await place.scene();
    const record = await scene.work(await scene.begin());
    const ports = await scene.portsOf(record);
    const after = await finalizeAttempt(record, {
      ...ports,
      cleanUp: async (now) => {
        await ports.cleanUp(now);
        rmSync(path.join(place.repository.root, ".handoff/sessions"), { recursive: true, force: true });
      },
    });
    expect(after.verdict?.state).toBe("completed");
  });
});

describe("O9 a tree that was never whole", () => {
  test("O9 half a checkout is no work: it is removed, and the next start begins from HEAD", async () => {
    const place = usePlace();
    const scene = await place.scene();
    const { record, root } = await scene.begin();
    await writeAttempt(scene.main, { ...record, ready_at: null });
    rmSync(path.join(root, "README"));
    const [found] = await scene.reconcile();
    expect(found?.record).toMatchObject({
      held: null,
      checkpoint: place.head,
      verdict: { state: "not_fulfilled" },
    });
    expect(existsSync(root)).toBe(false);
    const next = await scene.begin();
    expect(next.record).toMatchObject({ attempt: 2, base_commit: place.head });
    expect(readFileSync(path.join(next.root, "README"), "utf8")).toBe("a project\n");
  });

  test("O9 a tree that lost its .git is kept as it is", async () => {
    const place = usePlace();
    const scene = await place.scene();
    const begun = await scene.begin();
    await scene.work(begun);
    rmSync(path.join(begun.root, ".git"));
    const mainBefore = place.mainFacts();
    const [found] = await scene.reconcile();
    expect(found?.record.held).toMatchObject({ step: "checkpoint" });
    expect(readFileSync(path.join(begun.root, "src/new.txt"), "utf8")).toBe("half done\n");
    expect(place.mainFacts()).toBe(mainBefore);
    expect(place.repository.git("rev-parse", BRANCH)).toBe(place.head);
  });
});

describe("O9 killed at every write", () => {
  let child: BuiltChild;
  beforeAll(async () => {
    child = await buildChild(path.join(import.meta.dirname, "testing/attempt-child.ts"));
  });
  afterAll(() => rmSync(child.folder, { recursive: true, force: true }));

  const start = ({ repository, aside }: Place, killAt: string): ReturnType<typeof spawnSync> => {
    const job: AttemptJob = { root: repository.root, aside, env: ENV, killAt };
    return spawnSync(process.execPath, [child.main, JSON.stringify(job)], { env: ENV, encoding: "utf8" });
  };
  // The record as it stands after the work, then begun and through for each step.
  const writes = 1 + 2 * FINALIZE_STEPS.length;
  /** From here on the verdict is on record. */
  const committed = 1 + 2 * FINALIZE_STEPS.indexOf("ledger") + 2;
  /** Odd ones say that something is through, even ones that something begins: between the two nothing is done. */
  const points = [
    "begun",
    "work",
    ...Array.from({ length: writes }, (_, i) => i + 1).flatMap((write) =>
      write === 1 || write % 2 === 0 ? [`after ${write}`] : [`before ${write}`, `after ${write}`],
    ),
  ];

  test("O9 a start that nobody kills writes so often", () => {
    const ran = start(usePlace(), "never");
    expect(ran.stderr).toBe("");
    expect(ran.stdout).toBe(`${writes}\n`);
  });

  test.each(points)(
    "O9 killed %s: the work is on the branch, the request ends once, a second start changes nothing",
    async (point) => {
      const place = usePlace();
      const mainBefore = place.mainFacts();
      expect(start(place, point).signal).toBe("SIGKILL");
      const scene = await place.scene();
      const at = Number(point.split(" ")[1] ?? 0);
      const isCommitted = at > committed || (at === committed && point.startsWith("after"));

      const [found] = await scene.reconcile();
      expect(found?.record.held).toBeNull();
      expect(found?.record.finalized_at).not.toBeNull();
      const { states, reason } = scene.request();
      const end = isCommitted ? "completed" : "not_fulfilled";
      expect(states).toEqual(["accepted", "delivered", "begun", end]);
      expect(reason).toBe(isCommitted ? null : "crashed");
      const kept = point === "begun" ? ["a project"] : ["changed by the agent", "half done"];
      expect(
        ["README", "src/new.txt"]
          .filter((file) => filesOf(place).includes(file))
          .map((file) => show(place, file)),
      ).toEqual(kept);
      expect(existsSync(found?.record.tree ?? "/")).toBe(false);
      expect(place.mainFacts()).toBe(mainBefore);

      const after = JSON.stringify([await readAttempts(scene.main, RUN), scene.request()]);
      const again = await scene.reconcile();
      expect(again.map(({ changed }) => changed)).toEqual([false]);
      expect(JSON.stringify([await readAttempts(scene.main, RUN), scene.request()])).toBe(after);
    },
  );
});
