// Lines: walks them, counts those that are sure, and stops at the others.

// @ts-ignore: decorator
@inline
function isKey(p: usize, entry: usize): bool {
  const same = i8x16.eq(v128.load(p), v128.load(entry));
  if (i8x16.bitmask(v128.or(same, v128.load(entry, E_MASK))) != 0xffff) return false;
  const length = <usize>load<u32>(entry, E_LENGTH);
  for (let i: usize = 16; i < length; i++) if (load<u8>(p + i) != load<u8>(entry + i)) return false;
  return true;
}

/** Finds which key stands at `p`, trying the one that followed `previous` last time. -1: an unknown one. */
// @ts-ignore: decorator
@inline
function keyAt(p: usize, previous: usize): i32 {
  const guess = load<i32>(previous, E_NEXT);
  if (isKey(p, KEYS + (<usize>guess << ENTRY_SHIFT))) return guess;
  return findKey(p, previous);
}

function findKey(p: usize, previous: usize): i32 {
  const count = load<i32>(KEY_COUNT);
  for (let k: i32 = 0; k < count; k++) {
    if (isKey(p, KEYS + (<usize>k << ENTRY_SHIFT))) {
      store<i32>(previous, k, E_NEXT);
      return k;
    }
  }
  return -1;
}

// @ts-ignore: decorator
@inline
function isRun(p: usize, run: usize, length: usize): bool {
  let same = v128.or(i8x16.eq(v128.load(p), v128.load(run)), v128.load(run, R_MASK));
  if (length > 16) {
    for (let i: usize = 16; i + 16 < length; i += 16) {
      same = v128.and(same, i8x16.eq(v128.load(p + i), v128.load(run + i)));
    }
    same = v128.and(same, i8x16.eq(v128.load(p + length - 16), v128.load(run + length - 16)));
  }
  return i8x16.bitmask(same) == 0xffff;
}

/** Walks one line as JSON. Returns SUCCESS or FAILURE with all that was found set, or PARSE or PARSE_AND_LEARN. */
function walkLine(start: usize): i32 {
  let p = start;
  let roles: i32 = 0;
  let k: i32 = FIRST;
  hasId = false;
  timeKind = 0;
  verdict = SUCCESS;
  while (true) {
    // What comes between the last value and the next one that has to be looked at.
    const run = RUNS + <usize>k * RUN_BYTES;
    const length = <usize>load<u32>(run, R_LENGTH);
    let role: i32 = 0;
    if (length != 0 && isRun(p, run, length)) {
      const ofRun = load<i32>(run, R_ROLES);
      if ((roles & ofRun) != 0) return PARSE;
      roles |= ofRun;
      p += length;
      k = load<i32>(run, R_KEY);
      if (k < 0) {
        p -= 1;
        break;
      }
      role = load<i32>(KEYS + (<usize>k << ENTRY_SHIFT), E_ROLE);
    } else {
      const c = load<u8>(p);
      p += 1;
      if (k == FIRST) {
        if (c != 0x7b) return PARSE;
      } else if (c == 0x2c) {
        if (load<u8>(p) == 0x20) p += 1;
      } else {
        if (c != 0x7d) return PARSE;
        if (load<u8>(p) == 0x0d) p += 1;
        if (load<u8>(p) != 0x0a) return PARSE;
        break;
      }
      k = keyAt(p, KEYS + (<usize>k << ENTRY_SHIFT));
      if (k < 0) return PARSE_AND_LEARN;
      const entry = KEYS + (<usize>k << ENTRY_SHIFT);
      p += load<u32>(entry, E_LENGTH);
      role = load<i32>(entry, E_ROLE);
      if ((roles & role) != 0) return PARSE;
      roles |= role;
    }
    if (role == ROLE_NONE) p = load<u8>(p) == 0x22 ? skipString(p + 1) : skipValue(p, 1);
    else if (role == ROLE_COMMAND) p = takeCommand(p);
    else if (role == ROLE_EXIT) p = takeExit(p);
    else if (role == ROLE_TIME) p = takeTime(p);
    else p = takeId(p);
    if (p == 0) return PARSE;
  }
  if ((roles & ROLE_COMMAND) == 0) return PARSE;
  if ((roles & ROLE_EXIT) == 0) {
    exitIsNull = true;
    verdict = FAILURE;
  }
  lineFrom = start;
  lineTo = p;
  return verdict;
}

function lineEnd(p: usize): usize {
  while (true) {
    const m = i8x16.bitmask(i8x16.eq(v128.load(p), i8x16.splat(0x0a)));
    if (m != 0) return p + ctz(m);
    p += 16;
  }
}

/**
 * Takes whole lines from BUFFER + from up to BUFFER + to. Returns ALL_TAKEN, or what is to be done about the line in
 * [LINE_START, LINE_END), which is counted in LINES already.
 */
export function takeLines(from: usize, to: usize): i32 {
  let p = BUFFER + from;
  const last = BUFFER + to;
  while (p < last) {
    const c = load<u8>(p);
    store<f64>(LINES, load<f64>(LINES) + 1);
    if (c == 0x0a) {
      p += 1;
      continue;
    }
    if (c == 0x0d && load<u8>(p, 1) == 0x0a) {
      p += 2;
      continue;
    }
    const what = walkLine(p);
    if (what == SUCCESS && !mayMatter()) {
      enqueue();
      if (queued == QUEUE_LENGTH) flushQueue();
      p = lineTo + 1;
      continue;
    }
    flushQueue();
    store<u32>(LINE_START, <u32>(p - BUFFER));
    store<u32>(LINE_END, <u32>((what >= SUCCESS ? lineTo : lineEnd(p)) - BUFFER));
    store<u32>(COMMAND_START, <u32>(commandFrom - BUFFER));
    store<u32>(COMMAND_END, <u32>(commandTo - BUFFER));
    store<i32>(EXIT, exit);
    store<u32>(EXIT_IS_NULL, <u32>exitIsNull);
    if (what >= SUCCESS) lookUpCommand();
    store<i32>(HIGH, high);
    return what;
  }
  flushQueue();
  store<i32>(HIGH, high);
  return ALL_TAKEN;
}

export function clearHigh(): void {
  high = 0;
  store<i32>(HIGH, 0);
}
