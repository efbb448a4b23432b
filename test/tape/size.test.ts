import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox } from "../../src/node/create-sandbox.ts";
import { temporaryFolder } from "../support/command-line.ts";
import { physicalOrder } from "../support/physical-order.ts";

test("an order takes at most 400 bytes on a tape", async () => {
  const file = join(temporaryFolder(), "a.tape");
  const sandbox = createSandbox({ tape: file });
  const { apiKey, accountId } = await sandbox.isolatedCompany({ card_quota: 1000 });
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    sandbox.fetch(`http://sandbox${path}`, { method: "POST", body: JSON.stringify(body), headers });
  const exchanged = await post("/auth/v1/sandbox/token", { api_key: apiKey });
  const { access_token } = (await exchanged.json()) as { access_token: string };
  const Authorization = `Bearer ${access_token}`;
  const orders = 300;
  for (let n = 0; n < orders; n++) {
    const headers = { Authorization, "Idempotency-Key": randomUUID(), "Content-Type": "application/json" };
    const pin = String(1000 + ((n * 37) % 9000));
    const body = { ...physicalOrder(accountId), pin, name: `Holder ${n}` };
    const response = await post("/developer/cards/physical", body, headers);
    expect([201, 422]).toContain(response.status);
  }
  sandbox.close();
  expect(statSync(file).size / orders).toBeLessThan(400);
});
