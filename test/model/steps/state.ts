import fc from "fast-check";
import { later } from "../calendar.ts";
import { compareWorlds } from "../comparison.ts";
import type { History } from "../history.ts";
import { ofVirtualOrders, type ScenarioName, scenarios } from "../scenarios.ts";
import { pick, seldom, steps } from "../step.ts";
import { type Company, nameOf } from "../world.ts";

const iso = (ms: number) => new Date(ms).toISOString();
const someCompany = fc.option(fc.nat(2), { nil: undefined });
const companyOf = (history: History, n: number | undefined): Company | undefined =>
  n === undefined ? undefined : pick(history.world.companies, n);

const durations = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("PT1H", "P1D") },
  { weight: 4, arbitrary: fc.constantFrom("PT1M", "PT14M59.999S", "PT0.001S", "PT15M") },
  { weight: 3, arbitrary: fc.constantFrom("PT13H", "P6D", "P1W", "P1M", "P31D", "P61M") },
);

async function advance(history: History, values: { by: string; company: number | undefined }): Promise<void> {
  const company = companyOf(history, values.company);
  const fromMs = history.nowMs(company);
  const aheadMs = later(fromMs, values.by) - fromMs;
  const { clock } = history.world;
  if (company) company.aheadMs += aheadMs;
  else if (clock.frozenAtMs === null) clock.aheadMs += aheadMs;
  else clock.frozenAtMs += aheadMs;
  const body = { by: values.by, ...(company && { company: nameOf(company) }) };
  const expected = { now: iso(fromMs + aheadMs), frozen: clock.frozenAtMs !== null };
  await history.expectReply({ status: 200, body: expected }, "POST", "/_sandbox/clock/advance", { body });
  // The used amounts depend on the time.
  history.expireDueCards();
  compareWorlds(history);
}

async function freezeClock(history: History, { frozen }: { frozen: boolean }): Promise<void> {
  const nowMs = history.nowMs();
  const aheadMs = nowMs - history.sandbox.clockOfTest.now();
  history.world.clock = { frozenAtMs: frozen ? nowMs : null, aheadMs: frozen ? 0 : aheadMs };
  await history.expectReply({ status: 200, body: { now: iso(nowMs), frozen } }, "PUT", "/_sandbox/clock", {
    body: { frozen },
  });
}

async function passRealTime(history: History, { minutes }: { minutes: number }): Promise<void> {
  history.sandbox.clockOfTest.advance(minutes * 60_000);
  history.trace.push(`${minutes} minutes of real time pass`);
  const body = { now: iso(history.nowMs()), frozen: history.world.clock.frozenAtMs !== null };
  await history.expectReply({ status: 200, body }, "GET", "/_sandbox/clock");
}

async function reset(history: History, values: { company: number | undefined }): Promise<void> {
  const company = companyOf(history, values.company);
  if (company) resetCompany(history, company);
  else history.world = history.start;
  const body = company ? { company: nameOf(company) } : {};
  const expected = { now: iso(history.nowMs(company && history.company(company.id))) };
  await history.expectReply({ status: 200, body: expected }, "POST", "/_sandbox/reset", { body });
}

/** Restores the initial state of a company, without members of companies that were deleted since. */
function resetCompany({ world }: History, { id }: Company): void {
  const initial = world.beginnings[id];
  if (!initial) throw new Error(`the model has no initial state of company ${id}`);
  const restored = structuredClone(initial);
  restored.members = restored.members.filter(
    ({ homeId }) => homeId === id || world.companies.some((each) => each.id === homeId),
  );
  world.companies = world.companies.map((each) => (each.id === id ? restored : each));
  world.tokens = world.tokens.filter(({ companyId }) => companyId !== id);
  world.armed = world.armed.filter(({ companyId }) => companyId !== id);
}

async function snapshot(history: History, { name }: { name: string }): Promise<void> {
  history.snapshots.set(name, structuredClone(history.world));
  await history.expectReply({ status: 201, body: { name } }, "POST", "/_sandbox/snapshots", {
    body: { name },
  });
}

async function restore(history: History, { name }: { name: string }): Promise<void> {
  const kept = history.snapshots.get(name);
  const path = `/_sandbox/snapshots/${name}/restore`;
  if (!kept) {
    await history.expectReply({ status: 404 }, "POST", path);
    return;
  }
  history.world = structuredClone(kept);
  await history.expectReply({ status: 200, body: { now: iso(history.nowMs()) } }, "POST", path);
}

const arming = {
  name: fc.constantFrom(...(Object.keys(scenarios) as ScenarioName[])),
  company: fc.constantFrom(undefined, 0, 0, 0, 1),
  times: fc.constantFrom(undefined, 1, 1, 1, 2, 2),
  isForVirtual: seldom(fc.constant(true), 4),
};

async function arm(
  history: History,
  values: {
    name: ScenarioName;
    company: number | undefined;
    times: number | undefined;
    isForVirtual: true | undefined;
  },
): Promise<void> {
  const { name, times, isForVirtual } = values;
  const company = companyOf(history, values.company);
  const operation = isForVirtual && ofVirtualOrders.includes(name) ? "orderVirtualCard" : null;
  const body = {
    ...(company && { company: nameOf(company) }),
    ...(times && { times }),
    ...(operation && { operation }),
  };
  const expected = {
    status: 201,
    body: { name, times: times ?? null, steps_taken: 0, fired: 0, spent: false },
  };
  const { json } = await history.expectReply(expected, "POST", `/_sandbox/scenarios/${name}/arm`, { body });
  const companyId = company?.id ?? null;
  history.world.armed.push({
    id: json.id,
    name,
    companyId,
    operation,
    times: times ?? null,
    taken: 0,
    fired: 0,
  });
}

async function disarm(history: History, values: { company: number | undefined }): Promise<void> {
  const company = companyOf(history, values.company);
  const { world } = history;
  world.armed = company ? world.armed.filter(({ companyId }) => companyId !== company.id) : [];
  const query = company ? `?company=${encodeURIComponent(nameOf(company))}` : "";
  await history.expectReply({ status: 204 }, "DELETE", `/_sandbox/armed${query}`);
}

const names = fc.constantFrom("a", "a", "a", "b");
export const advanceSteps = steps("advance the clock", { by: durations, company: someCompany }, advance);
export const freezeClockSteps = steps("freeze or release the clock", { frozen: fc.boolean() }, freezeClock);
export const realTimeSteps = steps(
  "let real time pass",
  { minutes: fc.constantFrom(1, 14, 15, 600) },
  passRealTime,
);
export const resetSteps = steps("reset", { company: someCompany }, reset);
export const snapshotSteps = steps("snapshot", { name: names }, snapshot);
export const restoreSteps = steps("restore", { name: names }, restore);
export const armSteps = steps("arm", arming, arm);
export const disarmSteps = steps("disarm", { company: someCompany }, disarm);
