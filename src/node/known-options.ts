import { SetupError } from "../core/errors.ts";
import { nearest } from "../core/nearest.ts";

/** The names of options: each of theirs, and no other. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/** @throws SetupError that names the options that there are not, where JavaScript passed such */
export function refuseUnknownOptions(
  call: string,
  options: object,
  names: Readonly<Record<string, true>>,
): void {
  const known = Object.keys(names);
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name));
  if (unknown === undefined) return;
  const meant = nearest(unknown, known);
  const hint = meant === undefined ? "it takes" : `did you mean ${meant}? It takes`;
  throw new SetupError(`${call} has no option ${unknown}: ${hint} ${known.join(", ")}`);
}
