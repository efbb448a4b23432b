import fc from "fast-check";
import type { History } from "./history.ts";

/** One step of a history. */
export interface Step {
  run(history: History): Promise<void>;
  toString(): string;
}

type Arguments = Record<string, fc.Arbitrary<unknown>>;
/** The values of arguments. */
export type ValuesOf<Of extends Arguments> = {
  [Name in keyof Of]: Of[Name] extends fc.Arbitrary<infer Value> ? Value : never;
};

/** Makes steps of one kind. Numbers among their values pick from the objects that exist by then. */
export function steps<Of extends Arguments>(
  name: string,
  of: Of,
  run: (history: History, values: ValuesOf<Of>) => Promise<void>,
): fc.Arbitrary<Step> {
  return fc.record(of).map((values) => ({
    run: (history) => run(history, values as ValuesOf<Of>),
    toString: () => `${name} ${JSON.stringify(values)}`,
  }));
}

/** One of the values; undefined if there are none. */
export function pick<Value>(among: readonly Value[], n: number): Value | undefined {
  return among[n % among.length];
}

/** One of the values; in four of five cases one that fits, if any does. */
export function pickFitting<Value>(
  among: readonly Value[],
  n: number,
  fits: (value: Value) => boolean,
): Value | undefined {
  const fitting = n % 5 === 0 ? [] : among.filter(fits);
  return pick(fitting.length > 0 ? fitting : among, n);
}

/** A value once in so many times, otherwise undefined. */
export const seldom = <Value>(arbitrary: fc.Arbitrary<Value>, onceIn = 12) =>
  fc.oneof({ weight: onceIn - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

export const anyOf = fc.nat(20);
