import fc from "fast-check";
import { agrees, agreesInOutline } from "./agreement.ts";
import { History } from "./history.ts";
import type { Step } from "./step.ts";
import { changeSteps, replaceSteps } from "./steps/card-changes.ts";
import { listSteps, showSteps } from "./steps/lists.ts";
import { paySteps, refundSteps, settleSteps, topUpSteps } from "./steps/money.ts";
import {
  accountSteps,
  companySteps,
  createCompanySteps,
  deleteCompanySteps,
  operateSteps,
  roleSteps,
} from "./steps/operator.ts";
import { orderSteps, virtualSteps } from "./steps/order.ts";
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

/** What can happen, and how often beside the rest. */
const weighted: readonly (readonly [number, fc.Arbitrary<Step>])[] = [
  [24, orderSteps],
  [8, virtualSteps],
  [8, replaceSteps],
  [14, changeSteps],
  [10, paySteps],
  [6, settleSteps],
  [3, refundSteps],
  [1, topUpSteps],
  [5, listSteps],
  [2, showSteps],
  [3, exchangeSteps],
  [1, badExchangeSteps],
  [2, createKeySteps],
  [1, revokeKeySteps],
  [5, operateSteps],
  [3, companySteps],
  [1, accountSteps],
  [1, roleSteps],
  [2, createCompanySteps],
  [1, deleteCompanySteps],
  [5, armSteps],
  [1, disarmSteps],
  [6, advanceSteps],
  [1, freezeClockSteps],
  [1, realTimeSteps],
  [3, resetSteps],
  [2, snapshotSteps],
  [3, restoreSteps],
];

const step = fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })));
const histories = fc.array(step, { minLength: 1, maxLength: 40, size: "max" });

/** Runs a history, and holds the sandbox to the model after each step. */
async function play(steps: readonly Step[]): Promise<void> {
  const history = new History();
  for (const [i, step] of steps.entries()) {
    history.trace.push(`${i + 1}. ${step}`);
    history.expireDueCards();
    await step.run(history);
    history.expireDueCards();
    const { sandbox, world } = history;
    agreesInOutline({ sandbox, world, same: (...all) => history.same(...all) });
  }
  agrees(history);
  await history.sandbox.end();
}

const { MODEL_SEED, MODEL_PATH } = process.env;

/**
 * Plays so many random histories. One that fails is shrunk, and told with its seed and its path; `MODEL_SEED` and
 * `MODEL_PATH` in the environment play it once more.
 */
export async function playHistories(count: number): Promise<void> {
  await fc.assert(fc.asyncProperty(histories, play), {
    numRuns: count,
    ...(MODEL_SEED && { seed: Number(MODEL_SEED) }),
    ...(MODEL_PATH && { path: MODEL_PATH }),
  });
}
