// Prints, as JSON, what a test process that imports the build in the first argument pays for its sandboxes, in ms.
const [, , index = ""] = process.argv;

/** @type {<T>(run: () => T | Promise<T>) => Promise<{ result: T, ms: number }>} */
const timed = async (run) => {
  const startedMs = performance.now();
  const result = await run();
  return { result, ms: performance.now() - startedMs };
};
/** @type {(times: number, run: () => unknown) => Promise<number | undefined>} the median */
const repeated = async (times, run) => {
  /** @type {number[]} */
  const ms = [];
  for (let time = 0; time < times; time++) ms.push((await timed(run)).ms);
  return ms.toSorted((a, b) => a - b)[Math.floor(times / 2)];
};

const { createSandbox } = await import(index);
const sandbox = createSandbox();
const sandboxMs = await repeated(20, () => createSandbox().close());
const { ms: firstCompanyMs } = await timed(() => sandbox.isolatedCompany());
const companyMs = await repeated(20, () => sandbox.isolatedCompany());

const company = await sandbox.isolatedCompany({ card_quota: 100 });
/** @type {(path: string, body: unknown, headers?: Record<string, string>) => Promise<Response>} */
const post = async (path, body, headers = {}) =>
  sandbox.fetch(
    new Request(`http://sandbox${path}`, { method: "POST", body: JSON.stringify(body), headers }),
  );
const exchange = await (await post("/auth/v1/sandbox/token", { api_key: company.apiKey })).json();
const { access_token } = /** @type {{ access_token: string }} */ (exchange);
const orderMs = await repeated(50, async () => {
  const body = {
    account_id: company.accountId,
    pin: "4821",
    delivery_address: { line1: "1 Long Lane", city: "London", post_code: "SE1 4PG", country_code: "GB" },
    delivery_method: "express",
  };
  const response = await post("/developer/cards/physical", body, {
    Authorization: `Bearer ${access_token}`,
    "Content-Type": "application/json",
    "Idempotency-Key": crypto.randomUUID(),
  });
  if (response.status !== 201) throw new Error(`an order got ${response.status}: ${await response.text()}`);
});
sandbox.close();
process.stdout.write(JSON.stringify({ sandboxMs, firstCompanyMs, companyMs, orderMs }));
