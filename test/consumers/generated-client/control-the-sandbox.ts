// A test set-up of a team, on top of the client that is generated from the OpenAPI document of the control API: it
// compiles only as long as the document describes the requests and responses of the sandbox.
import createClient from "openapi-fetch";
import type { components, paths } from "./control.js";

type Company = components["schemas"]["Company"];

declare const process: { readonly argv: readonly string[] };
const [, , baseUrl = ""] = process.argv;

const control = createClient<paths>({ baseUrl });

const created = await control.POST("/_sandbox/companies", {
  body: { card_quota: 2, members: [{ role: "owner" }], accounts: [{ currency: "EUR" }] },
});
if (!created.data) throw new Error(`no company: ${created.error.error}`);
const company: Company = created.data;
const secret: string | undefined = company.members[0]?.api_keys[0]?.secret;
if (secret === undefined) throw new Error("the owner has no API key");

const armed = await control.POST("/_sandbox/scenarios/{name}/arm", {
  params: { path: { name: "issuer-unavailable" } },
  body: { company: company.id, times: 1 },
});
if (!armed.data) throw new Error(`nothing armed: ${armed.error.error}`);

const exchange = await fetch(`${baseUrl}/auth/v1/sandbox/token`, {
  method: "POST",
  body: JSON.stringify({ api_key: secret }),
});
const recorded = await control.GET("/_sandbox/requests", {
  params: { query: { company: company.slug, operation: "exchangeSandboxKey", status: 200, limit: 1 } },
});

const advanced = await control.POST("/_sandbox/clock/advance", {
  body: { by: "PT15M", company: company.id },
});
const refused = await control.PATCH("/_sandbox/companies/{name}", {
  params: { path: { name: "live/nobody" } },
  body: { status: "suspended" },
});
const deleted = await control.DELETE("/_sandbox/companies/{name}", {
  params: { path: { name: company.id } },
});

console.log(
  JSON.stringify({
    currency: company.accounts[0]?.currency,
    times: armed.data.times,
    exchange: exchange.status,
    recorded: recorded.data?.requests.map(({ point }) => point),
    frozen: advanced.data?.frozen,
    refused: [refused.response.status, refused.error?.error],
    deleted: deleted.response.status,
  }),
);
