// Which commands may matter, and the numbers JavaScript gives to commands it has read. Why the filter is safe stands in
// ../kernel-filter.ts.

/** The letters and digits of `v`, zero elsewhere. */
// @ts-ignore: decorator
@inline
function lettersOf(v: v128): v128 {
  const letter = i8x16.le_u(i8x16.sub(v128.or(v, i8x16.splat(0x20)), i8x16.splat(0x61)), i8x16.splat(25));
  const digit = i8x16.le_u(i8x16.sub(v, i8x16.splat(0x30)), i8x16.splat(9));
  return v128.and(v, v128.or(letter, digit));
}

// @ts-ignore: decorator
@inline
function mixPairs(a: v128, b: v128): v128 {
  const p = i16x8.add(i16x8.mul(a, i16x8.splat(0x6b5d)), i16x8.mul(b, i16x8.splat(0x2c9f)));
  return i32x4.dot_i16x8_s(p, p);
}

/** A sum over the pairs of neighbours in [from, to), all but letters and digits taken as zero. See kernel-filter.ts. */
function letterHash(from: usize, to: usize): u32 {
  let sums = i32x4.splat(0);
  for (; from < to; from += 16) {
    let a = lettersOf(v128.load(from));
    let b = lettersOf(v128.load(from, 1));
    const left = to - from;
    if (left < 16) {
      const lanes = v128(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
      const within = i8x16.lt_u(lanes, i8x16.splat(<i8>left));
      a = v128.and(a, within);
      b = v128.and(b, within);
    }
    sums = i32x4.add(sums, mixPairs(i16x8.extend_low_i8x16_u(a), i16x8.extend_low_i8x16_u(b)));
    sums = i32x4.add(sums, mixPairs(i16x8.extend_high_i8x16_u(a), i16x8.extend_high_i8x16_u(b)));
  }
  const sum =
    i32x4.extract_lane(sums, 0) +
    i32x4.extract_lane(sums, 1) +
    i32x4.extract_lane(sums, 2) +
    i32x4.extract_lane(sums, 3);
  return (<u32>sum * 0x9e3779b1) >> 14;
}

/** Finds the number JavaScript gave to this command, so that it need not read it again, or makes room for one. */
function lookUpCommand(): void {
  store<u32>(COMMAND_SLOT, 0);
  store<u32>(COMMAND_NUMBER, 0);
  const length = commandTo - commandFrom;
  if (length > LONGEST_NOTED) return;
  let h: u64 = <u64>length;
  for (let p = commandFrom; p + 8 <= commandTo; p += 8) {
    h = (h ^ load<u64>(p)) * 0x9e3779b97f4a7c15;
    h ^= h >> 32;
  }
  // The rest is compared anyway; here it only has to tell most commands apart.
  if (length >= 8) h = (h ^ load<u64>(commandTo - 8)) * 0xff51afd7ed558ccd;
  const slot = COMMANDS + (<usize>(<u32>(h >> 40) & (COMMAND_SLOTS - 1)) << COMMAND_SHIFT);
  store<u32>(COMMAND_SLOT, <u32>slot);
  if (load<u32>(slot) == <u32>length && memory.compare(slot + COMMAND_TEXT, commandFrom, length) == 0) {
    store<u32>(COMMAND_NUMBER, load<u32>(slot, 4));
    return;
  }
  store<u32>(slot, <u32>length);
  store<u32>(slot, 0, 4);
  memory.copy(slot + COMMAND_TEXT, commandFrom, length);
}

function mayMatter(): bool {
  if (load<u32>(FILTER_COUNT) == 0) return false;
  const h = letterHash(commandFrom, commandTo);
  return <bool>((load<u8>(FILTER + (h >> 3)) >> <u8>(h & 7)) & 1);
}

/** Numbers given to commands mean nothing any more. */
export function forgetCommands(): void {
  memory.fill(COMMANDS, 0, <usize>COMMAND_SLOTS << COMMAND_SHIFT);
}
