// The bare servers that the sandbox is compared with; each reads a body, parses it and returns a constant card.
// `node baselines.mjs node-http` is node:http alone; `node baselines.mjs hono` is Hono with its Node adapter.
import { createServer } from "node:http";

const card = JSON.stringify({
  id: "7d7c2f0a-4f3c-4f0e-8f43-1f5c6b1f0a11",
  token: "123456789",
  company_id: "0c9d3f52-6a53-4a0e-9d53-3c1c5a0f7b21",
  account_id: "1d541080-dfcd-4ea6-937b-cc4bd3db87af",
  user_id: "5a4b1e90-0f6e-4f0c-b0a7-9a7e8f6c2d31",
  type: "physical",
  design_id: "standard",
  status: "active",
  name: "Physical 1234",
  last_four: "1234",
  expiry_date: "2031-03-31",
  auto_convert: false,
  three_ds_biometric: false,
  spending_limit: { period: "monthly", amount: "250.00", currency: "GBP", used: "0.00" },
  card_limits: {
    currency: "EUR",
    max_per_purchase: { amount: "10000.00" },
    daily: { amount: "20000.00" },
    rolling_32_days: { amount: "50000.00" },
  },
  created_at: "2026-03-10T09:30:00.000Z",
});
const health = JSON.stringify({ status: "ok" });
const headers = { "Content-Type": "application/json" };

const ready = (/** @type {number} */ port) =>
  process.stdout.write(`Baseline base URL  http://127.0.0.1:${port}\nReady.\n`);

function serveByNode() {
  const server = createServer((request, response) => {
    const chunks = /** @type {Buffer[]} */ ([]);
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const isOrder = request.method === "POST";
      if (isOrder) JSON.parse(Buffer.concat(chunks).toString());
      const body = isOrder ? card : health;
      response.writeHead(isOrder ? 201 : 200, { ...headers, "Content-Length": Buffer.byteLength(body) });
      response.end(body);
    });
  });
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (address && typeof address === "object") ready(address.port);
  });
}

async function serveByHono() {
  const { serve } = await import("@hono/node-server");
  const { Hono } = await import("hono");
  const app = new Hono();
  app.get("*", (c) => c.body(health, 200, headers));
  app.post("*", async (c) => {
    await c.req.json();
    return c.body(card, 201, headers);
  });
  serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => ready(port));
}

process.once("SIGTERM", () => process.exit());
if (process.argv[2] === "hono") await serveByHono();
else serveByNode();
