import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { codePointLength, countryCodes, deliveryAddress } from "../../src/contract/delivery-address.ts";
import { defaultContract } from "../../src/contract/dialect.ts";
import { addressRules } from "../../src/rules/address-rules.ts";
import { addressViolation, deliveryMethodsOffered } from "../../src/rules/delivery.ts";

const { choices } = defaultContract;
const bounds = { line1: 100, line2: 100, line3: 50, city: 50, state: 50, post_code: 10 } as const;

describe("length bounds count Unicode code points (spec §8)", () => {
  test.each(Object.entries(bounds))("%s is at most %i", (field, max) => {
    const text = fc.string({ unit: "binary", minLength: max - 3, maxLength: max + 3 });
    fc.assert(
      fc.property(text, (text) => {
        const address = { line1: "1 High Street", country_code: "GB", [field]: text };
        const blank = field === "line1" && text.trim() === "";
        // UTF-32 holds one unit a code point.
        const codePoints = Array.from(text).length;
        expect(codePointLength(text)).toBe(codePoints);
        expect(deliveryAddress.safeParse(address).success).toBe(codePoints <= max && !blank);
      }),
    );
  });
});

describe("the address rules of a country (assumed)", () => {
  const need = (letter: string) =>
    [...countryCodes].filter((code) => (addressRules[code]?.required ?? "C").includes(letter)).join(" ");

  test("every listed country has an assigned code, and its pattern compiles", () => {
    for (const [code, { postCode }] of Object.entries(addressRules)) {
      expect(countryCodes.has(code)).toBe(true);
      expect(() => new RegExp(`^(?:${postCode})$`, "i")).not.toThrow();
    }
  });

  test("every country but these requires a city", () => {
    const notDemanded = [...countryCodes].filter((code) => !need("C").includes(code));
    expect(notDemanded.join(" ")).toBe("AE AG CO GI HK ID JP KY MO NR SG SM VG");
  });

  test("these countries require a state, ES and IT do not", () => {
    expect(need("S")).toBe(
      "AE AS AU BR CA CN CO CR FM HK HN ID IN IQ JM JP KN KR KY MH MP MX NR PF PG PW RU SO SV TW UM US VE VI",
    );
  });

  test("74 countries require a post code, GB among them and IE not", () => {
    expect(need("Z").split(" ")).toHaveLength(74);
    expect(need("Z")).toContain("GB");
    for (const code of ["IE", "BG", "CY", "HR", "IS", "MT", "SI"]) expect(need("Z")).not.toContain(code);
  });

  test.each([
    ["GB", "EC1Y 8SY"],
    ["GB", "sw1a1aa"],
    ["US", "95014"],
    ["US", "22162-1010"],
    ["DE", "26133"],
    ["NL", "1234 AB"],
    ["IE", "A65 F4E2"],
    ["CA", "H3Z 2Y7"],
    ["PT", "2725-079"],
    ["IR", "1193612345"],
  ])("%s accepts the post code %s", (country_code, post_code) => {
    expect(
      addressViolation({ line1: "1", city: "C", state: "S", post_code, country_code }, choices),
    ).toBeUndefined();
  });

  test.each([
    ["GB", "12345"],
    ["US", "ABCDE"],
    ["DE", "2613"],
    ["DE", "261333"],
    ["NL", "0123 AB"],
    // Patterns of alternatives, which hold for the whole post code.
    ["CR", "1234567"],
    ["LI", "94851"],
    ["PE", "150011"],
  ])("%s refuses the post code %s", (country_code, post_code) => {
    const violation = addressViolation(
      { line1: "1", city: "C", state: "S", post_code, country_code },
      choices,
    );
    expect(violation?.kind).toBe("post_code_format");
  });

  test("a country without rules requires a city, and accepts any post code", () => {
    expect(addressRules.AO).toBeUndefined();
    expect(addressViolation({ line1: "1", country_code: "AO" }, choices)?.kind).toBe("field_required");
    expect(
      addressViolation({ line1: "1", city: "Luanda", post_code: "?", country_code: "AO" }, choices),
    ).toBeUndefined();
  });
});

describe("delivery zones (assumed)", () => {
  test("offer classic in the British Isles, express there and in the EEA and Switzerland, and international elsewhere", () => {
    const zone = (method: "classic" | "express" | "international") =>
      [...countryCodes].filter((code) => deliveryMethodsOffered(code, choices).includes(method));
    expect(zone("classic")).toEqual(["GB", "GG", "IM", "JE"]);
    expect(zone("express").join(" ")).toBe(
      "AT BE BG CH CY CZ DE DK EE ES FI FR GB GG GR HR HU IE IM IS IT JE LI LT LU LV MT NL NO PL PT RO SE SI SK",
    );
    expect(zone("international")).toHaveLength(249 - 4);
  });
});
