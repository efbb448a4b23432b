import { nameLists } from "./name-lists.ts";

/** The lists, which are split when the first company needs them. */
let lists: Lists | undefined;
type Lists = ReturnType<typeof splitLists>;

function splitLists() {
  const { femaleNames, maleNames, neutralNames, lastNames, suffixes, legalForms } = nameLists;
  return {
    firstNames: {
      female: femaleNames.split(","),
      male: maleNames.split(","),
      neutral: neutralNames.split(","),
    },
    lastNames: lastNames.split(","),
    suffixes: suffixes.split(","),
    legalForms: legalForms.split(","),
  };
}

const sexes = ["female", "male"] as const;
type Sex = (typeof sexes)[number];

const prefixes = { female: ["Miss", "Mrs.", "Ms."], male: ["Mr."], neutral: ["Dr."] };

/**
 * Draws realistic names and amounts; the same bytes give the same ones. They are those of @faker-js/faker, draw by draw,
 * so that names stay as they are. Loading that package takes longer than all else of the first isolated company.
 */
export class Names {
  readonly #draw: () => number;
  readonly #lists: Lists;

  constructor(bytes: Uint8Array) {
    lists ??= splitLists();
    this.#lists = lists;
    this.#draw = mersenneTwister(bytes);
  }

  person(): string {
    const sex = this.#oneOf(sexes);
    const first = this.#oneOf(this.#listOf(this.#lists.firstNames, sex));
    const last = this.#lastName();
    const [hasPrefix, hasSuffix] = this.#weighted([
      [49, [false, false]],
      [7, [true, false]],
      [7, [false, true]],
      [1, [true, true]],
    ]);
    const prefix = hasPrefix ? `${this.#oneOf(this.#listOf(prefixes, sex))} ` : "";
    const suffix = hasSuffix ? ` ${this.#oneOf(this.#lists.suffixes)}` : "";
    return `${prefix}${first} ${last}${suffix}`;
  }

  company(): string {
    const ofSomebody = () => {
      // Of this person only the last name is used.
      this.#oneOf(sexes);
      return this.#lastName();
    };
    const form = this.#oneOf(["partners", "legal", "three"]);
    const first = ofSomebody();
    if (form === "partners") return `${first} - ${ofSomebody()}`;
    if (form === "legal") return `${first} ${this.#oneOf(this.#lists.legalForms)}`;
    return `${first}, ${ofSomebody()} and ${ofSomebody()}`;
  }

  /** An integer from `min` to `max`. */
  integer(min: number, max: number): number {
    return Math.floor(this.#draw() * (max - min + 1) + min);
  }

  #lastName(): string {
    const parts = this.#weighted([
      [95, 1],
      [5, 2],
    ]);
    return Array.from({ length: parts }, () => this.#oneOf(this.#lists.lastNames)).join("-");
  }

  /** Chooses the list of a sex or the neutral one. */
  #listOf(of: Readonly<Record<Sex | "neutral", readonly string[]>>, sex: Sex): readonly string[] {
    return this.#weighted([
      [3 * Math.sqrt(of[sex].length), of[sex]],
      [Math.sqrt(of.neutral.length), of.neutral],
    ]);
  }

  #oneOf<Value>(list: readonly Value[]): Value {
    return list[list.length > 1 ? this.integer(0, list.length - 1) : 0] as Value;
  }

  #weighted<Value>(choices: readonly (readonly [weight: number, value: Value])[]): Value {
    const drawn = this.#draw() * choices.reduce((sum, [weight]) => sum + weight, 0);
    let reached = 0;
    const chosen = choices.find(([weight]) => {
      reached += weight;
      return drawn < reached;
    });
    // None is found if rounding makes `drawn` the sum of all.
    return (chosen ?? (choices.at(-1) as readonly [number, Value]))[1];
  }
}

/**
 * The generator MT19937, initialised by an array, with 53 bits for each number from 0 to 1
 * (http://www.math.sci.hiroshima-u.ac.jp/m-mat/MT/MT2002/emt19937ar.html).
 */
function mersenneTwister(key: Uint8Array): () => number {
  const size = 624;
  const state = new Uint32Array(size);
  const at = (i: number) => state[i] as number;
  const mixed = (previous: number, factor: number) => Math.imul(previous ^ (previous >>> 30), factor);
  state[0] = 19650218;
  for (let i = 1; i < size; i++) state[i] = mixed(at(i - 1), 1812433253) + i;
  let i = 1;
  const advance = () => {
    if (++i < size) return;
    state[0] = at(size - 1);
    i = 1;
  };
  for (let n = 0; n < size; n++) {
    const k = n % key.length;
    state[i] = (at(i) ^ mixed(at(i - 1), 1664525)) + (key[k] as number) + k;
    advance();
  }
  for (let n = 1; n < size; n++) {
    state[i] = (at(i) ^ mixed(at(i - 1), 1566083941)) - i;
    advance();
  }
  state[0] = 0x80000000;

  let next = size;
  const refill = () => {
    for (let n = 0; n < size; n++) {
      const y = (at(n) & 0x80000000) | (at(n + 1 < size ? n + 1 : 0) & 0x7fffffff);
      state[n] = at(n < 227 ? n + 397 : n - 227) ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
    }
    next = 0;
  };
  const draw32 = () => {
    if (next === size) refill();
    let y = at(next++);
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  };
  return () => ((draw32() >>> 5) * 2 ** 26 + (draw32() >>> 6)) / 2 ** 53;
}
