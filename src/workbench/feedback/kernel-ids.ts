// Command ids in the kernel's table (P14): the newest 1,048,576 are remembered. Ids of up to 15 bytes are compared as they
// are, longer ones by 120 bits of hash; the first repeated id past that bound would be taken for a new one.
import { createHash } from "node:crypto";
import type { Kernel } from "./kernel-memory.js";
import type { SeenIds } from "./recent-ids.js";

/** Longest id that the kernel reads itself, in bytes. */
const LONGEST = 256;

export class KernelIds implements SeenIds {
  constructor(readonly kernel: Kernel) {}

  seen(id: string | number): boolean {
    return this.kernel.seenId(this.kernel.scratchAt, this.#write(id)) !== 0;
  }

  /** Puts the id's bytes where the kernel finds them: UTF-8, or marked by a byte that UTF-8 never has. */
  #write(id: string | number): number {
    const { scratch } = this.kernel;
    if (typeof id === "number") {
      scratch[0] = 0xfd;
      return 1 + scratch.write(String(id), 1, "latin1");
    }
    const wellFormed = id.isWellFormed();
    if (wellFormed && id.length <= LONGEST) {
      const length = scratch.write(id, 0, "utf8");
      if (length <= LONGEST) return length;
    }
    scratch[0] = wellFormed ? 0xfe : 0xff;
    return 1 + createHash("sha256").update(id, "utf16le").digest().copy(scratch, 1);
  }
}
