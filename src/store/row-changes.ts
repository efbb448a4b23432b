import type { Database } from "./database.ts";
import { columnsOf, type WorldTable, worldTables } from "./schema.ts";

/** A value of a column; a BLOB in hexadecimal. */
type ColumnValue = string | number | null;
type Row = Readonly<Record<string, ColumnValue>>;

/** A row that was inserted, updated or deleted. */
export interface RowChange {
  readonly table: WorldTable;
  /** The columns of its primary key. */
  readonly key: Row;
  /** Null: it was inserted. */
  readonly before: Row | null;
  /** Null: it was deleted. */
  readonly after: Row | null;
}

/** Records the changes of all rows of the world by temporary triggers, so that it costs as much as the changes. */
export class RowChanges {
  readonly #database: Database;
  readonly #triggers: readonly string[];

  /** Begins to record. Call it outside a transaction: a rollback would drop the triggers. */
  constructor(database: Database) {
    this.#database = database;
    const made = worldTables.flatMap((table) =>
      (["INSERT", "UPDATE", "DELETE"] as const).map((event) => triggerOf(table, event)),
    );
    this.#triggers = made.map(({ name }) => name);
    database.exec(
      `CREATE TEMP TABLE row_changes (pk INTEGER PRIMARY KEY, of_table TEXT NOT NULL, before TEXT, after TEXT);
       ${made.map(({ sql }) => sql).join(";\n")}`,
    );
  }

  /** Ends the recording, and returns the net changes in the order in which the rows first changed. */
  end(): RowChange[] {
    const recorded = this.#database.all<{
      of_table: WorldTable;
      before: string | null;
      after: string | null;
    }>("SELECT of_table, before, after FROM row_changes ORDER BY pk");
    this.#database.exec(
      `${this.#triggers.map((name) => `DROP TRIGGER ${name};`).join("")} DROP TABLE row_changes`,
    );
    const keys = new Map<WorldTable, readonly string[]>();
    const changes = new Map<string, RowChange>();
    for (const { of_table: table, ...row } of recorded) {
      const before: Row | null = JSON.parse(row.before ?? "null");
      const after: Row | null = JSON.parse(row.after ?? "null");
      const columns = keys.get(table) ?? this.#keyOf(table);
      keys.set(table, columns);
      const key = picked(after ?? before ?? {}, columns);
      const name = JSON.stringify([table, picked(before ?? after ?? {}, columns)]);
      const first = changes.get(name);
      changes.set(name, { table, key, before: first ? first.before : before, after });
    }
    return [...changes.values()].filter(
      ({ before, after }) => JSON.stringify(before) !== JSON.stringify(after),
    );
  }

  #keyOf(table: WorldTable): string[] {
    const columns = this.#database.all<{ name: string }>(
      "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk",
      table,
    );
    return columns.map(({ name }) => name);
  }
}

/** The names of the columns whose values differ; all columns of a row that was inserted or deleted. */
export function changedColumns({ before, after }: RowChange): string[] {
  return Object.keys(after ?? before ?? {}).filter(
    (name) => !before || !after || before[name] !== after[name],
  );
}

function picked(row: Row, columns: readonly string[]): Row {
  return Object.fromEntries(columns.map((name) => [name, row[name] ?? null]));
}

function triggerOf(table: WorldTable, event: "INSERT" | "UPDATE" | "DELETE") {
  const before = event === "INSERT" ? "NULL" : jsonOf(table, "OLD");
  const after = event === "DELETE" ? "NULL" : jsonOf(table, "NEW");
  const name = `row_changes_${event.toLowerCase()}_${table}`;
  const sql = `CREATE TEMP TRIGGER ${name} AFTER ${event} ON main.${table} BEGIN
    INSERT INTO row_changes (of_table, before, after) VALUES ('${table}', ${before}, ${after}); END`;
  return { name, sql };
}

function jsonOf(table: WorldTable, row: "OLD" | "NEW"): string {
  const values = columnsOf(table).map((name) => {
    const value = `${row}.${name}`;
    return `'${name}', CASE typeof(${value}) WHEN 'blob' THEN lower(hex(${value})) ELSE ${value} END`;
  });
  return `json_object(${values.join(", ")})`;
}
