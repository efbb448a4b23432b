import type { PlayedRequest, ReplayDifference, ShownResponse } from "../../control/replay.ts";
import { changedColumns, type RowChange } from "../../store/row-changes.ts";
import type { Page, PageRequest } from "../page.ts";
import { Badge, Facts, Section, Status, Table, Time } from "../parts/elements.tsx";
import { Action } from "../parts/forms.tsx";
import { pathTo } from "../paths.ts";
import { Decision, replayOf, shortened } from "./tape.tsx";

/** A request of the tape: its responses, and the rows that it changed. */
export async function tapedRequest({ services }: PageRequest, id: string): Promise<Page> {
  const replay = replayOf(services);
  const played = await replay.inspect(id);
  const { entry, previous, next, events } = played;
  const after = String(entry.position + events);
  const body = (
    <>
      <p class="trail">
        <a href={pathTo("/tape", { from: String(entry.position - (entry.position % 100)) })}>Tape</a>
      </p>
      <h1 class="mono">
        {id}: <span class="path">{entry.what}</span> <Status of={entry.status} />
      </h1>
      <nav class="pages" aria-label="Other requests">
        {previous !== null && <a href={pathTo(`/tape/${previous}`)}>Previous request</a>}
        {next !== null && <a href={pathTo(`/tape/${next}`)}>Next request</a>}
      </nav>
      <div class="row">
        <Action to={pathTo("/tape/go")} with={{ events: after }} tone="primary">
          Go to this request
        </Action>
        <Action to={pathTo("/tape/go")} with={{ events: String(entry.position) }}>
          Go to the world before it
        </Action>
      </div>
      <p class="remark">
        This replaces the served world. Requests that were sent to it since are lost.
        {replay.position === Number(after) && " The served world is the one after this request."}
      </p>
      {entry.difference && <DifferenceNotice of={entry.difference} />}
      <Section id="changes" title="Changed rows">
        <Changes of={played} />
      </Section>
      <div class="split">
        <Section id="request" title="Request">
          <Message
            headers={played.headers}
            body={played.body}
            without="The tape does not have the body, because it could not be parsed."
          />
        </Section>
        <Responses of={played} />
      </div>
    </>
  );
  return { title: `Request ${id} of the tape`, body };
}

function DifferenceNotice({ of: { field, tape, now } }: { of: ReplayDifference }) {
  return (
    <section class="notice problem" aria-label="Difference">
      <p>
        <strong>The response differs:</strong> <code>{field}</code>
      </p>
      <Facts
        of={[
          ["On the tape", <code>{shortened(JSON.stringify(tape) ?? "nothing")}</code>],
          ["Now", <code>{shortened(JSON.stringify(now) ?? "nothing")}</code>],
        ]}
      />
    </section>
  );
}

function Responses({ of: { entry, tape, now } }: { of: PlayedRequest }) {
  if (!entry.difference && now) return <Answer id="response" title="Response, as on the tape" of={now} />;
  return (
    <div>
      <Answer id="on-tape" title="Response on the tape" of={tape} />
      <Answer id="now" title="Response now" of={now} />
    </div>
  );
}

function Answer({ id, title, of }: { id: string; title: string; of: ShownResponse | null }) {
  return (
    <Section id={id} title={title}>
      {of ? (
        <>
          <Facts
            of={[
              ["Status", <Status of={of.status} />],
              ["Contract point", <Decision of={of.point} />],
              of.scenario !== null && ["Scenario", <Badge>{of.scenario}</Badge>],
              of.fault !== null && ["Fault", <code>{of.fault}</code>],
            ]}
          />
          <Message headers={of.headers} body={of.body} without="No body." />
        </>
      ) : (
        <p>None.</p>
      )}
    </Section>
  );
}

interface MessageProps {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly without: string;
}

function Message({ headers, body, without }: MessageProps) {
  return (
    <>
      <details>
        <summary>{Object.keys(headers).length} headers</summary>
        <dl class="headers">
          {Object.entries(headers).map(([name, value]) => (
            <div>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </details>
      {body ? (
        <pre class="body">
          <code>{indented(body)}</code>
        </pre>
      ) : (
        <p class="remark">{body === null ? without : "No body."}</p>
      )}
    </>
  );
}

/** The state before the request, the state after it, and the difference. */
function Changes({ of: { changes, moreChanges, events } }: { of: PlayedRequest }) {
  if (changes.length === 0) return <p>None: the state after the request is the state before it.</p>;
  return (
    <>
      {events > 1 && (
        <p class="remark">
          {events - 1} other {events === 2 ? "event" : "events"} of the tape came before its response, and may
          have changed some of these rows.
        </p>
      )}
      {changes.map((change) => (
        <>
          <h3>
            {nameOf(change)}{" "}
            <Badge>{change.before === null ? "new" : change.after === null ? "deleted" : "changed"}</Badge>
          </h3>
          <Table caption={nameOf(change)} captionUnseen columns={["Column", "Before", "After"]}>
            {changedColumns(change).map((column) => (
              <tr>
                <th scope="row">
                  <code>{column}</code>
                </th>
                <td>
                  <Value of={change} column={column} side="before" />
                </td>
                <td>
                  <Value of={change} column={column} side="after" />
                </td>
              </tr>
            ))}
          </Table>
        </>
      ))}
      {moreChanges > 0 && <p>And {moreChanges} more rows.</p>}
    </>
  );
}

/** Such as `cards, pk 7`. */
function nameOf({ table, key }: RowChange): string {
  return [table, ...Object.entries(key).map(([name, value]) => `${name} ${value}`)].join(", ");
}

function Value({ of, column, side }: { of: RowChange; column: string; side: "before" | "after" }) {
  const row = of[side];
  const value = row?.[column];
  if (!row) return <span class="remark">no row</span>;
  if (value === null || value === undefined) return <span class="remark">null</span>;
  // Keys of fixtures and hashes of credentials.
  if (column === "public_secret" || column === "hash") return "…";
  const isTime = column.endsWith("_ms") && typeof value === "number" && value > 1e11 && value < 8.64e15;
  return (
    <>
      <code>{shortened(String(value))}</code>
      {isTime && (
        <>
          {" "}
          <Time at={new Date(value).toISOString()} />
        </>
      )}
    </>
  );
}

/** JSON with indentation; other text unchanged. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
