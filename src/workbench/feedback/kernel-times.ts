// The kernel keeps the largest time of each notation as digits; here they become milliseconds, by the same rule as any.
import type { Kernel } from "./kernel-memory.js";
import { readRecordTime } from "./record-time.js";
import type { LineReduction } from "./reduce-lines.js";

/** Hands the kernel's largest times to the reduction. */
export function noteKernelTimes(kernel: Kernel, reduction: LineReduction): void {
  const nanos = kernel.newest(0);
  if (nanos > 0n) {
    // The same decimal number as in the log, so the same double.
    const seconds = `${nanos / 1_000_000_000n}.${(nanos % 1_000_000_000n).toString().padStart(9, "0")}`;
    reduction.noteTime(readRecordTime(Number(seconds)));
  }
  if (kernel.newest(1) > 0n) reduction.noteTime(readRecordTime(Number(kernel.newest(1))));
  if (kernel.newest(2) > 0n) reduction.noteTime(readRecordTime(isoFromMixedRadix(kernel.newest(2))));
  kernel.clearNewest();
}

/** The inverse of the kernel's takeIso. */
function isoFromMixedRadix(value: bigint): string {
  let rest = value;
  const take = (radix: bigint, width: number): string => {
    const digit = rest % radix;
    rest /= radix;
    return digit.toString().padStart(width, "0");
  };
  const millis = take(1000n, 3);
  const [second, minute, hour] = [take(60n, 2), take(60n, 2), take(24n, 2)];
  const [day, month] = [take(32n, 2), take(13n, 2)];
  return `${rest.toString()}-${month}-${day}T${hour}:${minute}:${second}.${millis}Z`;
}
