// Walks any JSON value by the grammar of RFC 8259. It accepts less than JSON.parse, never more (P18).
// Every skip* returns the place after the value, or 0 when it is not sure.

// @ts-ignore: decorator
@inline
function isDigit(c: u32): bool {
  return c - 0x30 < 10;
}

// @ts-ignore: decorator
@inline
function isHex(c: u32): bool {
  return c - 0x30 < 10 || (c | 0x20) - 0x61 < 6;
}

/** @param p after the opening quote */
function skipString(p: usize): usize {
  while (true) {
    const v = v128.load(p);
    const stop = v128.or(
      v128.or(i8x16.eq(v, i8x16.splat(0x22)), i8x16.eq(v, i8x16.splat(0x5c))),
      i8x16.le_u(v, i8x16.splat(0x1f)),
    );
    high |= i8x16.bitmask(v);
    let m = i8x16.bitmask(stop);
    if (m == 0) {
      p += 16;
      continue;
    }
    p += ctz(m);
    const c = load<u8>(p);
    if (c == 0x22) return p + 1;
    if (c != 0x5c) return 0;
    const e: u32 = load<u8>(p, 1);
    if (e == 0x6e || e == 0x22 || e == 0x5c || e == 0x74 || e == 0x72 || e == 0x2f || e == 0x62 || e == 0x66) p += 2;
    else if (
      e == 0x75 &&
      isHex(load<u8>(p, 2)) &&
      isHex(load<u8>(p, 3)) &&
      isHex(load<u8>(p, 4)) &&
      isHex(load<u8>(p, 5))
    )
      p += 6;
    else return 0;
  }
}

function skipNumber(p: usize): usize {
  let c: u32 = load<u8>(p);
  if (c == 0x2d) c = load<u8>(++p);
  if (c == 0x30) c = load<u8>(++p);
  else if (isDigit(c)) {
    do c = load<u8>(++p);
    while (isDigit(c));
  } else return 0;
  if (c == 0x2e) {
    c = load<u8>(++p);
    if (!isDigit(c)) return 0;
    do c = load<u8>(++p);
    while (isDigit(c));
  }
  if ((c | 0x20) == 0x65) {
    c = load<u8>(++p);
    if (c == 0x2b || c == 0x2d) c = load<u8>(++p);
    if (!isDigit(c)) return 0;
    do c = load<u8>(++p);
    while (isDigit(c));
  }
  return p;
}

// @ts-ignore: decorator
@inline
function skipSpace(p: usize): usize {
  let c = load<u8>(p);
  while (c == 0x20 || c == 0x09) c = load<u8>(++p);
  return p;
}

function skipValue(p: usize, depth: i32): usize {
  const c = load<u8>(p);
  if (c == 0x22) return skipString(p + 1);
  if (c == 0x6e) return load<u32>(p) == 0x6c6c756e ? p + 4 : 0; // null
  if (c == 0x74) return load<u32>(p) == 0x65757274 ? p + 4 : 0; // true
  if (c == 0x66) return load<u32>(p + 1) == 0x65736c61 ? p + 5 : 0; // false
  if (c == 0x7b) return depth < DEEPEST ? skipObject(p + 1, depth + 1) : 0;
  if (c == 0x5b) return depth < DEEPEST ? skipArray(p + 1, depth + 1) : 0;
  return skipNumber(p);
}

function skipObject(p: usize, depth: i32): usize {
  p = skipSpace(p);
  if (load<u8>(p) == 0x7d) return p + 1;
  while (true) {
    if (load<u8>(p) != 0x22) return 0;
    p = skipString(p + 1);
    if (p == 0) return 0;
    p = skipSpace(p);
    if (load<u8>(p) != 0x3a) return 0;
    p = skipValue(skipSpace(p + 1), depth);
    if (p == 0) return 0;
    p = skipSpace(p);
    const c = load<u8>(p);
    if (c == 0x7d) return p + 1;
    if (c != 0x2c) return 0;
    p = skipSpace(p + 1);
  }
}

function skipArray(p: usize, depth: i32): usize {
  p = skipSpace(p);
  if (load<u8>(p) == 0x5d) return p + 1;
  while (true) {
    p = skipValue(p, depth);
    if (p == 0) return 0;
    p = skipSpace(p);
    const c = load<u8>(p);
    if (c == 0x5d) return p + 1;
    if (c != 0x2c) return 0;
    p = skipSpace(p + 1);
  }
}
