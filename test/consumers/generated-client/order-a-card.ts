// What a team would write on top of the client that is generated for it: service.d.ts comes from the OpenAPI
// document, so that this compiles only as long as the document says what the service takes and answers.
import createClient from "openapi-fetch";
import type { components, paths } from "./service.js";

type Card = components["schemas"]["Card"];

declare const process: { readonly argv: readonly string[] };
const [, , baseUrl = "", apiKey = ""] = process.argv;

const service = createClient<paths>({ baseUrl });

const exchange = await service.POST("/auth/v1/sandbox/token", { body: { api_key: apiKey } });
if (!exchange.data) throw new Error(`no token: ${JSON.stringify(exchange.error)}`);
service.use({
  onRequest({ request }) {
    request.headers.set("Authorization", `Bearer ${exchange.data.access_token}`);
  },
});

const accounts = await service.GET("/developer/accounts");
const account = accounts.data?.data.find(({ status }) => status === "active");
if (!account) throw new Error(`no account: ${JSON.stringify(accounts.error)}`);

const order = (key: string, pin: string) =>
  service.POST("/developer/cards/physical", {
    params: { header: { "Idempotency-Key": key } },
    body: {
      account_id: account.id,
      pin,
      delivery_address: { line1: "1 Long Lane", city: "London", post_code: "SE1 4PG", country_code: "GB" },
      delivery_method: "express",
      spending_limit: { period: "monthly", amount: "250.00" },
    },
  });

const made = await order("3f0c6f0e-52a4-4c0b-9a5e-0f6f2f7d8b11", "4821");
if (!made.data) throw new Error(`no card: ${JSON.stringify(made.error)}`);
const card: Card = made.data;
const limit: string | undefined = card.spending_limit?.amount;

const refused = await order("5b8e0a52-7d3b-4a46-9f2e-2f6f0f1f7c10", "48");
if (refused.response.status !== 400 || !refused.error || !("error" in refused.error)) {
  throw new Error("a PIN of two digits was to be refused");
}

const shown = await service.GET("/developer/cards/{id}", { params: { path: { id: card.id } } });
console.log(JSON.stringify({ made: card.id, shown: shown.data?.id, status: card.status, limit }));
