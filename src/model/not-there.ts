// How the one risk row begins that tells which optional artifacts are absent (P26): a brief leaves it out, and knows it by this.

/** The names follow, with commas. */
export const NOT_THERE = "not there: ";
