import type { OperationId } from "../contract/operations.ts";
import { countOf, type Database, inserted } from "./database.ts";

/** The waiting times that replace those of a scenario's steps, by their names in scenario files; null: as in the file. */
export interface Waits {
  readonly retry_after_s: number | null;
  readonly latency_ms: number | null;
  readonly hold_ms: number | null;
}

/** A scenario armed for a company, or for all. */
export interface ArmedRow extends Waits {
  readonly pk: number;
  readonly id: string;
  readonly scenario: string;
  readonly companyPk: number | null;
  readonly companyId: string | null;
  /** The company's slug, or `live/SLUG`. */
  readonly company: string | null;
  readonly operation: OperationId | null;
  readonly apiKeyPk: number | null;
  readonly apiKeyId: string | null;
  /** How often its steps run; null: until it is disarmed. */
  readonly times: number | null;
  readonly stepsTaken: number;
  /** How many of these steps fired. */
  readonly fired: number;
  readonly armedAtMs: number;
  /** 1 if it was armed by the start's options. */
  readonly fromStart: 0 | 1;
}

export type NewArmed = Waits &
  Pick<
    ArmedRow,
    "id" | "scenario" | "companyPk" | "operation" | "apiKeyPk" | "times" | "armedAtMs" | "fromStart"
  >;

const columns = `
  a.pk, a.id, a.scenario, a.company_pk AS companyPk, c.id AS companyId,
  CASE c.environment WHEN 'live' THEN 'live/' || c.slug ELSE c.slug END AS company,
  a.operation, a.api_key_pk AS apiKeyPk, k.id AS apiKeyId, a.times, a.retry_after_s, a.latency_ms, a.hold_ms,
  a.steps_taken AS stepsTaken, a.fired,
  a.armed_at_ms AS armedAtMs, a.from_start AS fromStart
  FROM armed_scenarios a
  LEFT JOIN companies c ON c.pk = a.company_pk
  LEFT JOIN api_keys k ON k.pk = a.api_key_pk`;

const insert = `
  INSERT INTO armed_scenarios (
    id, scenario, company_pk, operation, api_key_pk, times, retry_after_s, latency_ms, hold_ms, armed_at_ms, from_start
  ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING pk`;

/** @returns the new row's number */
export function insertArmed(database: Database, armed: NewArmed): number {
  const { id, scenario, companyPk, operation, apiKeyPk, times, armedAtMs, fromStart } = armed;
  const { retry_after_s, latency_ms, hold_ms } = armed;
  const target = [id, scenario, companyPk, operation, apiKeyPk, times];
  return inserted(database.get(insert, ...target, retry_after_s, latency_ms, hold_ms, armedAtMs, fromStart));
}

/** The armed scenarios, in the order in which they were armed. */
export function listArmed(database: Database): ArmedRow[] {
  return database.all(`SELECT ${columns} ORDER BY a.pk`);
}

export function countArmed(database: Database): number {
  return countOf(database, "SELECT count(*) AS n FROM armed_scenarios");
}

export function findArmed(database: Database, id: string): ArmedRow | undefined {
  return database.get(`SELECT ${columns} WHERE a.id = ?`, id.toLowerCase());
}

/** Counts a claimed step. */
export function claimArmedStep(database: Database, pk: number, fired: boolean): void {
  database.run(
    "UPDATE armed_scenarios SET steps_taken = steps_taken + 1, fired = fired + ? WHERE pk = ?",
    fired ? 1 : 0,
    pk,
  );
}

/** Makes an armed scenario begin again with its first step. */
export function restartArmed(database: Database, pk: number): void {
  database.run("UPDATE armed_scenarios SET steps_taken = 0 WHERE pk = ?", pk);
}

/** Disarms a scenario. */
export function deleteArmed(database: Database, pk: number): void {
  database.run("DELETE FROM armed_scenarios WHERE pk = ?", pk);
}

/** Disarms the scenarios of the start's options. */
export function deleteArmedFromStart(database: Database): void {
  database.run("DELETE FROM armed_scenarios WHERE from_start = 1");
}

/** How many steps of a scenario that requests chose themselves were claimed with one Idempotency-Key. */
export function chosenStepsTaken(
  database: Database,
  companyPk: number,
  scenario: string,
  idempotencyKey: string,
): number {
  const query = `
    SELECT steps_taken AS n FROM chosen_scenarios
    WHERE company_pk = ? AND scenario = ? AND idempotency_key = ?`;
  return database.get<{ n: number }>(query, companyPk, scenario, idempotencyKey)?.n ?? 0;
}

/** Each request may have a new Idempotency-Key, so only the latest rows are kept; older ones start again. */
const mostChosen = 100_000;

const deleteOldChosen = `
  DELETE FROM chosen_scenarios WHERE pk <= (SELECT max(pk) FROM chosen_scenarios) - ${mostChosen}`;

/** Counts a claimed step. */
export function claimChosenStep(
  database: Database,
  companyPk: number,
  scenario: string,
  idempotencyKey: string,
): void {
  database.run(
    `INSERT INTO chosen_scenarios (company_pk, scenario, idempotency_key, steps_taken) VALUES (?, ?, ?, 1)
     ON CONFLICT (company_pk, scenario, idempotency_key) DO UPDATE SET steps_taken = steps_taken + 1`,
    companyPk,
    scenario,
    idempotencyKey,
  );
  database.run(deleteOldChosen);
}
