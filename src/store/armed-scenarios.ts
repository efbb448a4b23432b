import type { OperationId } from "../contract/operations.ts";
import { countOf, type Database, inserted } from "./database.ts";

/** A scenario armed for a company, or for all. */
export interface ArmedRow {
  readonly pk: number;
  readonly id: string;
  readonly scenario: string;
  readonly companyPk: number | null;
  readonly companyId: string | null;
  /** As a tester names the company: its slug, or `live/SLUG`. */
  readonly company: string | null;
  readonly operation: OperationId | null;
  readonly apiKeyPk: number | null;
  readonly apiKeyId: string | null;
  /** How often it runs through its steps; null: until it is disarmed. */
  readonly times: number | null;
  readonly stepsTaken: number;
  /** How many of the steps taken forced something. */
  readonly fired: number;
  readonly armedAtMs: number;
  /** 1 where the sandbox was started with it. */
  readonly fromStart: 0 | 1;
}

export type NewArmed = Pick<
  ArmedRow,
  "id" | "scenario" | "companyPk" | "operation" | "apiKeyPk" | "times" | "armedAtMs" | "fromStart"
>;

const columns = `
  a.pk, a.id, a.scenario, a.company_pk AS companyPk, c.id AS companyId,
  CASE c.environment WHEN 'live' THEN 'live/' || c.slug ELSE c.slug END AS company,
  a.operation, a.api_key_pk AS apiKeyPk, k.id AS apiKeyId, a.times, a.steps_taken AS stepsTaken, a.fired,
  a.armed_at_ms AS armedAtMs, a.from_start AS fromStart
  FROM armed_scenarios a
  LEFT JOIN companies c ON c.pk = a.company_pk
  LEFT JOIN api_keys k ON k.pk = a.api_key_pk`;

const insert = `
  INSERT INTO armed_scenarios (id, scenario, company_pk, operation, api_key_pk, times, armed_at_ms, from_start)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING pk`;

/** @returns the new row's number */
export function insertArmed(database: Database, armed: NewArmed): number {
  const { id, scenario, companyPk, operation, apiKeyPk, times, armedAtMs, fromStart } = armed;
  return inserted(
    database.get(insert, id, scenario, companyPk, operation, apiKeyPk, times, armedAtMs, fromStart),
  );
}

/** What is armed, in the order in which it was. */
export function listArmed(database: Database): ArmedRow[] {
  return database.all(`SELECT ${columns} ORDER BY a.pk`);
}

export function countArmed(database: Database): number {
  return countOf(database, "SELECT count(*) AS n FROM armed_scenarios");
}

export function findArmed(database: Database, id: string): ArmedRow | undefined {
  return database.get(`SELECT ${columns} WHERE a.id = ?`, id.toLowerCase());
}

/** Counts a step as taken. */
export function takeArmedStep(database: Database, pk: number, fired: boolean): void {
  database.run(
    "UPDATE armed_scenarios SET steps_taken = steps_taken + 1, fired = fired + ? WHERE pk = ?",
    fired ? 1 : 0,
    pk,
  );
}

/** Disarms one. */
export function deleteArmed(database: Database, pk: number): void {
  database.run("DELETE FROM armed_scenarios WHERE pk = ?", pk);
}

/** Disarms what the sandbox was started with. */
export function deleteArmedFromStart(database: Database): void {
  database.run("DELETE FROM armed_scenarios WHERE from_start = 1");
}

/** The steps that a company's requests with one Idempotency-Key took of a scenario that they chose themselves. */
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
const chosenKept = 100_000;

const forgetOldChosen = `
  DELETE FROM chosen_scenarios WHERE pk <= (SELECT max(pk) FROM chosen_scenarios) - ${chosenKept}`;

/** Counts a step as taken. */
export function takeChosenStep(
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
  database.run(forgetOldChosen);
}
