import type { Envelope } from "../contract/points.ts";
import type { ProbeReply, Target } from "./probe.ts";

type Row = Readonly<Record<string, unknown>>;

/** Whether the status is 200 to 299. */
export function isSuccess({ status }: Pick<ProbeReply, "status">): boolean {
  return status >= 200 && status < 300;
}

/** The observation of a response whose status no alternative explains. */
export function unexplained({ status }: Pick<ProbeReply, "status">): { readonly unexplained: string } {
  return { unexplained: `status ${status}` };
}

/** The alternative that is named after the status of a response. */
export function byStatus<const Id extends string>(
  { status }: Pick<ProbeReply, "status">,
  ...alternatives: readonly Id[]
): Id | ReturnType<typeof unexplained> {
  return alternatives.find((each) => each === String(status)) ?? unexplained({ status });
}

/** The rows of a list in any envelope: the array, or the first member that is one. */
export function rowsIn(json: unknown): readonly Row[] {
  const candidates = Array.isArray(json) ? [json] : Object.values((json ?? {}) as object);
  return candidates.find(Array.isArray)?.filter(isObject) ?? [];
}

/** The object in a response, which may stand alone or in the member `data`. */
// biome-ignore lint/suspicious/noExplicitAny: an object of any service
export function objectIn(json: any): any {
  return isObject(json) && typeof json.id !== "string" && isObject(json.data) ? json.data : json;
}

/** The id of the object in a response; undefined if there is none. */
export function idIn(json: unknown): string | undefined {
  const id = objectIn(json)?.id;
  return typeof id === "string" && id !== "" ? id : undefined;
}

/** The message of an error in any envelope; empty if there is none. */
export function messageIn(json: unknown): string {
  const at = (value: unknown): string => {
    if (typeof value === "string") return value;
    if (Array.isArray(value)) return at(value[0]);
    if (!isObject(value)) return "";
    const { error_description, detail, message, error, errors, title } = value;
    for (const each of [error_description, detail, message, error, errors, title]) {
      const text = at(each);
      if (text !== "") return text;
    }
    return "";
  };
  return at(json);
}

/** The envelope of an error, whatever its texts are; undefined if a dialect knows no such body. */
export function envelopeOf({ json }: Pick<ProbeReply, "json">): Envelope | undefined {
  if (typeof json?.error?.code === "string" && typeof json.error.message === "string") return "gateway";
  if (typeof json?.error === "string") return json.error_description === undefined ? "card" : "oauth";
  return typeof json?.title === "string" || typeof json?.detail === "string" ? "problem" : undefined;
}

/** The path of the token endpoint for an API key (spec §4). */
export function tokenPath(apiKey: string): string {
  return apiKey.startsWith("sk_live_") ? "/auth/v1/token" : "/auth/v1/sandbox/token";
}

const mostPages = 10;

/** The rows of a list, from its first pages, in any envelope and any style of paging. */
export async function listRows(target: Target, path: string): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let next: string | undefined = path;
  for (let page = 1; next !== undefined && page <= mostPages; page++) {
    const reply = await target.send({ method: "GET", path: next });
    const found = rowsIn(reply.json).filter(({ id }) => !rows.some((row) => row.id === id));
    if (found.length === 0) break;
    rows.push(...found);
    next = nextPage(path, reply, rows.length, page + 1);
  }
  return rows;
}

/** The path of the page after a response: by its link, its cursor, its offset or its number. */
function nextPage(
  path: string,
  { json, headers }: ProbeReply,
  rows: number,
  page: number,
): string | undefined {
  const withQuery = (name: string, value: string | number) =>
    `${path}${path.includes("?") ? "&" : "?"}${name}=${encodeURIComponent(value)}`;
  const [, linked] = /<([^>]*)>\s*;[^,]*rel="?next"?/.exec(headers.get("Link") ?? "") ?? [];
  const link = linked ?? [json?.next, json?.links?.next].find((each) => typeof each === "string");
  if (link !== undefined) return pathOf(link) ?? withQuery("cursor", link);
  const meta = [json, json?.meta, json?.pagination, json?.page].filter(isObject);
  const member = (...names: string[]) =>
    meta.flatMap((each) => names.map((name) => each[name])).find((value) => value != null);
  const cursor = member("next_cursor", "nextCursor", "cursor");
  if (typeof cursor === "string" && cursor !== "") return withQuery("cursor", cursor);
  const total = Number(member("total", "total_count", "count"));
  const hasMore = member("has_more") === true || rows < total;
  if (!hasMore) return undefined;
  return typeof member("page", "current_page", "total_pages") === "number"
    ? withQuery("page", page)
    : withQuery("offset", rows);
}

/** The path and query of a link; undefined if the text is no link. */
function pathOf(link: string): string | undefined {
  if (link.startsWith("/")) return link;
  if (!/^https?:/.test(link) || !URL.canParse(link)) return undefined;
  const { pathname, search } = new URL(link);
  return pathname + search;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
