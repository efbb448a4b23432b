import type { Coverage } from "../journal/coverage.ts";
import type { Findings } from "../journal/findings/findings.ts";
import type { Journal } from "../journal/journal.ts";
import type { Clock } from "../rules/clock.ts";
import type { ApiKeys } from "./api-keys.ts";
import type { Cards } from "./cards.ts";
import type { Companies } from "./companies.ts";
import type { Invoices } from "./invoices.ts";
import type { Requests } from "./requests.ts";
import type { ArmedScenarios } from "./scenarios.ts";
import type { Simulator } from "./simulator.ts";
import type { SandboxState } from "./state.ts";
import type { SandboxTime } from "./time.ts";
import type { Webhooks } from "./webhooks.ts";

/** What the sandbox's own API works with. */
export interface ControlServices {
  readonly companies: Companies;
  readonly cards: Cards;
  readonly apiKeys: ApiKeys;
  readonly invoices: Invoices;
  readonly simulator: Simulator;
  readonly scenarios: ArmedScenarios;
  readonly time: SandboxTime;
  readonly state: SandboxState;
  readonly webhooks: Webhooks;
  readonly journal: Journal;
  readonly requests: Requests;
  readonly coverage: Coverage;
  readonly findings: Findings;
  readonly clock: Clock;
  readonly seed: number;
  readonly version: string;
  /** Told of what the sandbox itself did wrong. */
  readonly onDefect: (defect: Error, method: string, path: string) => void;
}
