import { behaviourIds, behaviours } from "../../contract/behaviours.ts";
import { checkOutcomes } from "../../contract/decisions.ts";
import type { ContractPointId } from "../../contract/points.ts";
import { requireRequest } from "../../control/requests.ts";
import type { JournalEntry, JournalMessage } from "../../journal/journal-entry.ts";
import type { Page, PageRequest } from "../page.ts";
import { usePage } from "../page.ts";
import { CopyAs } from "../parts/copy-as.tsx";
import { Badge, Facts, ProvenanceMark, Section, Status, Time } from "../parts/elements.tsx";
import { BugReport } from "../parts/recording.tsx";
import { pathTo } from "../paths.ts";

/**
 * One request with its checks, contract point and response, the tape that shows it, and the commands that send it again.
 * @throws ControlError 404 if the journal does not have the request
 */
export function request(page: PageRequest, id: string): Page {
  const entry = requireRequest(page.services.requests, id);
  const body = (
    <>
      <p class="trail">
        <a href={pathTo("/requests")}>Requests</a>
      </p>
      <h1 class="mono">
        <span class="method">{entry.method}</span> {entry.path} <Status of={entry.status} />
      </h1>
      <div class="split">
        <Section id="contract-point" title="Contract point">
          <ContractPoint entry={entry} />
        </Section>
        <div>
          <Section id="details" title="Details">
            <Details entry={entry} />
          </Section>
          <Message title="Request" of={entry.request} />
          <Message title="Response" of={entry.response} />
        </div>
      </div>
      <BugReport id={entry.id} />
      <Section id="repeat" title="Repeat the request">
        <CopyAs entry={entry} />
      </Section>
    </>
  );
  return { title: `${entry.method} ${entry.path}`, body };
}

/** The contract point of the response, and the checks that led to it. */
function ContractPoint({ entry }: { entry: JournalEntry }) {
  const { point, operation } = entry;
  if (!point) return <p>None: the connection was dropped before the request was processed.</p>;
  const { contract } = usePage().services;
  const { title, spec } = contract().points[point];
  return (
    <>
      <p class="verdict">
        <a href={pathTo("/requests", { point })} title="All requests with this contract point">
          <code class="point">{point}</code>
        </a>{" "}
        <ProvenanceMark of={entry.provenance ?? ""} />
      </p>
      <p>
        {title}. <span class="remark">Specification {spec}</span>
      </p>
      <Assumptions of={point} />
      {operation && (
        <>
          <p class="remark">Checks, in order:</p>
          <ol class="checks">
            {checkOutcomes(contract().rows[operation], operation, point).map(({ id, outcome }) => (
              <li class={outcome}>
                <span class="unseen">
                  {outcome === "decided"
                    ? "Returned the response:"
                    : outcome === "passed"
                      ? "Passed:"
                      : "Not reached:"}{" "}
                </span>
                {id.replaceAll("_", " ")}
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  );
}

/** The behaviors that the specification leaves open, and that the contract point is about. */
function Assumptions({ of }: { of: ContractPointId }) {
  const open = behaviourIds.filter((id) => behaviours[id].points.includes(of));
  if (open.length === 0) return null;
  return (
    <ul class="leads-to" aria-label="Assumptions">
      <li class="remark">Assumptions:</li>
      {open.map((id) => (
        <li>
          <a href={`${pathTo("/assumptions")}#${id}`}>{behaviours[id].title}</a>
        </li>
      ))}
    </ul>
  );
}

function Details({ entry }: { entry: JournalEntry }) {
  const { caller, scenario, fault, idempotency_key: key } = entry;
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
        key !== null && [
          "Idempotency-Key",
          <a href={pathTo("/requests", { idempotency_key: key })} title="All requests with this key">
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
        entry.defect !== undefined && ["Internal error", entry.defect],
      ]}
    />
  );
}

function Message({ title, of }: { title: string; of: JournalMessage | null }) {
  return (
    <Section id={title.toLowerCase()} title={title}>
      {of ? <Content of={of} /> : <p>None: the connection was lost.</p>}
    </Section>
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

/** JSON with indentation; other text unchanged. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
