import { checksOf } from "../../contract/decisions.ts";
import { contractPoints, type PointId } from "../../contract/points.ts";
import { requireRequest } from "../../control/requests.ts";
import { shellQuoted } from "../../journal/formats/escape.ts";
import type { JournalEntry, JournalMessage } from "../../journal/journal-entry.ts";
import { tokenCommand } from "../../world/first-order.ts";
import type { Page, PageRequest } from "../page.ts";
import { Badge, Copyable, Facts, ProvenanceMark, Section, Status, Time } from "../parts/elements.tsx";
import { pathTo } from "../paths.ts";

/**
 * One request with its decision and its response, and how to send it again.
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
        <Section id="decision" title="Decision">
          <Decision entry={entry} />
        </Section>
        <div>
          <Section id="circumstances" title="Circumstances">
            <Circumstances entry={entry} />
          </Section>
          <Message title="Request" of={entry.request} />
          <Message title="Answer" of={entry.response} />
        </div>
      </div>
      <Section id="repeat" title="Repeat it">
        <p>
          The journal keeps no secrets. An access token comes from the first command; a PIN is any four
          digits, since no decision goes by which.
        </p>
        <Copyable text={repeatCommands(page, entry)} label="the commands" />
      </Section>
    </>
  );
  return { title: `${entry.method} ${entry.path}`, body };
}

/** The contract point that decided, and the checks before it. */
function Decision({ entry }: { entry: JournalEntry }) {
  const { point, operation } = entry;
  if (!point) return <p>None: the connection was dropped before anything was decided.</p>;
  const { title, spec } = contractPoints[point];
  return (
    <>
      <p class="verdict">
        <a href={pathTo("/requests", { point })} title="Every request that this point decided">
          <code class="point">{point}</code>
        </a>{" "}
        <ProvenanceMark of={contractPoints[point].provenance} />
      </p>
      <p>
        {title}. <span class="remark">Specification {spec}</span>
      </p>
      {operation && (
        <ol class="checks">
          {stepsOf(checksOf(operation), entry.checks, point).map(({ id, outcome }) => (
            <li class={outcome}>
              <span class="unseen">
                {outcome === "decided"
                  ? "Decided here:"
                  : outcome === "passed"
                    ? "Passed:"
                    : "Not reached:"}{" "}
              </span>
              {id.replaceAll("_", " ")}
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

interface Step {
  readonly id: string;
  readonly outcome: "passed" | "decided" | "ahead";
}

/** The checks of an operation in order. If the point belongs to no check, none is marked as decided. */
function stepsOf(
  all: readonly { readonly id: string; readonly points: readonly PointId[] }[],
  passed: readonly string[],
  point: PointId,
): Step[] {
  return all.map(({ id, points }, i) => {
    if (i < passed.length) return { id, outcome: "passed" };
    return { id, outcome: points.includes(point) && i === passed.length ? "decided" : "ahead" };
  });
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

/** JSON over several lines; anything else as it is. */
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
  // The secret of a fixture key is public; of any other key only the prefix is known, and the user completes it.
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
    ? `# The key's secret was shown once, when it was made: put it in place of ${secret}\n${all}`
    : all;
}

/** Whether the request was certainly sent to the live base address. */
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
