import { ControlError } from "../../control/errors.ts";
import type { JournalEntry, JournalMessage } from "../../journal/journal-entry.ts";
import { Badge, Status } from "../parts/badges.tsx";
import { Decision } from "../parts/decision.tsx";
import { Copyable, Facts, Time } from "../parts/shown.tsx";
import { pathTo } from "../paths.ts";
import { repeatCommands } from "../repeat.ts";
import type { Page, Visit } from "../visit.ts";

/**
 * One request: what decided it, what was sent and answered, and how to send it again.
 * @throws ControlError 404 where it is no longer kept, or never was
 */
export function request(visit: Visit, id: string): Page {
  const entry = visit.services.requests.get(id);
  if (!entry) throw new ControlError(404, `no request ${id}: it is no longer kept, or never was`);
  const body = (
    <>
      <p class="trail">
        <a href={pathTo("/requests")}>Requests</a>
      </p>
      <h1 class="mono">
        <span class="method">{entry.method}</span> {entry.path} <Status of={entry.status} />
      </h1>
      <div class="split">
        <section aria-labelledby="decision">
          <h2 id="decision">Decision</h2>
          <Decision entry={entry} />
        </section>
        <div>
          <section aria-labelledby="circumstances">
            <h2 id="circumstances">Circumstances</h2>
            <Circumstances entry={entry} />
          </section>
          <Message title="Request" of={entry.request} />
          <Message title="Answer" of={entry.response} />
        </div>
      </div>
      <section aria-labelledby="repeat">
        <h2 id="repeat">Repeat it</h2>
        <p>
          The journal keeps no secrets. An access token comes from the first command; a PIN is any four
          digits, since no decision goes by which.
        </p>
        <Copyable text={repeatCommands(visit, entry)} label="the commands" />
      </section>
    </>
  );
  return { title: `${entry.method} ${entry.path}`, body };
}

function Circumstances({ entry }: { entry: JournalEntry }) {
  const { caller, scenario, fault, idempotency_key: key } = entry;
  return (
    <Facts
      of={[
        ["Answered at", <Time at={entry.time} />],
        ["Took", `${entry.duration_ms} ms`],
        ["Operation", entry.operation ?? "none: no operation has this path and method"],
        [
          "Caller",
          caller ? (
            <>
              {caller.member}, {caller.role} of{" "}
              <a href={pathTo(`/companies/${caller.company_id}`)}>{caller.company}</a> ({caller.environment}),
              by <code>{caller.api_key}…</code>
            </>
          ) : (
            "unknown: it was refused before"
          ),
        ],
        key !== null && [
          "Idempotency-Key",
          <a href={pathTo("/requests", { idempotency_key: key })} title="Every request with this key">
            <code>{key}</code>
          </a>,
        ],
        scenario !== null && [
          "Scenario",
          <a href={`${pathTo("/scenarios")}#${scenario}`}>
            <Badge>{scenario}</Badge>
          </a>,
        ],
        fault !== null && ["Fault", <code>{fault}</code>],
        entry.defect !== undefined && ["Defect of the sandbox", entry.defect],
      ]}
    />
  );
}

function Message({ title, of }: { title: string; of: JournalMessage | null }) {
  const id = title.toLowerCase();
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {of ? <Content of={of} /> : <p>None: the connection was lost.</p>}
    </section>
  );
}

function Content({ of: { headers, body } }: { of: JournalMessage }) {
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
        <p class="remark">No body{body === null ? " was read" : ""}.</p>
      )}
    </>
  );
}

/** JSON over several lines; anything else as it is. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
