import type { Choices } from "../contract/behaviours.ts";
import { companyNow } from "../rules/clock.ts";
import type { Services } from "../runtime/services.ts";
import {
  endRound,
  insertAttempt,
  type Outgoing,
  postpone,
  releaseHeldBack,
} from "../store/webhook-deliveries.ts";
import { disableWebhook } from "../store/webhooks.ts";
import { type AttemptOutcome, attempt, type Sending } from "./attempt.ts";
import { unexpiredSecrets, webhookSecret } from "./signing.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** The delays between a failed attempt and the next one. After the last, the delivery has failed. */
const retryDelaysMs: Readonly<Record<Choices["webhooks.retry_schedule"], readonly number[]>> = {
  standard: [
    5 * second,
    5 * minute,
    30 * minute,
    2 * hour,
    5 * hour,
    10 * hour,
    14 * hour,
    20 * hour,
    24 * hour,
  ],
  three: [10 * minute, 10 * minute, 10 * minute],
  none: [],
};

/** Makes one attempt, or two if the delivery must arrive twice. Faults only affect the first attempt of a round. */
export async function attemptDelivery(
  services: Services,
  sending: Sending,
  outgoing: Outgoing,
  aborted: AbortSignal,
): Promise<AttemptOutcome[]> {
  const { id, url, body, companyPk, clockOffsetMs } = outgoing;
  const faults = outgoing.tries === 0 ? outgoing.faults : {};
  const { choices } = services.dialects.of(outgoing.companyPk);
  const secrets = secretsOf(services, outgoing);
  const message = { id, url, body, secrets, companyPk, clockOffsetMs, faults, choices };
  const outcomes = [await attempt(sending, message, aborted)];
  if (faults.duplicate && !aborted.aborted) outcomes.push(await attempt(sending, message, aborted));
  return outcomes;
}

/** The most attempts of one round. */
export function mostAttempts(choices: Pick<Choices, "webhooks.retry_schedule">): number {
  return retryDelaysMs[choices["webhooks.retry_schedule"]].length + 1;
}

/** The webhook's secret, and the earlier ones that have not expired. */
export function secretsOf(
  { clock, random }: Pick<Services, "clock" | "random">,
  {
    companyId,
    secretNumber,
    previousSecrets,
    clockOffsetMs,
  }: Pick<Outgoing, "companyId" | "secretNumber" | "previousSecrets" | "clockOffsetMs">,
): string[] {
  const previous = unexpiredSecrets(previousSecrets, companyNow(clock, clockOffsetMs));
  const numbers = [secretNumber, ...previous.map(({ number }) => number)];
  return numbers.map((n) => webhookSecret(random, companyId, n));
}

/**
 * Stores the outcomes of attempts, and ends the round or schedules its next attempt.
 * @param nowMs - when the attempts finished, by the company's clock
 */
export function storeOutcomes(
  { database, dialects }: Services,
  outgoing: Outgoing,
  outcomes: readonly AttemptOutcome[],
  nowMs: number,
): void {
  const { choices } = dialects.of(outgoing.companyPk);
  const delayMs = retryDelaysMs[choices["webhooks.retry_schedule"]][outgoing.tries];
  const disables = choices["webhooks.gone"] === "disables";
  for (const outcome of outcomes) insertAttempt(database, outgoing, nowMs, outcome);
  releaseHeldBack(database, outgoing, nowMs);
  if (outcomes.some(({ error }) => error === null)) endRound(database, outgoing, "delivered");
  else if (disables && outcomes.some(({ status }) => status === 410)) {
    endRound(database, outgoing, "failed");
    disableWebhook(database, outgoing.webhookPk);
  } else if (delayMs === undefined) endRound(database, outgoing, "failed");
  else postpone(database, outgoing, nowMs + delayMs);
}
