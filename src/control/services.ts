import { type Contract, selected } from "../contract/dialect.ts";
import type { Coverage } from "../journal/coverage.ts";
import type { FindingsFilter } from "../journal/findings/finding.ts";
import type { Findings } from "../journal/findings/findings.ts";
import type { Journal } from "../journal/journal.ts";
import type { Records } from "../journal/records.ts";
import type { RunReport } from "../journal/suite.ts";
import type { Clock } from "../rules/clock.ts";
import type { Scenarios } from "../scenarios/arming.ts";
import type { Receiver } from "../webhooks/receiver.ts";
import type { OpenWorld } from "../world/open-world.ts";
import { ApiKeys } from "./api-keys.ts";
import { Cards } from "./cards.ts";
import { SandboxTime } from "./clock.ts";
import { Companies } from "./companies.ts";
import { SandboxDialect } from "./dialects.ts";
import { optionalCompanyPk } from "./lookup.ts";
import type { Replay } from "./replay.ts";
import { Requests } from "./requests.ts";
import { ArmedScenarios } from "./scenarios.ts";
import { Invoices, Simulator } from "./simulator.ts";
import { SandboxState } from "./state.ts";
import { SandboxTape, type TapeRecorder } from "./tape.ts";
import { Webhooks } from "./webhooks.ts";

/** What the control API and the dashboard work with. */
export interface ControlServices {
  readonly companies: Companies;
  readonly cards: Cards;
  readonly apiKeys: ApiKeys;
  readonly invoices: Invoices;
  readonly simulator: Simulator;
  readonly scenarios: ArmedScenarios;
  readonly time: SandboxTime;
  readonly state: SandboxState;
  readonly dialect: SandboxDialect;
  readonly tape: SandboxTape;
  readonly webhooks: Webhooks;
  readonly journal: Journal;
  readonly requests: Requests;
  readonly coverage: Coverage;
  /**
   * The contract under the dialect of the sandbox or of a company.
   * @throws ControlError 404
   */
  readonly contract: (company?: string) => Contract;
  readonly findings: Findings;
  /** Everything that a verdict about the sandbox's clients needs. */
  readonly report: (filter: FindingsFilter) => RunReport;
  readonly clock: Clock;
  readonly seed: number;
  readonly version: string;
  /** The tape that this sandbox plays; undefined: none. */
  readonly replay: Replay | undefined;
  /** Called for unexpected errors. */
  readonly onDefect: (defect: Error, method: string, path: string) => void;
}

interface ControlParts {
  readonly ports: {
    /** Real time. */
    readonly clock: Clock;
    readonly version: string;
    readonly replay?: Replay | undefined;
    readonly tapeRecorder?: TapeRecorder | undefined;
  };
  readonly world: Pick<OpenWorld, "services" | "clock" | "seed" | "restart">;
  readonly scenarios: Scenarios;
  readonly records: Records;
  readonly delivery: {
    /** Called after the clock was moved. */
    clockMoved(): void;
    /** Resolves when everything that is due has been attempted. */
    settled(): Promise<void>;
    /** The number of attempts in progress. */
    inProgress(): number;
    readonly receiver: Receiver;
  };
  /** The external hosts that may receive webhooks. */
  readonly webhookHosts: readonly string[];
  readonly onDefect: ControlServices["onDefect"];
}

export function openControl(parts: ControlParts): ControlServices {
  const { ports, world, scenarios, records, delivery, onDefect } = parts;
  const { services, clock, seed } = world;
  const { database } = services;
  const { journal, coverage, findings } = records;
  const armed = new ArmedScenarios(database, scenarios);
  return {
    companies: new Companies(services),
    cards: new Cards(services, journal),
    apiKeys: new ApiKeys(services),
    invoices: new Invoices(services),
    simulator: new Simulator(services),
    scenarios: armed,
    time: new SandboxTime(database, clock, delivery.clockMoved),
    state: new SandboxState(world, scenarios),
    dialect: new SandboxDialect(services),
    tape: new SandboxTape(ports.tapeRecorder, () => ({
      requests: scenarios.waiting.count,
      deliveries: delivery.inProgress(),
    })),
    webhooks: new Webhooks(services, delivery, parts.webhookHosts, ports.clock),
    journal,
    requests: new Requests(journal, coverage, findings),
    coverage,
    contract: (company) => services.dialects.of(optionalCompanyPk(database, company)),
    findings,
    report: ({ final }) => {
      const tape = ports.tapeRecorder?.recording?.path ?? undefined;
      return {
        version: ports.version,
        dialect: selected(services.dialects.all.dialect),
        ...(tape !== undefined && { tape }),
        scenario: scenarios.fromStart ?? null,
        requests: journal.received,
        findings: findings.report({ final }),
        unused_scenarios: armed.unused(),
        coverage: coverage.report(),
      };
    },
    clock: ports.clock,
    seed,
    version: ports.version,
    replay: ports.replay,
    onDefect,
  };
}
