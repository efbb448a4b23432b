import type { OperationId } from "../../contract/operations.ts";
import { jsonOf } from "../../control/effects.ts";
import { byArrival, entryOf, type Journal, type RecordedRequest } from "../../journal/journal.ts";
import { type DashboardServices, usePage } from "../page.ts";
import { pathTo } from "../paths.ts";
import { Badge, Status } from "./elements.tsx";
import { arrivalMs, companyName, pathToRequest, pathToRequests } from "./request-table.tsx";

/** The requests of one member with one Idempotency-Key. */
export interface Lane {
  readonly id: string;
  /** The latest request that the search found. */
  readonly latest: RecordedRequest;
  /** All recorded requests, in the order of their arrival. */
  readonly attempts: readonly RecordedRequest[];
}

interface LanesOptions {
  /** Only keys without a found request that arrived later. */
  readonly before: RecordedRequest | undefined;
  readonly limit: number;
}

/** The keys of which a search finds a request, the latest first. */
export function lanesOf(journal: Journal, search: string, { before, limit }: LanesOptions) {
  const onEarlierPages = new Set<string>();
  const found = new Map<string, { latest: RecordedRequest; attempts: RecordedRequest[] }>();
  let hasMore = false;
  for (const request of journal.byArrival({ search })) {
    const id = laneId(request);
    if (id === undefined || found.has(id) || onEarlierPages.has(id)) continue;
    if (before && byArrival(request, before) <= 0) onEarlierPages.add(id);
    else if (found.size === limit) hasMore = true;
    else found.set(id, { latest: request, attempts: [] });
    if (hasMore) break;
  }
  if (found.size > 0) {
    for (const request of journal.byArrival()) found.get(laneId(request) ?? "")?.attempts.push(request);
  }
  const lanes = [...found].map(
    ([id, { latest, attempts }]): Lane => ({ id, latest, attempts: attempts.reverse() }),
  );
  return { lanes, hasMore };
}

function laneId({ exchange: { idempotencyKey, caller } }: RecordedRequest): string | undefined {
  if (idempotencyKey === undefined) return undefined;
  return `key-${caller ? `${caller.companyPk}-${caller.memberPk}` : "unknown"}-${idempotencyKey}`;
}

/** Each key with its attempts and its outcome. */
export function KeyLanes({ lanes, isLive }: { lanes: readonly Lane[]; isLive: boolean }) {
  return (
    <ol class="lanes" id="lanes" {...(isLive && { "data-part": "", "data-keyed": "" })}>
      {lanes.map((lane) => (
        <KeyLane {...lane} />
      ))}
    </ol>
  );
}

/** The most attempts of a key that are shown. */
const mostAttempts = 30;

function KeyLane({ id, attempts }: Lane) {
  const { idempotencyKey: key, caller } = attempts[0]?.exchange ?? {};
  const operations = new Set(attempts.flatMap(({ exchange }) => exchange.operation ?? []));
  const shown = attempts.slice(-mostAttempts);
  const hidden = attempts.length - shown.length;
  const search = `key:${key}`;
  return (
    <li id={id} class="lane panel">
      <p>
        <a href={pathToRequests({ key })}>
          <code>{key}</code>
        </a>
        <br />
        <span class="remark">
          {caller ? `${companyName(caller)}, ${caller.memberSlug}` : "unknown caller"}:{" "}
          {[...operations].join(", ")}
        </span>
      </p>
      <ol class="attempts">
        {hidden > 0 && <li class="remark">{hidden} earlier</li>}
        {shown.map((attempt, index) => (
          <Attempt attempt={attempt} previous={shown[index - 1]} search={search} />
        ))}
      </ol>
      <Outcome attempts={attempts} />
    </li>
  );
}

interface AttemptProps {
  readonly attempt: RecordedRequest;
  readonly previous: RecordedRequest | undefined;
  readonly search: string;
}

/** An attempt, after a line whose length shows the wait since the previous one. */
function Attempt({ attempt, previous, search }: AttemptProps) {
  const { clock } = usePage().services;
  const { status, point } = attempt.exchange;
  const arrival = new Date(arrivalMs(clock, attempt)).toISOString();
  const waitedMs = previous && attempt.exchange.startedMs - previous.exchange.startedMs;
  return (
    <li>
      {waitedMs !== undefined && <Wait ms={waitedMs} />}
      <a
        class="row-link"
        href={pathToRequest(String(attempt.id), search)}
        title={`${point ?? "connection dropped"}, arrived ${arrival.slice(11, -1)} UTC`}
      >
        <Status of={status ?? null} />
      </a>
    </li>
  );
}

function Wait({ ms }: { ms: number }) {
  const width = Math.round(Math.min(12 + 12 * Math.log2(1 + ms / 100), 120));
  return (
    <span class="wait">
      <svg width={width} height="5" aria-hidden="true">
        <line x1="0" y1="2.5" x2={width} y2="2.5" stroke="currentColor" />
      </svg>
      <small>{durationOf(ms)}</small>
    </span>
  );
}

function durationOf(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}

const creating: ReadonlySet<string | undefined> = new Set<OperationId>([
  "orderPhysicalCard",
  "orderVirtualCard",
  "replaceCard",
]);

/** Whether the client was told that there is a card. */
function isDelivered({ exchange: { operation, status } }: RecordedRequest): boolean {
  return creating.has(operation) && status !== undefined && status < 300;
}

/** The card that a response showed first, if it still exists. */
function shownCards({ cards }: DashboardServices, attempt: RecordedRequest) {
  if (attempt.exchange.point?.includes(".replayed")) return [];
  const entry = entryOf(attempt);
  const { id: shown } = jsonOf(entry.response);
  return cards
    .ofRequest(entry)
    .flatMap(({ id, name, last_four: lastFour }) => (id === shown ? [{ id, name, lastFour }] : []));
}

/** The cards that the key created, also if no attempt got their response. */
function Outcome({ attempts }: Pick<Lane, "attempts">) {
  const { services } = usePage();
  const { idempotencyKey: key, caller } = attempts[0]?.exchange ?? {};
  const cards = key && caller ? services.cards.createdBy({ ...caller, key }) : [];
  // A key that a dialect keeps for some time only is free again after that, and its earlier cards show no key.
  for (const card of attempts.filter(isDelivered).flatMap((each) => shownCards(services, each))) {
    if (cards.every(({ id }) => id !== card.id)) cards.push(card);
  }
  const isKnown = attempts.some(isDelivered);
  const isLost = attempts.every(({ exchange: { status } }) => status === undefined);
  if (cards.length === 0) return <p>{isKnown ? "The card is no longer in this world" : "no card"}</p>;
  return (
    <p>
      {cards.length > 1 && <Badge tone="bad">{cards.length} cards</Badge>}
      {cards.map(({ id, name, lastFour }) => (
        <>
          {" "}
          <a href={pathTo(`/cards/${id}`)} title={name}>
            {cards.length > 1 ? `…${lastFour}` : <Badge tone={isKnown ? "good" : "warn"}>1 card</Badge>}
          </a>
        </>
      ))}{" "}
      {!isKnown && (
        <small class="remark">{isLost ? "Its response was lost" : "No response had the card"}</small>
      )}
    </p>
  );
}
