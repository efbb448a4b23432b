import { type BehaviourId, behaviourIds } from "../contract/behaviours.ts";
import { conflictIn, type Dialect, defaultOf } from "../contract/dialect.ts";
import { dialectSchema, withSelections } from "../contract/dialect-file.ts";
import type { DialectInput } from "../contract/selections.ts";
import type { KeyQuota } from "../rules/api-key.ts";
import { SetupError } from "../rules/errors.ts";
import { describeIssues, unknownKeyMessage, usualMessage, withPath } from "../rules/issues.ts";
import type { SandboxOptions } from "./create-sandbox.ts";
import { readDialectFile } from "./input-files.ts";

/** The options that select alternatives. */
export type DialectOptions = Pick<SandboxOptions, "dialect" | "onBehalfOf" | "keyQuota">;

/**
 * The dialect that the options select together.
 * @throws SetupError if the file cannot be read, the dialect is invalid, or another option contradicts it
 */
export function readDialect({ dialect, onBehalfOf, keyQuota }: DialectOptions): Dialect {
  if (dialect === undefined && onBehalfOf === undefined && keyQuota === undefined) return {};
  const selected = typeof dialect === "string" ? readDialectFile(dialect) : checked(dialect ?? {});
  const source = typeof dialect === "string" ? dialect : "the option dialect";
  const shorthand = { "on_behalf_of.mode": onBehalfOf, "api_keys.quota": keyQuota } as const;
  const names = {
    "on_behalf_of.mode": "--on-behalf-of (onBehalfOf)",
    "api_keys.quota": "--key-quota (keyQuota)",
  };
  const all: Record<string, Dialect[BehaviourId]> = { ...selected };
  for (const id of ["on_behalf_of.mode", "api_keys.quota"] as const) {
    const use = shorthand[id];
    const other = selected[id]?.use;
    if (use === undefined || use === other) continue;
    if (other !== undefined) {
      throw new SetupError(
        `${names[id]}: is ${use}, but ${source} selects ${id}: ${other}. Remove one of them, or make them agree.`,
      );
    }
    all[id] = { use };
  }
  refuseConflict(all as Dialect, source);
  return all as Dialect;
}

/** The key quota of a dialect, on which the validity of fixtures depends. */
export function keyQuotaOf(dialect: Dialect): KeyQuota {
  return dialect["api_keys.quota"]?.use ?? (defaultOf("api_keys.quota").id as KeyQuota);
}

/** Each behavior that differs, such as `replay.status: 200 (was 201)`. */
export function changesOf(before: Dialect, after: Dialect): string[] {
  return behaviourIds.flatMap((id) => {
    if (JSON.stringify(before[id]) === JSON.stringify(after[id])) return [];
    const [was, is] = [before, after].map((each) => each[id]?.use ?? defaultOf(id).id);
    return [was === is ? `${id}: ${is} (another provenance)` : `${id}: ${is} (was ${was})`];
  });
}

/** @throws SetupError if JavaScript code passed an unknown behavior or alternative */
function checked(input: DialectInput): Dialect {
  const schema = dialectSchema();
  const result = schema.safeParse(withSelections(input), { error: usualMessage });
  if (result.success) return result.data as Dialect;
  const message = describeIssues(result.error.issues, (issue) =>
    issue.code === "unrecognized_keys"
      ? withPath({ path: issue.path, message: unknownKeyMessage(issue.keys[0] ?? "", schema, issue.path) })
      : withPath(issue),
  );
  throw new SetupError(`dialect: ${message}`);
}

function refuseConflict(dialect: Dialect, source: string): void {
  const conflict = conflictIn(dialect);
  if (conflict !== undefined) throw new SetupError(`${source}: ${conflict}`);
}
