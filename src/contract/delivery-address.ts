import * as z from "zod";

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

const typeError = ({ input }: { input?: unknown }) =>
  input === undefined ? "is required" : `must be a string${input === null ? ", not null" : ""}`;

/** A string of at most `max` code points. */
const textUpTo = (max: number) =>
  z
    .string({ error: typeError })
    .refine((text) => text.length <= max || codePointLength(text) <= max, {
      error: ({ input }) => `must be at most ${max} characters (it has ${codePointLength(String(input))})`,
    })
    .meta({ maxLength: max });

function countryCodeError(code: string): string {
  if (code === "UK") return "must be an ISO 3166-1 alpha-2 code: the United Kingdom's is GB, not UK";
  const capitals = code.trim().toUpperCase();
  if (countryCodes.has(capitals)) return `must be an ISO 3166-1 alpha-2 code in capitals: ${capitals}`;
  return "must be an assigned ISO 3166-1 alpha-2 code in capitals, such as GB";
}

/** The spec bounds line1's length alone; that it says something is assumed. */
export const blank = "must not be blank";

/** DeliveryAddress (spec §2). What a country demands beyond it stands in rules/delivery.ts. */
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
      .string({ error: typeError })
      .refine((code) => countryCodes.has(code), { error: ({ input }) => countryCodeError(String(input)) })
      .meta({ enum: [...countryCodes] }),
  },
  { error: ({ input }) => (input === undefined ? "is required" : "must be an object") },
);
export type DeliveryAddress = z.output<typeof deliveryAddress>;

export const deliveryMethod = z.enum(["classic", "express", "international"], {
  error: ({ input }) =>
    input === undefined ? "is required" : "must be one of classic, express, international",
});
export type DeliveryMethod = z.output<typeof deliveryMethod>;

/** Where the parcel of a physical card is (assumed); `ordered` from the start. */
export const parcelStatus = z.enum(["ordered", "produced", "shipped", "delivered", "returned", "failed"]);
export type ParcelStatus = z.output<typeof parcelStatus>;
