import { longestName } from "../card-requests.ts";
import { type Contract, defaultContract } from "../dialect.ts";
import type { OpenapiDocument } from "./named-document.ts";
import { operationTexts } from "./operation-texts.ts";

/** The parts of a JSON Schema that a dialect changes. */
interface Schema {
  additionalProperties?: boolean;
  pattern?: string;
  description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** The objects of requests that refuse unknown fields under some dialects: all but those of the token endpoints. */
const objects = [
  ...Object.values(operationTexts).flatMap(({ request = [] }) => request),
  "DeliveryAddress",
  "SpendingLimitInput",
].filter((name) => name !== "TokenExchangeRequest");

/** Describes requests as the contract validates them, in place. Without a dialect nothing changes. */
export function withRequests(document: OpenapiDocument, contract: Contract): OpenapiDocument {
  if (contract === defaultContract) return document;
  const { choices } = contract;
  const schemas = (document.components?.schemas ?? {}) as Readonly<Record<string, Schema>>;
  const isStrict = choices["json.unknown_fields"] === "400";
  for (const name of new Set(objects)) {
    const schema = schemas[name];
    if (schema && isStrict) schema.additionalProperties = false;
    if (schema?.properties?.name) describeName(schema.properties.name, contract);
  }
  if (isStrict) document.info.description = document.info.description?.replace(ignored, refused) ?? "";
  const line1 = schemas.DeliveryAddress?.properties?.line1;
  if (line1 && choices["address.blank_line1"] === "accepted") delete line1.pattern;
  return document;
}

const ignored = "The sandbox ignores unknown fields in requests.";
const refused = "The sandbox refuses unknown fields in requests.";

/** The name is trimmed before its length counts. */
function describeName(name: Schema, { choices }: Contract): void {
  const [, usual] = /,([0-9]+)\}/.exec(name.pattern ?? "") ?? [];
  const longest = longestName(choices["card.name_length"]);
  const max = usual === undefined ? longest : Math.min(longest, Number(usual) + 2);
  const needed = choices["card.name_blank"] === "400" ? "" : "?";
  const middle = max === Number.POSITIVE_INFINITY ? "*" : `{0,${max - 2}}`;
  name.pattern = `^\\s*(\\S([\\s\\S]${middle}\\S)?)${needed}\\s*$`;
  if (name.description) name.description = name.description.replace(/[0-9]+ characters/, `${max} characters`);
}
