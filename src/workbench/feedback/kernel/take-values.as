// The values that a scan depends on: command, exit, time, command_id (P3). Only plain spellings are taken.

/** A string without escapes, controls, DEL or anything beyond ASCII. @param p after the opening quote */
// @ts-ignore: decorator
@inline
function skipPlainString(p: usize): usize {
  while (true) {
    const v = v128.load(p);
    // Signed: bytes above 0x7f are negative, so one comparison finds them and the controls.
    const stop = v128.or(
      v128.or(i8x16.eq(v, i8x16.splat(0x22)), i8x16.eq(v, i8x16.splat(0x5c))),
      v128.or(i8x16.lt_s(v, i8x16.splat(0x20)), i8x16.eq(v, i8x16.splat(0x7f))),
    );
    const m = i8x16.bitmask(stop);
    if (m == 0) {
      p += 16;
      continue;
    }
    p += ctz(m);
    return load<u8>(p) == 0x22 ? p + 1 : 0;
  }
}

function hasQuote(from: usize, to: usize): bool {
  for (; from < to; from += 16) {
    const m = i8x16.bitmask(i8x16.eq(v128.load(from), i8x16.splat(0x27)));
    if (m != 0 && from + ctz(m) < to) return true;
  }
  return false;
}

/** A usable command: a plain string, or an argv of plain strings, that begins with a visible character. */
function takeCommand(p: usize): usize {
  commandFrom = p;
  let c = load<u8>(p);
  if (c == 0x22) {
    if (load<u8>(p, 1) <= 0x20 || load<u8>(p, 1) == 0x22) return 0;
    p = skipPlainString(p + 1);
    // A shell joins what stands on both sides of its quotes, so the filter could not tell.
    if (p == 0 || hasQuote(commandFrom, p)) return 0;
  } else if (c == 0x5b) {
    if (load<u8>(p, 1) != 0x22 || load<u8>(p, 2) <= 0x20 || load<u8>(p, 2) == 0x22) return 0;
    p += 1;
    while (true) {
      if (load<u8>(p) != 0x22) return 0;
      p = skipPlainString(p + 1);
      if (p == 0) return 0;
      c = load<u8>(p);
      p += 1;
      if (c == 0x5d) break;
      if (c != 0x2c) return 0;
      if (load<u8>(p) == 0x20) p += 1;
    }
  } else return 0;
  commandTo = p;
  return p == 0 || p - commandFrom > LONGEST_COMMAND ? 0 : p;
}

// @ts-ignore: decorator
@inline
function twoDigits(p: usize): i32 {
  const a: u32 = <u32>load<u8>(p) - 0x30;
  const b: u32 = <u32>load<u8>(p, 1) - 0x30;
  return a < 10 && b < 10 ? <i32>(a * 10 + b) : -1;
}

/** `"YYYY-MM-DDThh:mm:ss[.fraction](Z|+00:00)"`, a real date. @param p after the opening quote */
function takeIso(p: usize): usize {
  if (load<u8>(p, 4) != 0x2d || load<u8>(p, 7) != 0x2d || load<u8>(p, 10) != 0x54) return 0;
  if (load<u8>(p, 13) != 0x3a || load<u8>(p, 16) != 0x3a) return 0;
  const century = twoDigits(p);
  const year = twoDigits(p + 2);
  const month = twoDigits(p + 5);
  const day = twoDigits(p + 8);
  const hour = twoDigits(p + 11);
  const minute = twoDigits(p + 14);
  const second = twoDigits(p + 17);
  if (century < 20 || year < 0 || month < 1 || month > 12 || day < 1) return 0;
  if (day > 28 && (month == 2 || day > 30 + ((month + (month >> 3)) & 1))) return 0;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return 0;
  p += 19;
  let millis: u64 = 0;
  let c: u32 = load<u8>(p);
  if (c == 0x2e) {
    let digits: i32 = 0;
    c = load<u8>(++p);
    while (isDigit(c)) {
      if (digits < 3) millis = millis * 10 + (c - 0x30);
      digits += 1;
      c = load<u8>(++p);
    }
    if (digits == 0 || digits > 9) return 0;
    for (; digits < 3; digits++) millis *= 10;
  }
  if (c == 0x5a) p += 1;
  else if (load<u32>(p) == 0x3a30302b && load<u16>(p, 4) == 0x3030) p += 6;
  else return 0;
  if (load<u8>(p) != 0x22) return 0;
  let value: u64 = <u64>(century * 100 + year);
  value = value * 13 + month;
  value = value * 32 + day;
  value = value * 24 + hour;
  value = value * 60 + minute;
  value = value * 60 + second;
  timeValue = value * 1000 + millis;
  timeKind = 3;
  return p + 1;
}

// @ts-ignore: decorator
@inline
function areDigits(w: u64): bool {
  return ((w & 0xf0f0f0f0f0f0f0f0) | (((w + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) >> 4)) == 0x3333333333333333;
}

/** The number that eight digits make, the first in the lowest byte; ASCII or plain. */
// @ts-ignore: decorator
@inline
function eightDigits(w: u64): u64 {
  w = ((w & 0x0f0f0f0f0f0f0f0f) * 2561) >> 8;
  w = ((w & 0x00ff00ff00ff00ff) * 6553601) >> 16;
  return ((w & 0x0000ffff0000ffff) * 42949672960001) >> 32;
}

/** An exit status: zero, another integer of up to 9 digits, or null. Sets the verdict. */
// @ts-ignore: decorator
@inline
function takeExit(p: usize): usize {
  let c: u32 = load<u8>(p);
  if (c == 0x30) return p + 1;
  verdict = FAILURE;
  if (c == 0x6e) {
    exitIsNull = true;
    return load<u32>(p) == 0x6c6c756e ? p + 4 : 0;
  }
  const minus = c == 0x2d;
  if (minus) c = load<u8>(++p);
  if (c - 0x31 > 8) return 0;
  let value: i32 = 0;
  const last = p + 9;
  do {
    value = value * 10 + <i32>(c - 0x30);
    c = load<u8>(++p);
  } while (isDigit(c) && p < last);
  exit = minus ? -value : value;
  exitIsNull = false;
  return isDigit(c) || c == 0x2e || (c | 0x20) == 0x65 ? 0 : p;
}

/** Epoch seconds with 10 digits and up to 9 of a fraction, 13 digits of milliseconds, an ISO stamp, or null. */
function takeTime(p: usize): usize {
  let c: u32 = load<u8>(p);
  if (c == 0x22) return takeIso(p + 1);
  if (c == 0x6e) return load<u32>(p) == 0x6c6c756e ? p + 4 : 0;
  if (c - 0x31 > 8) return 0;
  const head = load<u64>(p);
  if (!areDigits(head)) return 0;
  const tens = twoDigits(p + 8);
  if (tens < 0) return 0;
  const seconds = eightDigits(head) * 100 + tens;
  p += 10;
  c = load<u8>(p);
  let nanos: u64 = 0;
  if (c == 0x2e) {
    const other = i8x16.gt_u(i8x16.sub(v128.load(p, 1), i8x16.splat(0x30)), i8x16.splat(9));
    const places = ctz(i8x16.bitmask(other) | 0x10000);
    if (places == 0 || places > 9) return 0;
    let fraction = load<u64>(p, 1) & 0x0f0f0f0f0f0f0f0f;
    if (places < 8) fraction &= (<u64>1 << (places << 3)) - 1;
    nanos = eightDigits(fraction) * 10;
    if (places == 9) nanos += load<u8>(p, 9) - 0x30;
    p += 1 + places;
    c = load<u8>(p);
  } else if (isDigit(c)) {
    const unit: u32 = <u32>load<u8>(p, 2) - 0x30;
    const two = twoDigits(p);
    if (two < 0 || unit > 9) return 0;
    p += 3;
    c = load<u8>(p);
    if (isDigit(c) || c == 0x2e || (c | 0x20) == 0x65) return 0;
    timeValue = seconds * 1000 + <u64>two * 10 + unit;
    timeKind = 2;
    return p;
  }
  if ((c | 0x20) == 0x65) return 0;
  timeValue = seconds * 1000000000 + nanos;
  timeKind = 1;
  return p;
}

/** A command_id: null, or a plain string that is not blank; its fingerprint goes to idLow and idHigh. */
function takeId(p: usize): usize {
  const c = load<u8>(p);
  if (c == 0x6e) return load<u32>(p) == 0x6c6c756e ? p + 4 : 0;
  if (c != 0x22 || load<u8>(p, 1) <= 0x20) return 0;
  const end = skipPlainString(p + 1);
  if (end == 0) return 0;
  const length = end - p - 2;
  if (length == 0 || length > LONGEST_ID) return 0;
  fingerprint(p + 1, length);
  hasId = true;
  idHash = hashOf(idLow, idHigh);
  return end;
}
