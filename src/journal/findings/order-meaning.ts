import { physicalCardOrder } from "../../contract/card-requests.ts";

const orderFields: ReadonlySet<string> = new Set(Object.keys(physicalCardOrder.shape));

/**
 * What the body of an order asks for, as text that is the same for two that ask for the same: the order of fields,
 * fields that are null or unknown, white space around a name, a name that chooses a scenario, and `10` for `"10.00"`
 * make no difference.
 * Undefined where it is no object.
 * @param fields - those that the operation knows; default: those of the order of a physical card
 */
export function orderMeaning(body: unknown, fields = orderFields): string | undefined {
  if (!isObject(body)) return undefined;
  const known = Object.entries(body).filter(
    ([name, value]) => fields.has(name) && !choosesScenario(name, value),
  );
  return JSON.stringify(canonical(Object.fromEntries(known)));
}

/** `"name": "scenario:lost-response"` is said to the sandbox, and not to the service. */
function choosesScenario(field: string, value: unknown): boolean {
  return field === "name" && typeof value === "string" && value.startsWith("scenario:");
}

function canonical(value: unknown, name = ""): unknown {
  if (Array.isArray(value)) return value.map((each) => canonical(each));
  if (isObject(value)) {
    const said = Object.entries(value).filter(([, each]) => each !== null && each !== undefined);
    said.sort(([a], [b]) => (a < b ? -1 : 1));
    return said.map(([field, each]) => [field, canonical(each, field)]);
  }
  if (name === "amount") return amount(value);
  if (name === "name" && typeof value === "string") return value.trim();
  if (name === "account_id" && typeof value === "string") return value.toLowerCase();
  return value;
}

function amount(value: unknown): unknown {
  const written = typeof value === "number" || (typeof value === "string" && value.trim() !== "");
  return written && Number.isFinite(Number(value)) ? Number(value) : value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
