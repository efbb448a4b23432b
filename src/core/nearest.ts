import leven from "leven";

/**
 * The known name that a word was meant for, as far as its letters tell: a few of them are wrong, or the end is missing.
 * @returns undefined where none is like it, so that nobody is sent astray
 */
export function nearest<Name extends string>(said: string, known: readonly Name[]): Name | undefined {
  const word = said.slice(0, 100);
  const slips = Math.min(Math.max(2, word.length / 3), word.length / 2);
  const [first] = known
    .map((name) => ({ name, distance: leven(word, name) }))
    .toSorted((a, b) => a.distance - b.distance);
  if (first && first.distance <= slips) return first.name;
  return word.length < 3 ? undefined : known.find((name) => name.startsWith(word));
}
