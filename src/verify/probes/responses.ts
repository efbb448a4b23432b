import { card } from "../../contract/card.ts";
import { listAt } from "../controls.ts";
import { CannotProbe, probe, type Target } from "../probe.ts";
import { isSuccess, rowsIn } from "../replies.ts";

/** The fields of a card that the specification names (§2). */
const cardFields: ReadonlySet<string> = new Set(Object.keys(card.shape));

async function anyAccount(target: Target): Promise<Readonly<Record<string, unknown>>> {
  const { json } = await listAt(target, "/developer/accounts");
  const [account] = rowsIn(json);
  if (account) return account;
  throw new CannotProbe("no account is listed");
}

/** The shape of the objects in responses. */
export const responseProbes = [
  probe("responses.timestamps", "read", async (target) => {
    const values = Object.values(await anyAccount(target));
    const found = values.find((value) => typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value));
    if (found === undefined) throw new CannotProbe("accounts have no timestamp");
    const [, form] = /T\d\d:\d\d:\d\d(.+)$/.exec(String(found)) ?? [];
    if (form === "Z") return "seconds";
    if (/^\.\d{3}Z$/.test(form ?? "")) return "milliseconds";
    return /^\.\d{3}\+00:00$/.test(form ?? "") ? "offset" : { unexplained: "timestamps of another form" };
  }),

  probe("responses.extra_fields", "write", async (target) => {
    const further = Object.keys((await target.sharedOrder()).card).filter((name) => !cardFields.has(name));
    if (further.length === 0) return "none";
    return further.includes("metadata")
      ? "metadata"
      : { unexplained: `further fields: ${further.join(", ")}` };
  }),

  probe("responses.amounts", "read", async (target) => {
    const { balance } = await anyAccount(target);
    if (balance === undefined) throw new CannotProbe("accounts have no balance");
    if (typeof balance === "string" || typeof balance === "number") {
      return typeof balance === "string" ? "decimal" : "number";
    }
    const isObject = typeof balance === "object" && balance !== null && "value" in balance;
    return isObject ? "object" : { unexplained: `balance is of type ${typeof balance}` };
  }),

  probe("responses.currency_case", "read", async (target) => {
    const { currency } = await anyAccount(target);
    if (typeof currency !== "string") throw new CannotProbe("accounts have no currency");
    return currency === currency.toLowerCase() ? "lower" : "upper";
  }),

  probe("responses.single_object", "read", async (target) => {
    const id = await target.accountId();
    const path = `/developer/accounts/${id}`;
    const { json, status } = await target.send({ method: "GET", path });
    if (isSuccess({ status })) {
      if (json?.id === id) return "none";
      if (json?.account?.id === id) return "named";
      if (json?.data?.id === id) return "data";
    }
    throw new CannotProbe(`GET /developer/accounts/{id} returned ${status}, and no account is found`);
  }),
];
