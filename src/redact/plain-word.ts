// The quickest look of all: a short word holds no secret that shows by its shape or its place. Most strings of a packet are
// names of fields, states and ids. A test holds every row of the token table against it.

/**
 * No sign that stands between a name and its value, in a command, a header or a URL; too short for a token.
 * What only a project or the environment calls a secret may still be one.
 */
const PLAIN_WORD = /^[a-z0-9_.]{0,15}$/;

/** True for a text in which none of the built-in rules can find anything. */
export function isPlainWord(text: string): boolean {
  return PLAIN_WORD.test(text);
}
