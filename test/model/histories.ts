import fc from "fast-check";
import type { TestOptions } from "../support/open-sandbox.ts";
import { compareOutlines, compareWorlds } from "./comparison.ts";
import { History } from "./history.ts";
import type { Step } from "./step.ts";
import { changeSteps } from "./steps/card-changes.ts";
import { listSteps, showSteps } from "./steps/lists.ts";
import { paySteps, refundSteps, settleSteps, topUpSteps } from "./steps/money.ts";
import {
  accountSteps,
  companySteps,
  createCompanySteps,
  deleteCompanySteps,
  holdAndLiftSteps,
  operateSteps,
  roleSteps,
} from "./steps/operator.ts";
import { orderSteps, retrySteps } from "./steps/order.ts";
import { replaceSteps } from "./steps/replacement.ts";
import {
  advanceSteps,
  armSteps,
  disarmSteps,
  freezeClockSteps,
  realTimeSteps,
  resetSteps,
  restoreSteps,
  snapshotSteps,
} from "./steps/state.ts";
import { badExchangeSteps, createKeySteps, exchangeSteps, revokeKeySteps } from "./steps/tokens.ts";
import { virtualSteps } from "./steps/virtual-order.ts";

/** All kinds of steps with their weights. */
const weighted: readonly (readonly [number, fc.Arbitrary<Step>])[] = [
  [24, orderSteps],
  [8, retrySteps],
  [9, virtualSteps],
  [8, replaceSteps],
  [14, changeSteps],
  [14, paySteps],
  [8, settleSteps],
  [4, refundSteps],
  [1, topUpSteps],
  [4, listSteps],
  [1, showSteps],
  [2, exchangeSteps],
  [1, badExchangeSteps],
  [1, createKeySteps],
  [1, revokeKeySteps],
  [6, operateSteps],
  [3, holdAndLiftSteps],
  [4, companySteps],
  [1, accountSteps],
  [1, roleSteps],
  [1, createCompanySteps],
  [1, deleteCompanySteps],
  [5, armSteps],
  [1, disarmSteps],
  [5, advanceSteps],
  [1, freezeClockSteps],
  [1, realTimeSteps],
  [2, resetSteps],
  [3, snapshotSteps],
  [3, restoreSteps],
];

const step = fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })));
/** The start of a history: mostly shortly before a day, week, month or summer time begins or ends in the UK. */
export const beginnings = fc.constantFrom(
  "2026-03-10T09:30:00.000Z",
  "2026-03-28T23:30:00.000Z",
  "2026-03-29T22:30:00.000Z",
  "2026-04-30T22:30:00.000Z",
  "2026-10-24T22:30:00.000Z",
  "2026-10-31T23:30:00.000Z",
);
export const histories = fc.noBias(fc.array(step, { minLength: 1, maxLength: 40, size: "max" }));

/** How a history is played. */
export interface Played {
  readonly options?: TestOptions;
  /** Whether the sandbox is closed in the middle, and its file opened again. */
  readonly isReopened?: boolean;
}

/**
 * Plays one history, and compares the sandbox with the model after each step.
 * @returns the contract points of the responses
 */
export async function play(
  now: string,
  steps: readonly Step[],
  { options, isReopened = false }: Played = {},
): Promise<readonly string[]> {
  const history = new History(now, options);
  for (const [i, step] of steps.entries()) {
    if (isReopened && i === Math.floor(steps.length / 2)) await history.reopen();
    history.trace.push(`${i + 1}. ${step}`);
    history.expireDueCards();
    await step.run(history);
    history.expireDueCards();
    compareOutlines(history);
  }
  compareWorlds(history);
  await history.sandbox.end();
  return history.sandbox.exchanges.flatMap(({ point }) => point ?? []);
}

const { MODEL_SEED, MODEL_PATH } = process.env;

/**
 * Plays random histories. One that fails is shrunk and printed with its seed and path, which play it again:
 * `MODEL_SEED=… MODEL_PATH=… npx vitest run test/model/histories.test.ts`.
 * @param round - each round plays other histories
 * @returns the contract points of the responses
 */
export async function playHistories(count: number, round = 0): Promise<ReadonlySet<string>> {
  const met = new Set<string>();
  const property = fc.asyncProperty(beginnings, histories, async (now, steps) => {
    for (const point of await play(now, steps)) met.add(point);
  });
  await fc.assert(property, {
    numRuns: count,
    ...(MODEL_SEED && { seed: Number(MODEL_SEED) + round }),
    ...(MODEL_PATH && { path: MODEL_PATH }),
  });
  return met;
}
