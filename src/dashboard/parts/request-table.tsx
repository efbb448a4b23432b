import { entryOf, type RecordedRequest } from "../../journal/journal.ts";
import type { Clock } from "../../rules/clock.ts";
import type { CompanyNames } from "../../store/callers.ts";
import { usePage } from "../page.ts";
import { pathTo } from "../paths.ts";
import { nameOf } from "./companies.tsx";
import { Badge, Point, ProvenanceMark, Status, Time } from "./elements.tsx";

/** The parts of a search. The names are those of the filters of `GET /_sandbox/requests`, and `key` and `text`. */
interface SearchParts {
  readonly status?: string | number | undefined;
  readonly company?: string | undefined;
  readonly point?: string | undefined;
  readonly operation?: string | undefined;
  readonly scenario?: string | undefined;
  readonly key?: string | undefined;
  readonly idempotency_key?: string | undefined;
  readonly text?: string | undefined;
}

/** The search of requests that have all these parts, such as `status:4xx company:northwind "some text"`. */
export function searchFor({ idempotency_key, key = idempotency_key, text, ...fields }: SearchParts): string {
  const parts = Object.entries({ ...fields, key });
  const terms = parts.flatMap(([name, value]) =>
    value === undefined ? [] : `${name}:${quotedIfNeeded(value)}`,
  );
  return [...terms, ...(text === undefined ? [] : [inQuotes(text)])].join(" ");
}

/** The path of the Requests page with a search. */
export function pathToRequests(parts: SearchParts): string {
  return pathTo("/requests", { q: searchFor(parts) });
}

function quotedIfNeeded(value: string | number): string {
  return /^[^\s"]+$/.test(String(value)) ? String(value) : inQuotes(String(value));
}

function inQuotes(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

interface RequestTableProps {
  /** In the order in which they are shown. */
  readonly requests: readonly RecordedRequest[];
  readonly id: string;
  /** Whether the script adds new requests. */
  readonly isLive?: boolean;
  /** The search that found the requests. The links carry it, for the previous and next request. */
  readonly search?: string | undefined;
}

const columns: readonly (readonly [name: string, kind: string])[] = [
  ["Status", ""],
  ["Request", ""],
  ["Company", "wider"],
  ["Contract point", "wider"],
  ["Scenario", "wider"],
  ["Key", "wider"],
  ["Arrival (UTC)", "wide"],
  ["Duration", "widest number"],
];

/** Recorded requests, each with a link to its page. */
export function RequestTable({ requests, id, isLive, search }: RequestTableProps) {
  const { clock } = usePage().services;
  return (
    <div class="table">
      <table class="requests">
        <caption class="unseen">Requests, latest first</caption>
        <thead>
          <tr>
            {columns.map(([name, kind]) => (
              <th scope="col" class={kind}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody id={id} {...(isLive && { "data-part": "", "data-keyed": "" })}>
          {requests.map((request) => (
            <Row request={request} arrivalMs={arrivalMs(clock, request)} search={search} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  readonly request: RecordedRequest;
  readonly arrivalMs: number;
  readonly search: string | undefined;
}

function Row({ request, arrivalMs, search }: RowProps) {
  const { caller } = request.exchange;
  const { id, method, path, status, point, provenance, scenario, ...entry } = entryOf(request);
  const key = entry.idempotency_key;
  return (
    <tr id={`request-${id}`}>
      <td>
        <Status of={status} />
      </td>
      <th scope="row">
        <a class="row-link" href={pathToRequest(id, search)}>
          <span class="method">{method}</span>{" "}
          <span class="path" title={path}>
            {shortened(path)}
          </span>
        </a>
        <small class="narrow">
          {[point ?? "connection dropped", scenario, caller && companyName(caller)]
            .filter(Boolean)
            .join(", ")}
        </small>
      </th>
      <td class="wider">{caller && companyName(caller)}</td>
      <td class="wider">
        {point ? <Point id={point} /> : "none: connection dropped"}{" "}
        {provenance && <ProvenanceMark of={provenance} />}
      </td>
      <td class="wider">{scenario && <Badge tone="plain">{scenario}</Badge>}</td>
      <td class="wider">
        {key && (
          <a href={pathToRequests({ key })} title={`All requests with the key ${key}`}>
            <code>{key.slice(0, 8)}</code>
          </a>
        )}
      </td>
      <td class="wide">
        <Time at={new Date(arrivalMs).toISOString()} date={false} />
      </td>
      <td class="widest number">{entry.duration_ms} ms</td>
    </tr>
  );
}

/** The path of the page of one request. */
export function pathToRequest(id: string, search?: string): string {
  return pathTo(`/requests/${id}`, { q: search });
}

/** A company as a search names it. */
export function companyName({ companySlug, environment }: CompanyNames): string {
  return nameOf({ environment, slug: companySlug });
}

/** A path with the start of each UUID instead of the whole. */
function shortened(path: string): string {
  return path.replace(/([0-9a-f]{8})-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/gi, "$1…");
}

/** When the real clock was at 0 ticks, in milliseconds since the epoch. */
const origins = new WeakMap<Clock, number>();

/**
 * The time at which a request arrived, in real milliseconds since the epoch. It is the same for each call, unless the
 * clock of the machine is set.
 * @param clock - real time
 */
export function arrivalMs(clock: Clock, { exchange }: Pick<RecordedRequest, "exchange">): number {
  const measured = clock.now() - clock.ticks();
  const known = origins.get(clock);
  const origin = known !== undefined && Math.abs(measured - known) < 1000 ? known : measured;
  origins.set(clock, origin);
  return Math.round(origin + exchange.startedMs);
}
