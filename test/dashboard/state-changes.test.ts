import { expect, test } from "vitest";
import { openDashboard } from "../support/open-dashboard.ts";
import { cardOf } from "../support/open-sandbox.ts";

test("a recorded order shows the card that is new, and its counters", async () => {
  const { visit, submit, order } = openDashboard();
  await order();
  await submit("/recording");
  const { last_four } = cardOf(await order({ body: { name: "Team travel" } }));
  const folded = await visit("/requests/4");
  expect(folded.text).toContain("Show what changed");
  expect(folded.text).not.toContain("changed rows");
  const { text } = await visit("/requests/4?state=1");
  expect(text).toContain(`Card Team travel ···· ${last_four}: new, status active`);
  expect(text).toMatch(/Cards that expire on [0-9-]+: made 1 → 2, counted by the quota 1 → 2/);
  expect(text).toMatch(/All \d+ changed rows, before and after/);
  expect(text).toMatch(/cards, pk \d+ new/);
});

test("a recorded freeze shows the status before and after, and changes nothing itself", async () => {
  const { visit, submit, order, call, control, get } = openDashboard();
  const card = cardOf(await order({ body: { name: "Team travel" } }));
  await submit("/recording");
  await call("POST", `/developer/cards/${card.id}/freeze`);
  await call("POST", `/developer/cards/${card.id}/unfreeze`);
  const before = control.tape.read();
  const { text } = await visit("/requests/4?state=1");
  expect(text).toContain(`Card Team travel ···· ${card.last_four}: status active → frozen`);
  expect(control.tape.read()).toEqual({ ...before, bytes: expect.any(Number) });
  expect((await get(`/developer/cards/${card.id}`)).json.status).toBe("active");
  const [one, two] = await Promise.all([visit("/requests/4?state=1"), visit("/requests/6?state=1")]);
  expect(one.text).toContain("status active → frozen");
  expect(two.text).toContain("status frozen → active");
});

test("a request without a change says so", async () => {
  const { visit, submit, get } = openDashboard();
  await submit("/recording");
  await get("/developer/cards");
  expect((await visit("/requests/2?state=1")).text).toContain("None: the state after the request");
});

test("a request with a token from before the recording does not change that token", async () => {
  const { visit, submit, exchange, call } = openDashboard();
  const token = await exchange("sk_sandbox_northwind_owner");
  await submit("/recording");
  await call("GET", "/developer/cards", { token });
  expect((await visit("/requests/2?state=1")).text).toContain("None: the state after the request");
});

test("a request that is not on the tape says why not", async () => {
  const { visit, submit, order } = openDashboard();
  await order();
  expect((await visit("/requests/2?state=1")).text).toContain("tape: nothing is recorded.");
  await submit("/recording");
  await order();
  expect((await visit("/requests/2")).text).toContain("This request is not on the tape");
  expect((await visit("/requests/2?state=1")).text).toContain(
    'id: request "2" is not on the tape. The tape has the requests 3 to 4.',
  );
});

test("a tape that is too long is not played", async () => {
  const { visit, submit, order } = openDashboard({ mostPlayed: 3 });
  await submit("/recording");
  await order();
  expect((await visit("/requests/2?state=1")).text).toContain("changed rows");
  await order();
  await order();
  expect((await visit("/requests/2?state=1")).text).toContain(
    "the tape is too long to be played here: it has 6 requests, and at most 3 are played. Save it,",
  );
});
