import leven from "leven";

/**
 * The known name that is most similar to a misspelt one: a few letters differ, the end is missing, or no other name
 * begins with the same word.
 * @returns undefined if none is similar enough to suggest
 */
export function nearest<Name extends string>(name: string, known: readonly Name[]): Name | undefined {
  const word = name.slice(0, 100);
  const slips = Math.min(Math.max(2, word.length / 3), word.length / 2);
  const [first] = known
    .map((each) => ({ name: each, distance: leven(word, each) }))
    .toSorted((a, b) => a.distance - b.distance);
  if (first && first.distance <= slips) return first.name;
  return word.length < 3
    ? undefined
    : (known.find((each) => each.startsWith(word)) ?? onlyWithFirstWord(word, known));
}

/** The one known name that begins with the same word, such as `quota-reached` for `quota-ful`. */
function onlyWithFirstWord<Name extends string>(name: string, known: readonly Name[]): Name | undefined {
  const [start] = /^[A-Za-z]{3,}[-_.]/.exec(name) ?? [];
  const alike = start === undefined ? [] : known.filter((each) => each.startsWith(start));
  return alike.length === 1 ? alike[0] : undefined;
}
