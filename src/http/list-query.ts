import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { base64urlnopad } from "@scure/base";
import * as z from "zod";
import type { Contract } from "../contract/dialect.ts";
import { defaultLimit, greatestLimit, pagingParameters } from "../contract/list.ts";
import { linkTo, type PagePosition, pageBody, positionOf } from "../contract/list-page.ts";
import { operations } from "../contract/operations.ts";
import type { ErrorPointId, SuccessPointId } from "../contract/points.ts";
import { quoted, SandboxError } from "../rules/errors.ts";
import { describeIssues, didYouMean } from "../rules/issues.ts";
import { hashOfSecret } from "../rules/random.ts";
import type { Listed, Page } from "../store/database.ts";
import type { HttpServices, RequestContext } from "./context.ts";
import { respond } from "./respond.ts";

/** The query of a list. */
export interface ListQuery<Filters> {
  readonly contract: Contract;
  readonly filters: Filters;
  /** The rows to ask the store for. */
  readonly page: Page;
  readonly limit: number;
  /** The number of rows before the page. */
  readonly offset: number;
  /** The position of the last row of the previous page; undefined for the first page. */
  readonly after: number | undefined;
  /** A digest of the list that the next cursor continues. */
  readonly binding: string;
}

/** One page of a list. */
export interface ListPage<Row> {
  readonly contract: Contract;
  readonly rows: readonly Row[];
  readonly position: PagePosition;
}

/**
 * Reads the query of a list. A cursor is valid only for the list that returned it.
 * @param scope - identifies the list together with its filters: the company, and the member if it sees only its own rows
 * @throws SandboxError `point`: a parameter is unknown or invalid
 */
export function readListQuery<Shape extends z.core.$ZodShape>(
  { dialects }: HttpServices,
  c: RequestContext,
  shape: Shape,
  scope: string,
  point: ErrorPointId,
): ListQuery<z.output<z.ZodObject<Shape>>> {
  const contract = dialects.of(c.get("caller").companyPk);
  const schema = schemaOf(contract, shape);
  const result = schema.safeParse(c.req.queries());
  if (!result.success) throw new SandboxError(point, messageOf(result.error, Object.keys(schema.shape)));
  const { limit, per_page, cursor, offset, page, ...filters } = result.data as Paging &
    z.output<z.ZodObject<Shape>>;
  const size = Math.min(limit ?? per_page ?? defaultLimit(contract), greatestLimit);
  const binding = digestOf([scope, c.req.path, ...Object.entries(filters).toSorted()]);
  const after = cursor === undefined ? undefined : positionIn(cursor, binding);
  if (cursor !== undefined && after === undefined && contract.choices["lists.bad_cursor"] === "refused") {
    throw new SandboxError(
      point,
      "cursor: must be the next_cursor of the previous page of this list, with the same filters",
    );
  }
  return {
    contract,
    filters: filters as z.output<z.ZodObject<Shape>>,
    page: isContinued(contract) ? { before: after, limit: size + 1 } : allRows,
    limit: size,
    offset: offset ?? ((page ?? 1) - 1) * size,
    after,
    binding,
  };
}

/** The parameters of each paging. */
interface Paging {
  readonly limit?: number;
  readonly per_page?: number;
  readonly cursor?: string;
  readonly offset?: number;
  readonly page?: number;
}

/** Whether the store can return a page alone. Otherwise it returns all rows: they are counted, or turned round. */
function isContinued({ choices }: Contract): boolean {
  return choices["lists.paging"] === "cursor" && choices["lists.order"] === "newest_first";
}
const allRows: Page = { limit: Number.MAX_SAFE_INTEGER };

const schemas = new WeakMap<Contract, WeakMap<object, z.ZodObject>>();

/** Made on first use and cached, because zod compiles a schema at its first use. */
function schemaOf(contract: Contract, shape: z.core.$ZodShape): z.ZodObject {
  const made = schemas.get(contract) ?? new WeakMap<object, z.ZodObject>();
  const cached = made.get(shape);
  if (cached) return cached;
  const object = contract.choices["lists.unknown_parameter"] === "refused" ? z.strictObject : z.object;
  const schema = object({ ...shape, ...pagingParameters(contract) });
  schemas.set(contract, made.set(shape, schema));
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
 * @param rows - those that the query asked the store for, the newest first
 */
export function pageOf<Row, Shown>(
  rows: readonly Listed<Row>[],
  { contract, limit, offset, after, binding }: ListQuery<unknown>,
  show: (row: Listed<Row>) => Shown,
): ListPage<Shown> {
  const isReversed = contract.choices["lists.order"] === "oldest_first";
  const list = isReversed ? rows.toReversed().filter(({ position }) => position > (after ?? 0)) : rows;
  const shown = list.slice(offset, offset + limit);
  const last = shown.at(-1);
  const next = list.length > offset + limit && last ? cursorOf(last.position, binding) : null;
  const position = positionOf(contract, { limit, offset, total: list.length, next });
  return { contract, rows: shown.map(show), position };
}

/** Responds with a page, in the envelope of the contract. */
export function respondPage(
  services: HttpServices,
  c: RequestContext,
  point: SuccessPointId,
  { contract, rows, position }: ListPage<unknown>,
): Response | Promise<Response> {
  const link = linkTo(contract, c.req.url, position);
  const body = pageBody(contract, operations[c.get("operation")].path, rows, position);
  return respond(services, c, point, body, link === undefined ? undefined : { Link: link });
}

function digestOf(value: unknown): string {
  return bytesToHex(hashOfSecret(JSON.stringify(value)).subarray(0, 8));
}

/** Opaque to the client: the position of the last row, and the list that it belongs to. */
function cursorOf(position: number, binding: string): string {
  return base64urlnopad.encode(utf8ToBytes(`${position}.${binding}`));
}

function positionIn(cursor: string, binding: string): number | undefined {
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
