// Sweeps a careful client until 2,000 cells have run, and prints their cost. Run it with --expose-gc.
import { randomUUID } from "node:crypto";
import { sweep } from "card-sandbox";

const address = { line1: "1 Long Lane", city: "London", post_code: "SE1 4PG", country_code: "GB" };
const temporary = [0, 401, 409, 429, 502, 503];

/** A client that retries, with a new token where it needs one. */
function clientOf({ sandbox, company }) {
  let token;
  const send = async (method, path, body, headers) => {
    try {
      const response = await sandbox.fetch(`http://sandbox${path}`, {
        method,
        headers: { "Content-Type": "application/json", ...headers },
        signal: AbortSignal.timeout(50),
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, json: response.status === 204 ? {} : await response.json() };
    } catch {
      return { status: 0 };
    }
  };
  return async (method, path, body) => {
    const key = method === "POST" ? { "Idempotency-Key": randomUUID() } : {};
    let status;
    for (let attempt = 1; attempt <= 8; attempt++) {
      if (token === undefined) {
        const exchanged = await send("POST", "/auth/v1/sandbox/token", { api_key: company.apiKey });
        token = exchanged.json?.access_token;
      }
      const { json, ...sent } = await send(method, path, body, { Authorization: `Bearer ${token}`, ...key });
      if (sent.status >= 200 && sent.status < 300) return json;
      status = sent.status;
      if (!temporary.includes(status)) break;
      if (status === 401) token = undefined;
    }
    throw new Error(`${method} ${path}: status ${status}`);
  };
}

async function run(fixtures) {
  const call = clientOf(fixtures);
  const order = { account_id: fixtures.company.accountId, pin: "4821", delivery_address: address };
  const { id } = await call("POST", "/developer/cards/physical", { ...order, delivery_method: "express" });
  await call("POST", "/developer/cards/virtual", { account_id: fixtures.company.accountId });
  await call("GET", `/developer/cards/${id}`);
  await call("POST", `/developer/cards/${id}/freeze`);
  await call("GET", "/developer/cards");
}

const marks = {};
const reports = [];
let cells = 0;
const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const startCpuMs = cpuMs();

function onProgress({ done }) {
  if (done === 0 || ++cells % 500 > 0) return;
  const elapsedMs = Math.round(cpuMs() - startCpuMs);
  globalThis.gc();
  marks[cells] = { cpuMs: elapsedMs, heapBytes: process.memoryUsage().heapUsed };
}

while (cells < 2000) reports.push(await sweep(run, { depth: 2, onProgress }));
const bad = reports.flatMap(({ cells }) =>
  cells.filter(({ verdict }) => !["survived", "failed"].includes(verdict)),
);
process.stdout.write(JSON.stringify({ cells, marks, bad: bad.map(({ id, reason }) => `${id}: ${reason}`) }));
