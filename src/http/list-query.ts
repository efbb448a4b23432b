import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { base64urlnopad } from "@scure/base";
import type { Context } from "hono";
import * as z from "zod";
import { type listOf, paging } from "../contract/list.ts";
import type { ErrorPointId } from "../contract/points.ts";
import { quoted, SandboxError } from "../rules/errors.ts";
import { describeIssues, didYouMean } from "../rules/issues.ts";
import { hashOfSecret } from "../rules/random.ts";
import type { Listed } from "../store/database.ts";

const defaultLimit = 50;

/** The query of a list. */
export interface ListQuery<Filters> {
  readonly filters: Filters;
  readonly limit: number;
  /** The position of the last row of the previous page; undefined for the first page. */
  readonly after: number | undefined;
  /** A digest of the list that the next cursor continues. */
  readonly binding: string;
}

/** One page of a list. */
export interface ListPage<Row> extends Omit<z.output<ReturnType<typeof listOf>>, "data"> {
  readonly data: readonly Row[];
}

/**
 * Reads the query of a list. A cursor is valid only for the list that returned it.
 * @param scope - identifies the list together with its filters: the company, and the member if it sees only its own rows
 * @throws SandboxError `point`: a parameter is unknown or invalid
 */
export function readListQuery<Shape extends z.core.$ZodShape>(
  c: Context,
  shape: Shape,
  scope: string,
  point: ErrorPointId,
): ListQuery<z.output<z.ZodObject<Shape>>> {
  const schema = schemaOf(shape);
  const result = schema.safeParse(c.req.queries());
  if (!result.success) throw new SandboxError(point, messageOf(result.error, Object.keys(schema.shape)));
  const {
    limit = defaultLimit,
    cursor,
    ...filters
  } = result.data as {
    limit?: number;
    cursor?: string;
  } & z.output<z.ZodObject<Shape>>;
  const binding = digestOf([scope, c.req.path, ...Object.entries(filters).toSorted()]);
  const after = cursor === undefined ? undefined : positionOf(cursor, binding);
  if (cursor !== undefined && after === undefined) {
    throw new SandboxError(
      point,
      "cursor: must be the next_cursor of the previous page of this list, with the same filters",
    );
  }
  return { filters: filters as z.output<z.ZodObject<Shape>>, limit, after, binding };
}

const schemas = new WeakMap<object, z.ZodObject>();

/** Made on first use and cached, because zod compiles a schema at its first use. */
function schemaOf(shape: z.core.$ZodShape): z.ZodObject {
  const cached = schemas.get(shape);
  if (cached) return cached;
  const schema = z.strictObject({ ...shape, ...paging });
  schemas.set(shape, schema);
  return schema;
}

function messageOf({ issues }: z.ZodError, known: readonly string[]): string {
  return describeIssues(issues, (issue) =>
    issue.code === "unrecognized_keys"
      ? unknownParameter(issue.keys[0] ?? "", known)
      : `${String(issue.path[0])}: ${issue.message}`,
  );
}

function unknownParameter(name: string, known: readonly string[]): string {
  return `unknown parameter ${quoted(name)}${didYouMean(name, known)}`;
}

/**
 * Makes a page of a list.
 * @param rows - the newest first; one more than the limit if the list continues
 */
export function pageOf<Row, Shown>(
  rows: readonly Listed<Row>[],
  { limit, binding }: ListQuery<unknown>,
  show: (row: Listed<Row>) => Shown,
): ListPage<Shown> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit;
  return {
    data: shown.map(show),
    has_more: hasMore,
    next_cursor: hasMore && last ? cursorOf(last.position, binding) : null,
  };
}

function digestOf(value: unknown): string {
  return bytesToHex(hashOfSecret(JSON.stringify(value)).subarray(0, 8));
}

/** Opaque to the client: the position of the last row, and the list that it belongs to. */
function cursorOf(position: number, binding: string): string {
  return base64urlnopad.encode(utf8ToBytes(`${position}.${binding}`));
}

function positionOf(cursor: string, binding: string): number | undefined {
  let text: string;
  try {
    // Unlike base64urlnopad.decode, atob accepts a cursor that a client padded.
    text = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return undefined;
  }
  const [, position, bound] = /^([0-9]{1,15})\.([0-9a-f]+)$/.exec(text) ?? [];
  return bound === binding ? Number(position) : undefined;
}
