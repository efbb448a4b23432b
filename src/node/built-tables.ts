import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { prepareSchema, schemaOf } from "../store/meta.ts";
import { openDatabase } from "./better-sqlite3.ts";

/** What the build made of the steps of `store/schema.ts`. */
const builtTables = fileURLToPath(new URL("../tables.sql", import.meta.url));

/** The tables of a new database as the build made them, so that no start takes each step; nothing from the sources. */
export function readBuiltTables(): string | undefined {
  return existsSync(builtTables) ? readFileSync(builtTables, "utf8") : undefined;
}

/** The tables to which the steps lead, which the build keeps. */
export function makeTables(): string {
  const database = openDatabase(":memory:");
  prepareSchema(database);
  const tables = schemaOf(database);
  database.close();
  return tables;
}
