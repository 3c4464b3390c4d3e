// Which command ids the log has shown (P14): a ring of the newest fingerprints, and buckets of 15 cells, one cache line
// each, that point into it. A cell holds 22 bits of the id's number and 10 of its hash; zero is empty. The last cell of a
// bucket is set when ids that belong there had to go to the next one. The ring forgets by being overwritten: a cell that
// points to an overwritten place is free, and can do no harm before it is reused, as fingerprints are compared in full.

/** The number of the next id, from 1 on; ids with a lower number by more than the capacity are forgotten. */
let idNumber: u32 = 1;
let bucketBits: i32 = 6;
const NUMBER_MASK: i32 = 0x3fffff;

/** Up to 15 bytes are their own fingerprint; longer ids become 120 bits of hash, marked by a last byte of 0xff. */
function fingerprint(p: usize, length: usize): void {
  if (length < 16) {
    let low = load<u64>(p);
    let up = load<u64>(p, 8);
    if (length < 8) {
      low &= (<u64>1 << (length << 3)) - 1;
      up = 0;
    } else up &= (<u64>1 << ((length - 8) << 3)) - 1;
    idLow = low;
    idHigh = up | (<u64>length << 56);
    return;
  }
  let a: u64 = 0x9e3779b97f4a7c15 ^ <u64>length;
  let b: u64 = 0xc2b2ae3d27d4eb4f;
  const end = p + length;
  for (; p + 8 <= end; p += 8) {
    const w = load<u64>(p);
    a = (a ^ w) * 0xff51afd7ed558ccd;
    a ^= a >> 32;
    b = rotl<u64>(b + w, 31) * 0x9fb21c651e98df25;
    b ^= b >> 29;
    b += a;
  }
  // The last, possibly overlapping, eight bytes: length is mixed in above, so nothing is read twice in two ways.
  const w = load<u64>(end - 8);
  a = (a ^ w) * 0xc4ceb9fe1a85ec53;
  a ^= a >> 33;
  b = (b + rotl<u64>(w, 17)) * 0xff51afd7ed558ccd;
  b ^= (b >> 33) ^ a;
  idLow = a * 0x9fb21c651e98df25 + b;
  idHigh = (b * 0x9e3779b97f4a7c15) | 0xff00000000000000;
}

// @ts-ignore: decorator
@inline
function hashOf(low: u64, up: u64): u64 {
  let h = (low ^ rotl<u64>(up, 23)) * 0x9e3779b97f4a7c15;
  h ^= h >> 32;
  h += up;
  h *= 0xff51afd7ed558ccd;
  return h ^ (h >> 29);
}

// @ts-ignore: decorator
@inline
function tagOf(h: u64): u32 {
  return (<u32>(h >> 42) | 1) << 22;
}

// @ts-ignore: decorator
@inline
function bucketOf(h: u64): u32 {
  return <u32>h & ((1 << bucketBits) - 1);
}

/** The lanes of four vectors, one bit each. */
// @ts-ignore: decorator
@inline
function lanes16(a: v128, b: v128, c: v128, d: v128): i32 {
  return i8x16.bitmask(i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(a, b), i16x8.narrow_i32x4_s(c, d)));
}

// @ts-ignore: decorator
@inline
function isFree(cells: v128, number: u32): v128 {
  const age = v128.and(i32x4.sub(i32x4.splat(<i32>number), cells), i32x4.splat(NUMBER_MASK));
  return v128.or(i32x4.gt_s(age, i32x4.splat(ID_CAPACITY)), i32x4.eq(cells, i32x4.splat(0)));
}

// @ts-ignore: decorator
@inline
function hasTag(cells: v128, tag: v128): v128 {
  return i32x4.eq(v128.and(cells, i32x4.splat(~NUMBER_MASK)), tag);
}

/** Puts a cell into the first bucket from the id's own on that has room. */
function placeCell(h: u64, number: u32): void {
  let bucket = bucketOf(h);
  while (true) {
    const at = TABLE + (<usize>bucket << 6);
    const m =
      0x7fff &
      lanes16(
        isFree(v128.load(at), number),
        isFree(v128.load(at, 16), number),
        isFree(v128.load(at, 32), number),
        isFree(v128.load(at, 48), number),
      );
    if (m != 0) {
      store<u32>(at + (<usize>ctz(m) << 2), tagOf(h) | (number & NUMBER_MASK));
      return;
    }
    store<u32>(at, 1, 60);
    bucket = (bucket + 1) & ((1 << bucketBits) - 1);
  }
}

function growTable(): void {
  bucketBits += 1;
  memory.fill(TABLE, 0, <usize>64 << bucketBits);
  for (let number: u32 = 1; number < idNumber; number++) {
    const at = IDS + (<usize>number << 4);
    placeCell(hashOf(load<u64>(at), load<u64>(at, 8)), number);
  }
}

// @ts-ignore: decorator
@inline
function isKnown(h: u64, low: u64, up: u64): bool {
  let bucket = bucketOf(h);
  const tag = i32x4.splat(<i32>tagOf(h));
  while (true) {
    const at = TABLE + (<usize>bucket << 6);
    let m = lanes16(
      hasTag(v128.load(at), tag),
      hasTag(v128.load(at, 16), tag),
      hasTag(v128.load(at, 32), tag),
      hasTag(v128.load(at, 48), tag),
    );
    while (m != 0) {
      const cell = load<u32>(at + (<usize>ctz(m) << 2));
      const place = IDS + (<usize>(cell & (ID_CAPACITY - 1)) << 4);
      if (load<u64>(place) == low && load<u64>(place, 8) == up) return true;
      m &= m - 1;
    }
    if (load<u32>(at, 60) == 0) return false;
    bucket = (bucket + 1) & ((1 << bucketBits) - 1);
  }
}

/** Notes an id. True when it was there. */
function noteId(h: u64, low: u64, up: u64): bool {
  if (isKnown(h, low, up)) return true;
  if (bucketBits < MOST_BUCKET_BITS && idNumber > <u32>(8 << bucketBits)) growTable();
  const at = IDS + (<usize>(idNumber & (ID_CAPACITY - 1)) << 4);
  store<u64>(at, low);
  store<u64>(at, up, 8);
  placeCell(h, idNumber);
  idNumber += 1;
  return false;
}

/** For ids that JavaScript read: the bytes lie at `p`. */
export function seenId(p: usize, length: usize): bool {
  fingerprint(p, length);
  return noteId(hashOf(idLow, idHigh), idLow, idHigh);
}

export function getIdNumber(): u32 {
  return idNumber;
}
export function getBucketBits(): i32 {
  return bucketBits;
}
export function setIds(number: u32, bits: i32): void {
  idNumber = number;
  bucketBits = bits;
}
