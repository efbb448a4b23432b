import { behaviourIds, behaviours } from "../../contract/behaviours.ts";
import { checkOutcomes } from "../../contract/decisions.ts";
import type { ContractPointId } from "../../contract/points.ts";
import type { WebhookDelivery } from "../../contract/webhook-responses.ts";
import { jsonOf } from "../../control/effects.ts";
import { ControlError } from "../../control/errors.ts";
import type { PlayedRequest } from "../../control/replay.ts";
import { requireRequest } from "../../control/requests.ts";
import type { JournalEntry } from "../../journal/journal-entry.ts";
import type { DashboardServices, Page, PageRequest } from "../page.ts";
import { usePage } from "../page.ts";
import { Changes } from "../parts/changes.tsx";
import { CopyAs } from "../parts/copy-as.tsx";
import {
  Badge,
  Facts,
  Head,
  ProvenanceMark,
  Section,
  Severity,
  State,
  Status,
  Time,
} from "../parts/elements.tsx";
import { Message } from "../parts/message.tsx";
import { BugReport, isOnTape } from "../parts/recording.tsx";
import { pathToRequests } from "../parts/request-table.tsx";
import { pathTo } from "../paths.ts";
import { ReplayForm } from "./resend.tsx";

/**
 * One request: its outcome and why, the other attempts with its key, its effects, and both messages.
 * @throws ControlError 404 if the journal does not have the request
 */
export async function request(page: PageRequest, id: string): Promise<Page> {
  const { services, query } = page;
  const entry = requireRequest(services.requests, id);
  const { newer, older } = services.requests.neighbours(id, query.q);
  const withState = query.state !== undefined;
  const link = (to: string) => pathTo(`/requests/${to}`, { q: query.q });
  const body = (
    <>
      <Head
        title={
          <>
            <span class="method">{entry.method}</span> {entry.path + entry.query}
          </>
        }
        trail={["Requests", pathTo("/requests", { q: query.q })]}
        badge={<Status of={entry.status} />}
        mono
      >
        <nav class="pages" aria-label="Other requests">
          {newer && (
            <a href={link(newer)} data-key="k">
              Newer request
            </a>
          )}
          {older && (
            <a href={link(older)} data-key="j">
              Older request
            </a>
          )}
        </nav>
      </Head>
      <ReplayForm entry={entry} />
      <div class="split">
        <div>
          <Section id="contract-point" title="Contract point">
            <Outcome entry={entry} />
          </Section>
          <Attempts entry={entry} link={link} />
          <Findings entry={entry} />
          <Effects entry={entry} />
          <Section id="request-details" title="Details">
            <Details entry={entry} />
          </Section>
          <Section id="checks" title="Checks">
            <Checks entry={entry} />
          </Section>
        </div>
        <div>
          <Section id="response" title="Response">
            {entry.response ? (
              <Message of={entry.response} label="the body of the response" />
            ) : (
              <p>None: the connection was lost.</p>
            )}
          </Section>
          <Section id="request" title="Request">
            <Message of={entry.request} label="the body of the request" />
          </Section>
          <StateChanges id={id} played={withState ? await playedOrWhyNot(services, id) : undefined} />
          <Section id="repeat" title="Repeat the request">
            <CopyAs entry={entry} />
          </Section>
        </div>
      </div>
      <BugReport id={id} />
    </>
  );
  // A refresh would play the tape again.
  return { title: `${entry.method} ${entry.path}`, body, live: !withState };
}

/** The contract point of the response with its title, and the message that says why. */
function Outcome({ entry }: { entry: JournalEntry }) {
  const { point } = entry;
  if (!point) return <p>None: the connection was dropped before the request was processed.</p>;
  const { title, spec } = usePage().services.contract().points[point];
  const why = whyOf(entry);
  return (
    <>
      <p class="verdict">
        <a href={pathToRequests({ point })} title="All requests with this contract point">
          <code class="point">{point}</code>
        </a>{" "}
        <ProvenanceMark of={entry.provenance ?? ""} />
      </p>
      <p>
        {title}. <span class="remark">Specification {spec}</span>
      </p>
      {why && <p class="why">{why}</p>}
      <Assumptions of={point} />
    </>
  );
}

/** The message of an error, in any of its forms. */
function whyOf({ status, response }: JournalEntry): string | undefined {
  if (status === null || status < 400) return undefined;
  const { error, error_description, detail } = jsonOf(response);
  const { message = error } = typeof error === "object" && error ? (error as { message?: unknown }) : {};
  return [detail, error_description, message].find((each) => typeof each === "string");
}

/** The checks that led to the response. */
function Checks({ entry: { point, operation } }: { entry: JournalEntry }) {
  if (!point || !operation) return <p>None: the request has no operation.</p>;
  return (
    <ol class="checks">
      {checkOutcomes(usePage().services.contract().rows[operation], operation, point).map(
        ({ id, outcome }) => (
          <li class={outcome}>
            <span class="unseen">{outcomes[outcome]}: </span>
            {id.replaceAll("_", " ")}
          </li>
        ),
      )}
    </ol>
  );
}

const outcomes = { decided: "Returned the response", passed: "Passed", "not-reached": "Not reached" };

interface AttemptsProps {
  readonly entry: JournalEntry;
  readonly link: (id: string) => string;
}

/** All requests of the member to the operation with this Idempotency-Key. */
function Attempts({ entry: { id, idempotency_key: key }, link }: AttemptsProps) {
  const { count, first, shown } = usePage().services.requests.attempts(id);
  if (key === null || shown.length === 0) return null;
  const at = shown.findIndex((each) => each.id === id);
  const [previous, next] = [shown[at - 1], shown[at + 1]];
  return (
    <Section
      id="attempts"
      title={`Attempt ${first + at + 1} of ${count}`}
      isLive
      aside={
        <nav class="pages" aria-label="Other attempts">
          {previous && <a href={link(previous.id)}>Previous attempt</a>}
          {next && <a href={link(next.id)}>Next attempt</a>}
        </nav>
      }
    >
      <p class="remark">
        Idempotency-Key{" "}
        <a href={pathToRequests({ key })} title="All requests with this key">
          <code>{key}</code>
        </a>
      </p>
      {count > 1 && (
        <ol class="tries" start={first + 1}>
          {shown.map((each) => (
            <li {...(each.id === id && { "aria-current": "true" })}>
              <Status of={each.status} /> <a href={link(each.id)}>{each.point ?? "none"}</a>{" "}
              <span class="remark">
                <Time at={each.time} date={false} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}

/** The mistakes of the client of which this request is evidence. */
function Findings({ entry: { id, caller } }: { entry: JournalEntry }) {
  const { findings } = usePage().services.findings.report({ company: caller?.company_id, evidence: false });
  const concerning = findings.flatMap((finding) => {
    const found = finding.occurrences.find(({ requests }) => requests.some((each) => each.id === id));
    return found ? [{ ...finding, observed: found.observed }] : [];
  });
  if (concerning.length === 0) return null;
  return (
    <Section id="findings" title="Findings" isLive>
      <ul class="plain-list">
        {concerning.map(({ id, title, severity, observed }) => (
          <li>
            <Severity of={severity} /> <a href={`${pathTo("/report")}#${id}`}>{title}</a>
            <p class="remark">{observed}</p>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The cards that the request is about, as they are now, and the deliveries of the events that it caused. */
function Effects({ entry }: { entry: JournalEntry }) {
  const { cards, webhooks } = usePage().services;
  const shown = cards.ofRequest(entry);
  const deliveries = webhooks.causedBy(entry);
  if (shown.length + deliveries.length === 0) return null;
  return (
    <Section id="effects" title={deliveries.length > 0 ? "Card and webhooks" : "Card"} isLive>
      <ul class="plain-list">
        {shown.map(({ id, name, last_four, status }) => (
          <li>
            <a href={pathTo(`/cards/${id}`)}>
              {name} ···· {last_four}
            </a>{" "}
            <State of={status} />
          </li>
        ))}
        {deliveries.map(({ id, event, status, attempts, next_attempt_at: next }) => (
          <li>
            <a href={pathTo(`/webhooks/${id}`)}>
              <code>{event}</code>
            </a>{" "}
            <State of={status} />{" "}
            <span class="remark">
              {attempts.length} {attempts.length === 1 ? "attempt" : "attempts"}
              {lastOutcome(attempts)}
              {next && (
                <>
                  , the next at <Time at={next} date={false} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function lastOutcome(attempts: WebhookDelivery["attempts"]): string {
  const last = attempts.at(-1);
  return last ? `, the last: ${last.error ?? `HTTP ${last.response_status}`}` : "";
}

/** Plays the tape up to the request; returns the reason if that is not possible. */
async function playedOrWhyNot({ tape }: DashboardServices, id: string): Promise<PlayedRequest | string> {
  try {
    return await tape.changes(id);
  } catch (error) {
    if (error instanceof ControlError) return error.message;
    throw error;
  }
}

/** The rows that the request changed, if a tape was recorded. */
function StateChanges({ id, played }: { id: string; played: PlayedRequest | string | undefined }) {
  const { path, query, services } = usePage();
  const { since } = services.tape.read();
  if (since === null && played === undefined) return null;
  return (
    <Section id="changes" title="State before and after">
      {typeof played === "string" ? (
        <p class="notice problem">{played}</p>
      ) : played ? (
        <Changes of={played} />
      ) : isOnTape(services.tape.read(), id) ? (
        <form method="get" action={`${path.split("?")[0]}#changes`} class="actions">
          <input type="hidden" name="state" value="1" />
          {query.q && <input type="hidden" name="q" value={query.q} />}
          <button type="submit">Show what changed</button>
          <p class="remark">This plays the tape up to the request, in a world of its own.</p>
        </form>
      ) : (
        <p>This request is not on the tape, so the state before it is unknown.</p>
      )}
    </Section>
  );
}

/** The behaviors that the specification leaves open, and that the contract point is about. */
function Assumptions({ of }: { of: ContractPointId }) {
  const open = behaviourIds.filter((id) => behaviours[id].points.includes(of));
  if (open.length === 0) return null;
  return (
    <details>
      <summary>
        {open.length} {open.length === 1 ? "assumption" : "assumptions"} about it
      </summary>
      <ul>
        {open.map((id) => (
          <li>
            <a href={`${pathTo("/assumptions")}#${id}`}>{behaviours[id].title}</a>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Details({ entry }: { entry: JournalEntry }) {
  const { caller, scenario, fault } = entry;
  return (
    <Facts
      of={[
        ["Time (UTC)", <Time at={entry.time} />],
        ["Duration", `${entry.duration_ms} ms`],
        ["Operation", entry.operation ?? "none: no operation has this method and path"],
        [
          "Caller",
          caller ? (
            <>
              {caller.member}, {caller.role} of{" "}
              <a href={pathTo(`/companies/${caller.company_id}`)}>{caller.company}</a> ({caller.environment}),
              API key <code>{caller.api_key}…</code>
            </>
          ) : (
            "unknown: the request was not authenticated"
          ),
        ],
        scenario !== null && [
          "Scenario",
          <a href={pathTo(`/scenarios/${scenario}`)}>
            <Badge>{scenario}</Badge>
          </a>,
        ],
        fault !== null && ["Fault", <code>{fault}</code>],
        entry.defect !== undefined && ["Internal error", entry.defect],
      ]}
    />
  );
}
