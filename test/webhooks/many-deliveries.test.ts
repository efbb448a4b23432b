import { expect, test } from "vitest";
import { openSandbox } from "../support/open-sandbox.ts";

const shown = {
  id: "00000000-0000-4000-8000-000000000000",
  url: "http://localhost/hooks",
  events: ["card.created"],
  status: "active",
  created_at: "2026-03-10T09:30:00.000Z",
};

/**
 * A sandbox in which deliveries are due for a second attempt in one second, and fail again.
 * @param webhooks - how many webhooks they are spread over
 * @param later - how many more the first webhook has that are due in a day
 */
function openWithRetries(deliveries: number, webhooks: number, later = 0) {
  let sent = 0;
  const sandbox = openSandbox({
    deliver: async () => {
      sent++;
      return new Response(null, { status: 503 });
    },
  });
  const { database, clockOfTest } = sandbox;
  const counting = (to: number) =>
    `WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < ${to})`;
  const company = "(SELECT pk FROM companies ORDER BY pk LIMIT 1)";
  database.run(
    `${counting(webhooks)} INSERT INTO webhooks (pk, id, company_pk, url, events, status, secret_number, created_at_ms,
       position)
     SELECT n, 'webhook-' || n, ${company}, 'http://localhost/hooks', 'card.created', 'active', n, 0, n FROM each`,
  );
  database.run(
    `${counting(deliveries + later)} INSERT INTO webhook_deliveries
       (id, company_pk, webhook_pk, event, body, status, tries, due_at_ms, created_at_ms, position)
     SELECT printf('00000000-0000-4000-8000-%012d', n), ${company}, 1 + n % ${webhooks}, 'webhook.test', ?, 'pending', 0,
       iif(n <= ${deliveries}, ?, ?), 0, n FROM each`,
    JSON.stringify({ type: "webhook.test", timestamp: shown.created_at, data: shown }),
    clockOfTest.now() + 1000,
    clockOfTest.now() + 86_400_000,
  );
  return {
    ...sandbox,
    sent: () => sent,
    /** @returns the processor time that it took, in milliseconds */
    async deliver() {
      const before = process.cpuUsage();
      await sandbox.clock.advance({ by: "PT1S" });
      await sandbox.webhooks.settled();
      const { user, system } = process.cpuUsage(before);
      expect(sent).toBe(deliveries);
      return (user + system) / 1000;
    },
  };
}

test("starts deliveries that are due together a few at a time, so that requests continue", async () => {
  const { deliver, sent } = openWithRetries(500, 500);
  let most = 0;
  let isOver = false;
  const watch = (before: number) => {
    most = Math.max(most, sent() - before);
    const now = sent();
    if (!isOver) setImmediate(() => watch(now));
  };
  watch(0);
  await deliver();
  isOver = true;
  expect(most).toBeLessThanOrEqual(32);
});

test("takes the same time for a delivery when thousands are pending to the same webhook", async () => {
  const alone = await openWithRetries(300, 1).deliver();
  const amongMany = await openWithRetries(300, 1, 80_000).deliver();
  expect(amongMany).toBeLessThan(4 * alone + 200);
});
