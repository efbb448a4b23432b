import type { Child } from "hono/jsx";
import { ControlError } from "../../control/errors.ts";
import { parse } from "../../control/input.ts";
import { listQuery } from "../../control/requests.ts";
import type { RecordedRequest } from "../../journal/journal.ts";
import { type Page, type PageRequest, usePage } from "../page.ts";
import { Copyable, Empty, Head, Tabs } from "../parts/elements.tsx";
import { KeyLanes, lanesOf } from "../parts/key-lanes.tsx";
import { RequestTable, searchFor } from "../parts/request-table.tsx";
import { pathTo } from "../paths.ts";
import type { Fields } from "../submit.ts";

/** The number of requests, and of keys, on a page. */
const onPage = { list: 50, keys: 25 };

/** The latest requests to the service, or their Idempotency-Keys. */
export function requests({ services, query }: PageRequest): Page {
  const search = searchIn(query);
  const problem = problemOf({ search, after: query.after });
  const view = query.view === "keys" ? "keys" : "list";
  const isLive = query.after === undefined && problem === undefined;
  const found = {
    search: problem === undefined ? search : "",
    isLive,
    before: problem === undefined ? services.journal.kept(Number(query.after)) : undefined,
  };
  const isGone = problem === undefined && query.after !== undefined && found.before === undefined;
  const View = isGone ? NoLongerKept : view === "keys" ? Keys : List;
  const body = (
    <>
      <Head title="Requests" />
      <Search search={search} problem={problem} />
      <div class="list-head">
        <Tabs
          label="View"
          name="view"
          options={[
            { value: "list", label: "List" },
            { value: "keys", label: "Idempotency-Keys" },
          ]}
          current={view}
        />
        {isLive && <FollowBar />}
      </div>
      <View {...found} />
    </>
  );
  const stream = new URLSearchParams({ search, last_event_id: String(services.journal.lastId) });
  return { title: "Requests", body, ...(isLive && { live: `/_sandbox/requests/stream?${stream}` }) };
}

/** The search field, and the filters of earlier links as terms. */
function searchIn({
  q = "",
  company,
  operation,
  status,
  point,
  scenario,
  idempotency_key: key,
}: Fields): string {
  return [q, searchFor({ company, operation, status, point, scenario, key })].filter(Boolean).join(" ");
}

/** The error message for an invalid search or page. */
function problemOf(query: Readonly<Record<string, string | undefined>>): string | undefined {
  try {
    parse(listQuery, query);
    return undefined;
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    return error.message.replace(/^search: /, "");
  }
}

function Search({ search, problem }: { search: string; problem: string | undefined }) {
  const { query } = usePage();
  return (
    <search>
      {problem && (
        <p class="notice problem" role="alert" id="search-problem">
          <strong>This search cannot be read.</strong> {problem}
        </p>
      )}
      <form method="get" class="request-search">
        {query.view && <input type="hidden" name="view" value={query.view} />}
        <input
          type="search"
          name="q"
          value={search}
          data-key="/"
          aria-label="Search requests"
          placeholder='status:4xx company:northwind point:order.* key:3f0c "text"'
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          {...(problem && { "aria-invalid": "true", "aria-describedby": "search-problem" })}
        />
        <button type="submit">Search</button>
        {search !== "" && <a href={pathTo("/requests", { view: query.view })}>Clear search</a>}
      </form>
      <Help />
    </search>
  );
}

const examples: readonly (readonly [search: string, finds: string])[] = [
  ["status:4xx", "a class of status codes; or one, such as status:422; or status:lost"],
  ["company:northwind", "a company by slug, live/SLUG or id; member:… for a member"],
  ["point:order.*", "a contract point; * matches any text"],
  ["operation:order*", "an operation; method:POST and path:physical work too"],
  ["scenario:*", "requests on which a scenario fired"],
  ["key:3f0c", "the start of the Idempotency-Key"],
  ['"Team travel"', "text in the path, query, headers or bodies, but never a secret"],
  ["-status:2xx -point:auth.*", "terms are combined; - excludes"],
];

function Help() {
  return (
    <details>
      <summary>How to search</summary>
      <dl class="examples">
        {examples.map(([search, finds]) => (
          <div>
            <dt>
              <a href={pathTo("/requests", { q: search })}>
                <code>{search}</code>
              </a>
            </dt>
            <dd>{finds}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** The script shows it. */
function FollowBar() {
  return (
    <div class="live" hidden>
      <a href="#content" class="button" data-new="0" hidden>
        New requests
      </a>
      <p role="status" aria-live="polite" data-message>
        New requests appear here
      </p>
      <button type="button" data-pause aria-pressed="false">
        Pause
      </button>
    </div>
  );
}

interface FoundProps {
  readonly search: string;
  readonly isLive: boolean;
  /** The request after which the page begins. */
  readonly before: RecordedRequest | undefined;
}

function List({ search, isLive, before }: FoundProps) {
  const { journal } = usePage().services;
  const found = [...firstOf(journal.byArrival({ search }, before), onPage.list + 1)];
  const requests = found.slice(0, onPage.list);
  return (
    <>
      <Found isEmpty={requests.length === 0} isFiltered={search !== ""}>
        <RequestTable requests={requests} id="requests" isLive={isLive} search={search} />
      </Found>
      <Pages isFirst={isLive} older={found.length > onPage.list ? requests.at(-1) : undefined} />
    </>
  );
}

function Keys({ search, isLive, before }: FoundProps) {
  const { services } = usePage();
  const { lanes, hasMore } = lanesOf(services.journal, search, { before, limit: onPage.keys });
  return (
    <>
      <Found isEmpty={lanes.length === 0} isFiltered={search !== ""}>
        <KeyLanes lanes={lanes} isLive={isLive} />
      </Found>
      <Pages isFirst={isLive} older={hasMore ? lanes.at(-1)?.latest : undefined} />
    </>
  );
}

/** The first items of a sequence, without asking for more. */
function* firstOf<Item>(items: Iterable<Item>, count: number): Generator<Item> {
  let rest = count;
  for (const item of items) {
    yield item;
    if (--rest === 0) return;
  }
}

interface FoundListProps {
  readonly isEmpty: boolean;
  readonly isFiltered: boolean;
  readonly children?: Child;
}

/** A list, or how to fill it: then the script puts the list in its place when there is one. */
function Found({ isEmpty, isFiltered, children }: FoundListProps) {
  if (!isEmpty) return <div id="found">{children}</div>;
  return (
    <div id="found" data-part>
      {isFiltered ? <NothingFound /> : <NothingYet />}
    </div>
  );
}

function NoLongerKept() {
  return (
    <>
      <Empty title="The older requests are no longer kept." />
      <Pages isFirst={false} older={undefined} />
    </>
  );
}

function NothingFound() {
  const { query } = usePage();
  return (
    <Empty title="No request matches the search.">
      <p>
        Remove a term, or <a href={pathTo("/requests", { view: query.view })}>show all requests</a>. Only the
        latest requests are kept.
      </p>
    </Empty>
  );
}

function NothingYet() {
  const { origin, query, services } = usePage();
  if (query.view === "keys" && services.journal.received > 0) {
    return (
      <Empty title="No request with an Idempotency-Key yet.">
        <p>
          Order a card: <a href={pathTo("")}>the overview</a> has the command. Each attempt with the same key
          then appears in one line, with the card that it created.
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="No requests yet.">
      <p>Send a request, and it appears here:</p>
      <Copyable text={`curl -si -X POST ${origin}/developer/cards/physical`} label="the command" />
    </Empty>
  );
}

function Pages({ isFirst, older }: { isFirst: boolean; older: RecordedRequest | undefined }) {
  const { after: _, ...query } = usePage().query;
  return (
    <nav class="pages" aria-label="More requests">
      {!isFirst && <a href={pathTo("/requests", query)}>Newest</a>}
      {older && <a href={pathTo("/requests", { ...query, after: String(older.id) })}>Older</a>}
    </nav>
  );
}
