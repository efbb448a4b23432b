/**
 * Returns a function that tests whether a text matches one of the patterns. An asterisk matches any text.
 * Patterns come from clients, so matching must not backtrack, as a regular expression would.
 */
export function globTest(patterns: readonly string[]): (text: string) => boolean {
  const split = patterns.map((pattern) => pattern.split(/\*+/));
  return (text) => split.some((parts) => hasParts(text, parts));
}

/** Whether a text consists of these parts, in order, with any text between them. */
function hasParts(text: string, [start = "", ...others]: readonly string[]): boolean {
  const end = others.pop();
  if (end === undefined) return text === start;
  let at = text.startsWith(start) ? start.length : -1;
  for (const part of others) {
    if (at < 0) return false;
    const found = text.indexOf(part, at);
    at = found < 0 ? -1 : found + part.length;
  }
  return at >= 0 && text.length - end.length >= at && text.endsWith(end);
}
