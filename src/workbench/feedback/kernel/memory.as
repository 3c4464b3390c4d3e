// The scan kernel, in AssemblyScript: the fast path of the feedback scan (see ../README.md). It never allocates. Its parts are
// joined by compile-kernel.mjs. This one: the memory map and the state shared with JavaScript, mirrored in ../kernel-memory.ts.

const STATE: usize = 1024;
const TAIL: usize = 2048;
const TAIL_RECORDS: i32 = 200;
const KEYS: usize = 0x4000;
const FILTER: usize = 0x8000;
const QUEUE: usize = 0x6000;
const RUNS: usize = 0x11000;
const BUFFER: usize = 0x16000;
const IDS: usize = 0x120000;
const ID_CAPACITY: i32 = 1 << 20;
const TABLE: usize = IDS + (<usize>ID_CAPACITY << 4);
const MOST_BUCKET_BITS: i32 = 17;

/** Commands met at stops, by a hash of their JSON: length, number, the JSON itself. */
const COMMANDS: usize = TABLE + (64 << MOST_BUCKET_BITS);
const COMMAND_SHIFT: usize = 8;
const COMMAND_SLOTS: u32 = 16384;
const COMMAND_TEXT: usize = 16;
const LONGEST_NOTED: usize = 224;

// STATE fields.
const LINES: usize = STATE; // f64: lines of this file so far
const RECORDS: usize = STATE + 8; // f64: records taken here
const NEWEST_SECONDS: usize = STATE + 16; // u64: nanoseconds, from decimal seconds
const NEWEST_MILLIS: usize = STATE + 24; // u64: from 13 digit milliseconds
const NEWEST_ISO: usize = STATE + 32; // u64: from ISO stamps, mixed radix
const FILE: usize = STATE + 40; // f64: index of the file
const BASE: usize = STATE + 48; // f64: file offset of BUFFER
const LINE_START: usize = STATE + 56; // u32 out
const LINE_END: usize = STATE + 60; // u32 out
const COMMAND_START: usize = STATE + 80; // u32 out
const COMMAND_END: usize = STATE + 84; // u32 out
const EXIT: usize = STATE + 88; // i32 out
const EXIT_IS_NULL: usize = STATE + 92; // u32 out
const COMMAND_SLOT: usize = STATE + 96; // u32 out: where JavaScript may note the command's number; 0: nowhere
const COMMAND_NUMBER: usize = STATE + 100; // u32 out: that number; 0: not known
const HIGH: usize = STATE + 68; // u32: nonzero when a byte above 0x7f was passed
const KEY_COUNT: usize = STATE + 72; // u32
const FILTER_COUNT: usize = STATE + 76; // u32: keys in the filter

// KEYS entries: the literal (quotes, colon, one space if the writer puts one), a mask of its first 16 bytes, then numbers.
const ENTRY_SHIFT: usize = 7;
const E_MASK: usize = 64;
const E_LENGTH: usize = 80;
const E_ROLE: usize = 84;
const E_NEXT: usize = 88;
/** The entry that stands for a line's beginning: its `next` and its run are those of the first key. */
const FIRST: i32 = 63;

// RUNS entries, one per key: what usually follows its value, from the comma to where the next changing value begins, or to
// the newline. A run is valid JSON taken from a line that was parsed; it is compared byte by byte, so it proves itself.
const RUN_BYTES: usize = 320;
const R_MASK: usize = 256; // over its first sixteen bytes
const R_LENGTH: usize = 272;
const R_ROLES: usize = 276;
const R_KEY: usize = 280; // the key whose value comes next; -1: the line is over

const ROLE_NONE: i32 = 0;
const ROLE_COMMAND: i32 = 1;
const ROLE_EXIT: i32 = 2;
const ROLE_TIME: i32 = 4;
const ROLE_ID: i32 = 8;

// What takeLines returns.
const ALL_TAKEN: i32 = 0;
const PARSE: i32 = 1; // not sure of this line
const PARSE_AND_LEARN: i32 = 2; // not sure, because of a key it does not know
const SUCCESS: i32 = 3; // sure, but the command may be a watched one: `finish` it
const FAILURE: i32 = 4; // sure, and the exit is not zero: `finish` it

const LONGEST_COMMAND: usize = 1024;
const LONGEST_ID: usize = 256;
const DEEPEST: i32 = 16;

let high: i32 = 0;
let idLow: u64 = 0;
let idHigh: u64 = 0;
let idHash: u64 = 0;
let hasId: bool = false;
let touched: u32 = 0;
let timeKind: i32 = 0;
let timeValue: u64 = 0;
let commandFrom: usize = 0;
let commandTo: usize = 0;
let exit: i32 = 0;
let exitIsNull: bool = false;
let lineFrom: usize = 0;
let lineTo: usize = 0;
let verdict: i32 = 0;
