// Calls of a transcript whose end is still to come, in the order they were made; a bounded number of them.

/** More calls than that never run side by side: the oldest were lost. */
const MAX_OPEN = 1000;

/** Calls by their id. */
export interface OpenCalls<T> {
  /** Notes a call, anew if it is known. Returns those that had to go to make room. */
  readonly open: (id: string, call: T) => readonly T[];
  /** Takes it out; null when it is not known. */
  readonly close: (id: string) => T | null;
  /** Takes those out that `isOver` names, oldest first. */
  readonly take: (isOver: (call: T) => boolean) => readonly T[];
}

/** An empty table. */
export function openCalls<T>(): OpenCalls<T> {
  const calls = new Map<string, T>();
  const take = (isOver: (call: T) => boolean): readonly T[] => {
    const over: T[] = [];
    for (const [id, call] of calls) {
      if (!isOver(call)) continue;
      calls.delete(id);
      over.push(call);
    }
    return over;
  };
  return {
    take,
    open: (id, call) => {
      calls.set(id, call);
      return take(() => calls.size > MAX_OPEN);
    },
    close: (id) => {
      const call = calls.get(id) ?? null;
      calls.delete(id);
      return call;
    },
  };
}
