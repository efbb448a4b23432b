import { faker } from "@faker-js/faker/locale/en";
import { expect, test } from "vitest";
import { Names } from "../../src/rules/names.ts";
import { seededRandom } from "../../src/rules/random.ts";

test("draws the names and amounts of faker", () => {
  const random = seededRandom(1);
  const drawn = Array.from({ length: 2000 }, (_, n) => random.block("faker", "", n)).map((bytes) => {
    const names = new Names(bytes);
    faker.seed([...bytes]);
    const own = [
      names.person(),
      names.integer(1_000, 250_000),
      names.company(),
      names.person(),
      names.company(),
    ];
    const { person, number, company } = faker;
    const expected = [
      person.fullName(),
      number.int({ min: 1_000, max: 250_000 }),
      company.name(),
      person.fullName(),
      company.name(),
    ];
    expect(own).toEqual(expected);
    return own.join();
  });
  // Each form of a name is among them.
  for (const form of [
    /^Dr\. /,
    /^Mrs\. /,
    /^Mr\. .* PhD,/,
    /,\w+ - \w+,/,
    / Group,/,
    /,\w+, \w+ and \w+-\w+/,
  ]) {
    expect(
      drawn.some((names) => form.test(names)),
      String(form),
    ).toBe(true);
  }
});

test("draws on after the first 624 numbers as faker does", () => {
  const names = new Names(Uint8Array.of(1, 2, 3));
  faker.seed([1, 2, 3]);
  const all = Array.from({ length: 1000 }, () => [names.person(), faker.person.fullName()]);
  expect(all.map(([own]) => own)).toEqual(all.map(([, expected]) => expected));
});
