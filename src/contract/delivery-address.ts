import * as z from "zod";
import { mustBe, oneOf, shownValue } from "./expected.ts";

/** The assigned ISO 3166-1 alpha-2 codes (249). */
export const countryCodes: ReadonlySet<string> = new Set(
  (
    "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV " +
    "BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES " +
    "ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE " +
    "IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY " +
    "MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU " +
    "NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM " +
    "SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE " +
    "VG VI VN VU WF WS YE YT ZA ZM ZW"
  ).split(" "),
);

/** Length in Unicode code points, as JSON Schema counts it; not UTF-16 units. */
export function codePointLength(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** A string of at most `max` code points. */
const textUpTo = (max: number) =>
  z
    .string(mustBe("a string"))
    .refine((text) => text.length <= max || codePointLength(text) <= max, {
      error: ({ input }) => `must have at most ${max} characters, but has ${codePointLength(String(input))}`,
    })
    .meta({ maxLength: max });

function countryCodeError(code: string): string {
  const is = `must be an ISO 3166-1 alpha-2 code in capital letters, but is ${shownValue(code)}`;
  if (code === "UK") return `${is} (use "GB" for the United Kingdom)`;
  const capitals = code.trim().toUpperCase();
  return countryCodes.has(capitals) ? `${is} (use "${capitals}")` : is;
}

/** The spec only limits the length of line1; that it must not be blank is assumed. */
export const blank = "must not be blank";

/** DeliveryAddress (spec §2). The rules of each country are in rules/delivery.ts. */
export const deliveryAddress = z.object(
  {
    line1: textUpTo(100)
      .refine((line) => line.trim() !== "", blank)
      .meta({ pattern: "\\S" }),
    line2: textUpTo(100).optional(),
    line3: textUpTo(50).optional(),
    city: textUpTo(50).optional(),
    state: textUpTo(50).optional(),
    post_code: textUpTo(10).optional(),
    country_code: z
      .string(mustBe("a string"))
      .refine((code) => countryCodes.has(code), { error: ({ input }) => countryCodeError(String(input)) })
      .meta({ enum: [...countryCodes] }),
  },
  mustBe("an object"),
);
/** The same for contracts that accept a blank line1. */
export const blankLineAddress = deliveryAddress.extend({ line1: textUpTo(100) });
export type DeliveryAddress = z.output<typeof deliveryAddress>;

export const deliveryMethod = oneOf(["classic", "express", "international"]);
export type DeliveryMethod = z.output<typeof deliveryMethod>;

/** The delivery status of a physical card (assumed); the first is `ordered`. */
export const parcelStatus = z.enum(["ordered", "produced", "shipped", "delivered", "returned", "failed"]);
export type ParcelStatus = z.output<typeof parcelStatus>;
