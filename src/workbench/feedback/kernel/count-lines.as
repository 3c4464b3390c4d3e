// Counts the lines that were walked, in order (P14).
// Walked lines wait in a queue for their turn to be counted: the ids' cache lines are then all asked for at once, since
// waiting for one after the other would cost more than everything else.
const QUEUE_LENGTH: i32 = 64;
const Q_BYTES: usize = 64;
const Q_LOW: usize = 0;
const Q_HIGH: usize = 8;
const Q_TIME: usize = 16;
const Q_TIME_KIND: usize = 24;
const Q_HAS_ID: usize = 28;
const Q_FROM: usize = 32;
const Q_TO: usize = 36;
const Q_LINE: usize = 40;
const Q_HASH: usize = 48;
let queued: i32 = 0;

// @ts-ignore: decorator
@inline
function enqueue(): void {
  const at = QUEUE + <usize>queued * Q_BYTES;
  store<u64>(at, idLow, Q_LOW);
  store<u64>(at, idHigh, Q_HIGH);
  store<u64>(at, timeValue, Q_TIME);
  store<u64>(at, idHash, Q_HASH);
  store<i32>(at, timeKind, Q_TIME_KIND);
  store<i32>(at, <i32>hasId, Q_HAS_ID);
  store<u32>(at, <u32>lineFrom, Q_FROM);
  store<u32>(at, <u32>lineTo, Q_TO);
  store<f64>(at, load<f64>(LINES), Q_LINE);
  queued += 1;
}

/** Counts one queued line. False: its command_id was there before, so it counts for nothing. */
function count(at: usize): bool {
  if (load<i32>(at, Q_HAS_ID) != 0 && noteId(load<u64>(at, Q_HASH), load<u64>(at, Q_LOW), load<u64>(at, Q_HIGH))) return false;
  const kind = load<i32>(at, Q_TIME_KIND);
  if (kind != 0) {
    const newest = NEWEST_SECONDS + (<usize>(kind - 1) << 3);
    if (load<u64>(at, Q_TIME) > load<u64>(newest)) store<u64>(newest, load<u64>(at, Q_TIME));
  }
  store<f64>(RECORDS, load<f64>(RECORDS) + 1);
  const pushed = load<f64>(TAIL);
  store<f64>(TAIL, pushed + 1);
  const cell = TAIL + 8 + (<usize>(<i64>pushed % TAIL_RECORDS) << 5);
  const from = load<u32>(at, Q_FROM);
  store<f64>(cell, load<f64>(FILE));
  store<f64>(cell, load<f64>(BASE) + <f64>(from - <u32>BUFFER), 8);
  store<f64>(cell, <f64>(load<u32>(at, Q_TO) - from), 16);
  store<f64>(cell, load<f64>(at, Q_LINE), 24);
  return true;
}

function flushQueue(): void {
  const end = QUEUE + <usize>queued * Q_BYTES;
  let sum: u32 = 0;
  for (let at = QUEUE; at < end; at += Q_BYTES) {
    sum += load<u32>(TABLE + (<usize>bucketOf(load<u64>(at, Q_HASH)) << 6));
  }
  // Kept, so that the loads are not optimised away.
  touched = sum;
  for (let at = QUEUE; at < end; at += Q_BYTES) count(at);
  queued = 0;
}

/** Counts the line that `takeLines` stopped at. False: its command_id was there before, so it counts for nothing. */
export function finish(): bool {
  enqueue();
  queued = 0;
  return count(QUEUE);
}
