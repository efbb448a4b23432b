import { behaviourIds, behaviours } from "../../contract/behaviours.ts";
import { checkOutcomes } from "../../contract/decisions.ts";
import type { ContractPointId } from "../../contract/points.ts";
import { requireRequest } from "../../control/requests.ts";
import { shellQuoted } from "../../journal/formats/escape.ts";
import type { JournalEntry, JournalMessage } from "../../journal/journal-entry.ts";
import { tokenCommand } from "../../world/first-order.ts";
import type { Page, PageRequest } from "../page.ts";
import { usePage } from "../page.ts";
import { Badge, Copyable, Facts, ProvenanceMark, Section, Status, Time } from "../parts/elements.tsx";
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
        <p>
          Secrets are masked. The commands get a new access token if the request needs one, and use a sample
          PIN in place of a masked one. The digits of the PIN do not change the response.
        </p>
        <Copyable text={repeatCommands(page, entry)} label="the commands" />
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

/** Headers that curl sends itself, or that belong to one connection. */
const omittedHeaders = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "connection",
  "content-length",
  "cookie",
  "host",
  "transfer-encoding",
  "user-agent",
]);

/** Shell commands that send a request again, with an access token of the same API key. */
function repeatCommands(page: PageRequest, entry: JournalEntry): string {
  const origin = (isLive(entry) ? page.liveOrigin : undefined) ?? page.origin;
  const { method, path, query, request, caller } = entry;
  // The secret of a fixture key is public. Of other keys only the prefix is stored, so the user completes the key.
  const publicSecret = caller && page.services.apiKeys.publicSecret(caller.api_key_id);
  const secret = publicSecret ?? `${caller?.api_key ?? ""}…`;
  const needsToken = caller !== null && !isExchange(entry);
  const sent = Object.entries(request.headers).filter(
    ([name]) =>
      !omittedHeaders.has(name) && !name.startsWith("sec-") && !(needsToken && name === "authorization"),
  );
  const command = [
    `curl -s${method === "HEAD" ? "I" : `i -X ${method}`} ${shellQuoted(origin + path + query)}`,
    ...(needsToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...sent.map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    ...(request.body ? [`--data-raw ${shellQuoted(bodyToSend(entry, secret))}`] : []),
  ].join(" \\\n  ");
  const all = needsToken ? `${tokenCommand(origin, secret)}\n${command}` : command;
  return caller !== null && secret.endsWith("…")
    ? `# Replace ${secret} with the API key. Its secret was shown only when it was created.\n${all}`
    : all;
}

/** Whether the request was certainly sent to the live base URL. */
function isLive({ caller, operation }: JournalEntry): boolean {
  return caller?.environment === "live" || operation === "exchangeLiveKey";
}

function isExchange({ operation }: JournalEntry): boolean {
  return operation === "exchangeSandboxKey" || operation === "exchangeLiveKey";
}

/** The body with its secrets, as far as they are known, and a valid PIN unless the PIN was refused. */
function bodyToSend(entry: JournalEntry, secret: string): string {
  const body = entry.request.body ?? "";
  if (entry.caller && isExchange(entry)) {
    return body.replace(/("api_key"\s*:\s*)"[^"]*"/, (_, name) => `${name}"${secret}"`);
  }
  return entry.point === "order.pin_invalid" ? body : body.replace(/("pin"\s*:\s*)"…"/, '$1"4821"');
}
