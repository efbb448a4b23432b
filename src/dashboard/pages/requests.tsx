import { operationIds } from "../../contract/operations.ts";
import { ControlError } from "../../control/errors.ts";
import { parse } from "../../control/input.ts";
import { listQuery, type Requests } from "../../control/requests.ts";
import type { JournalListing } from "../../journal/journal.ts";
import type { JournalEntry } from "../../journal/journal-entry.ts";
import { type Page, type PageRequest, usePage } from "../page.ts";
import { CompanyPicker } from "../parts/companies.tsx";
import { Badge, Copyable, Empty, Point, ProvenanceMark, Status, Table, Time } from "../parts/elements.tsx";
import { Choice, Field, plainOptions } from "../parts/forms.tsx";
import { pathTo } from "../paths.ts";

const filters = ["company", "operation", "status", "point", "scenario", "idempotency_key"] as const;

const columns = [
  "Request",
  "Response",
  { name: "Company", class: "widest" },
  { name: "Contract point", class: "wide" },
  { name: "Scenario", class: "wide" },
  { name: "Time (UTC)", class: "wide" },
  { name: "Duration", class: "wide number" },
];

/** The latest requests to the service; the script adds new ones. */
export function requests({ services, query }: PageRequest): Page {
  const filter = Object.fromEntries(filters.flatMap((name) => (query[name] ? [[name, query[name]]] : [])));
  const { listing, problem } = listRequests(services.requests, { ...filter, after: query.after });
  const [newest] = listing.requests;
  const oldest = listing.requests.at(-1);
  const follow = new URLSearchParams({ ...filter, last_event_id: newest?.id ?? "0" });
  const isLive = query.after === undefined && problem === undefined;
  const body = (
    <>
      <h1>Requests</h1>
      {problem && (
        <p class="notice problem" role="alert">
          <strong>The filter is ignored.</strong> {problem}
        </p>
      )}
      <Filter />
      {isLive && (
        <div class="live" data-live={`/_sandbox/requests/stream?${follow}`} hidden>
          <button type="button" data-pause aria-pressed="false">
            Pause
          </button>
          <p role="status" aria-live="polite" data-message>
            New requests appear here
          </p>
        </div>
      )}
      <div data-list {...(listing.requests.length === 0 && { hidden: true })}>
        <Table caption="Requests, newest first" captionUnseen columns={columns} id="requests">
          {listing.requests.map((entry) => (
            <Row entry={entry} />
          ))}
        </Table>
      </div>
      {listing.requests.length === 0 && <NoRequests isFiltered={Object.keys(filter).length > 0} />}
      <nav class="pages" aria-label="More requests">
        {query.after && <a href={pathTo("/requests", filter)}>Newest</a>}
        {listing.has_more && oldest && (
          <a href={pathTo("/requests", { ...filter, after: oldest.id })}>Older</a>
        )}
      </nav>
      <RowTemplate />
    </>
  );
  return { title: "Requests", body };
}

/** If the filter is invalid: all requests, with an error message. */
function listRequests(
  requests: Requests,
  filter: Readonly<Record<string, string | undefined>>,
): { readonly listing: JournalListing; readonly problem?: string } {
  try {
    return { listing: requests.list(parse(listQuery, filter)) };
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    return { listing: requests.list(), problem: error.message };
  }
}

function Filter() {
  const { query } = usePage();
  return (
    <form method="get" class="row filter" aria-label="Filter requests">
      <CompanyPicker />
      <Choice
        label="Operation"
        name="operation"
        chosen={query.operation}
        options={[{ value: "", label: "All operations" }, ...plainOptions(operationIds)]}
      />
      <Field label="Status" name="status" value={query.status} placeholder="422" short numeric />
      <details {...((query.point || query.scenario || query.idempotency_key) && { open: true })}>
        <summary>More filters</summary>
        <div class="row">
          <Field label="Contract point" name="point" value={query.point} placeholder="order.quota_reached" />
          <Field label="Scenario" name="scenario" value={query.scenario} placeholder="quota-reached" />
          <Field label="Idempotency-Key" name="idempotency_key" value={query.idempotency_key} />
        </div>
      </details>
      <button type="submit">Filter</button>
      {Object.keys(query).length > 0 && <a href={pathTo("/requests")}>Clear filter</a>}
    </form>
  );
}

function NoRequests({ isFiltered }: { isFiltered: boolean }) {
  const { origin } = usePage();
  return (
    <div data-empty>
      <Empty title={isFiltered ? "No request matches the filter." : "No requests yet."}>
        {isFiltered ? (
          <p>
            <a href={pathTo("/requests")}>Clear the filter</a>. Only the latest requests are kept.
          </p>
        ) : (
          <>
            <p>Send a request, and it appears here:</p>
            <Copyable text={`curl -si -X POST ${origin}/developer/cards/physical`} label="the command" />
          </>
        )}
      </Empty>
    </div>
  );
}

function Row({ entry }: { entry: JournalEntry }) {
  return (
    <tr>
      <th scope="row">
        <a href={pathTo(`/requests/${entry.id}`)}>
          <span class="method">{entry.method}</span> <span class="path">{entry.path}</span>
        </a>
      </th>
      <td>
        <Status of={entry.status} />
      </td>
      <td class="widest">{entry.caller?.company}</td>
      <td class="wide">
        {entry.point ? <Point id={entry.point} /> : "none: connection dropped"}{" "}
        {entry.provenance && <ProvenanceMark of={entry.provenance} />}
      </td>
      <td class="wide">{entry.scenario && <Badge tone="plain">{entry.scenario}</Badge>}</td>
      <td class="wide">
        <Time at={entry.time} date={false} />
      </td>
      <td class="wide number">{entry.duration_ms} ms</td>
    </tr>
  );
}

/** The script creates the rows of new requests from it. */
function RowTemplate() {
  return (
    <template id="request-row">
      <tr>
        <th scope="row">
          <a href={pathTo("/requests")}>
            <span class="method" data-of="method"></span> <span class="path" data-of="path"></span>
          </a>
        </th>
        <td>
          <span class="badge" data-of="status"></span>
        </td>
        <td class="widest" data-of="company"></td>
        <td class="wide">
          <code class="point" data-of="point"></code> <span class="provenance" data-of="provenance"></span>
        </td>
        <td class="wide">
          <span class="badge plain" data-of="scenario"></span>
        </td>
        <td class="wide">
          <time data-of="time"></time>
        </td>
        <td class="wide number" data-of="duration"></td>
      </tr>
    </template>
  );
}
