import type { Clock } from "../rules/clock.ts";
import { hashOfSecret } from "../rules/random.ts";
import type { Services } from "../runtime/services.ts";
import { apiKeyByHash } from "../store/api-keys.ts";
import { findCompany } from "../store/companies.ts";
import type { Outgoing } from "../store/webhook-deliveries.ts";
import type { AttemptOutcome } from "../webhooks/attempt.ts";
import { Coverage } from "./coverage.ts";
import type { Exchange, Observe } from "./exchange.ts";
import { Findings } from "./findings/findings.ts";
import type { WebhookAttempt } from "./findings/rule.ts";
import { Journal } from "./journal.ts";

const defaultEntries = 1000;

/** Everything that a sandbox records about requests. */
export interface Records {
  readonly journal: Journal;
  readonly coverage: Coverage;
  readonly findings: Findings;
  readonly observe: Observe;
  /** Records an attempt to deliver a webhook event. */
  observeDelivery(outgoing: Outgoing, outcome: AttemptOutcome): void;
}

interface RecordsPorts {
  readonly services: Services;
  readonly clock: Clock;
  /** The maximum number of requests in the journal; default 1000. */
  readonly entries: number | undefined;
  /** The maximum memory of the journal, in bytes. */
  readonly bytes: number | undefined;
  /** The id before that of the first request. */
  readonly after: number | undefined;
  /** How often scenarios for a company, or for all, were armed or disarmed. */
  readonly armingsOf: (companyPk: number) => number;
  /** Called when a rule throws, with the error and the request. */
  readonly onDefect: (defect: Error, exchange: Exchange | undefined) => void;
}

export function openRecords({ services, clock, entries, bytes, after, ...ports }: RecordsPorts): Records {
  const journal = new Journal(entries ?? defaultEntries, bytes, after);
  const coverage = new Coverage((company) => {
    const found = company === undefined ? undefined : findCompany(services.database, company);
    return services.dialects.of(found?.pk);
  });
  const findings = new Findings({
    holderOf: (secret) => apiKeyByHash(services.database, services.fixtureKeys, hashOfSecret(secret))?.caller,
    generationOf: (companyPk) => services.generations.of(companyPk),
    requestOf: (id) => journal.kept(id),
    moment: () => ({ nowMs: clock.now(), realMs: clock.ticks() }),
    ...ports,
  });
  services.generations.onEnding(() => findings.catchUp());
  return {
    journal,
    coverage,
    findings,
    observe: (exchange, messages) => {
      const id = journal.record(exchange, messages);
      coverage.record(exchange, id);
      findings.record(exchange, messages, id);
    },
    observeDelivery: (outgoing, outcome) => findings.attempted(attemptOf(outgoing, outcome)),
  };
}

function attemptOf(outgoing: Outgoing, outcome: AttemptOutcome): WebhookAttempt {
  const { companyPk, companyId, companySlug, environment } = outgoing;
  const { webhookId, id: deliveryId, url, faults, tries } = outgoing;
  const forced = tries === 0 && Object.keys(faults).length > 0;
  const invalid = faults.badSignature ? "signature" : faults.stale ? "timestamp" : undefined;
  const broken = forced ? invalid : undefined;
  const company = { companyPk, companyId, companySlug, environment };
  return { ...outcome, company, webhookId, deliveryId, url, forced, broken };
}
