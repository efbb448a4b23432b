import { severities } from "../../journal/findings/finding.ts";
import type { RecordedRequest } from "../../journal/journal.ts";
import { firstOrderer } from "../../world/first-order.ts";
import { type Page, type PageRequest, usePage } from "../page.ts";
import { TrafficChart, TrafficWindows, trafficOf } from "../parts/chart.tsx";
import { ClockControls, offsetInWords } from "../parts/clock.tsx";
import { codeFor, languages } from "../parts/copy-as.tsx";
import { Copyable, Empty, Facts, Head, Section, Severity, State, Tabs } from "../parts/elements.tsx";
import { Action } from "../parts/forms.tsx";
import { RecordingSection } from "../parts/recording.tsx";
import { RequestTable } from "../parts/request-table.tsx";
import { pathTo } from "../paths.ts";

/** The number of companies that are searched for a member who can order a card. */
const companiesSearched = 100;

/** The maximum number of requests, of armed scenarios and of clocks that are shown. */
const mostShown = 10;

/** What happens now: traffic, the latest requests, armed scenarios, findings, cards and clocks. */
export function overview({ services, query }: PageRequest): Page {
  const isFresh = services.journal.received === 0;
  const body = (
    <>
      <Head title="Overview">
        <SearchRequests />
      </Head>
      <div id="now" data-part="">
        {isFresh ? (
          <Section id="order" title="Order a card" panel>
            <FirstOrder />
          </Section>
        ) : (
          <Traffic />
        )}
      </div>
      <LatestRequests />
      <div class="columns">
        <ArmedScenarios />
        <Findings />
        <Cards />
      </div>
      <div class="columns">
        <Clocks />
        <RecordingSection />
        <ThisSandbox />
      </div>
      {!isFresh && (
        <details id="order-details" {...(query.first && { open: true })}>
          <summary>Code of a first order</summary>
          <FirstOrder />
        </details>
      )}
    </>
  );
  return { title: "Overview", body, live: true };
}

function SearchRequests() {
  return (
    <search>
      <form method="get" action={pathTo("/requests")}>
        <input
          name="q"
          type="search"
          aria-label="Search requests"
          placeholder="Search requests: status:5xx key:3f0c"
          autocomplete="off"
          spellcheck={false}
          data-key="/"
        />
      </form>
    </search>
  );
}

function Traffic() {
  const { services, query } = usePage();
  const traffic = trafficOf(services.journal, services.clock, query.window);
  return (
    <Section
      id="requests-over-time"
      title="Requests by status"
      panel
      aside={<TrafficWindows minutes={traffic.minutes} />}
    >
      <TrafficChart {...traffic} />
    </Section>
  );
}

function LatestRequests() {
  const { journal } = usePage().services;
  const latest: RecordedRequest[] = [];
  for (const request of journal.byArrival()) {
    if (latest.push(request) === mostShown) break;
  }
  return (
    <Section
      id="latest"
      title="Latest requests"
      isLive
      aside={<a href={pathTo("/requests")}>All requests</a>}
    >
      {latest.length > 0 ? (
        <RequestTable requests={latest} id="requests" />
      ) : (
        <Empty title="No requests yet." />
      )}
    </Section>
  );
}

/** The scenarios that are armed and have not fired. */
function ArmedScenarios() {
  const active = usePage()
    .services.scenarios.armed()
    .armed.filter(({ spent }) => !spent);
  const waiting = active.filter(({ fired }) => fired === 0).toReversed();
  const others = active.length - Math.min(waiting.length, mostShown);
  return (
    <Section
      id="armed"
      title="Armed, not fired yet"
      isLive
      aside={<a href={pathTo("/scenarios")}>Scenarios</a>}
    >
      {waiting.length > 0 && (
        <ul class="plain-list">
          {waiting.slice(0, mostShown).map(({ id, name, company, times }) => (
            <li>
              <a href={pathTo(`/scenarios/${name}`)}>{name}</a>
              <span class="remark">
                for {company ?? "all companies"}, {times === null ? "until disarmed" : `${times} ×`}
              </span>
              <Action to={pathTo(`/armed/${id}/disarm`)} of={name}>
                Disarm
              </Action>
            </li>
          ))}
        </ul>
      )}
      {others > 0 && (
        <p>
          <a href={`${pathTo("/scenarios")}#armed`}>{others} more armed</a>
        </p>
      )}
      {active.length === 0 && (
        <Empty title="No scenario is armed.">
          <p>
            <a href={pathTo("/scenarios")}>Arm a scenario</a>, or send this header with a single request:
          </p>
          <Copyable text="-H 'Sandbox-Scenario: quota-reached'" label="the header" />
        </Empty>
      )}
    </Section>
  );
}

function Findings() {
  const { totals } = usePage().services.findings.report({ evidence: false });
  const found = severities.filter((each) => totals[each] > 0);
  const report = `${pathTo("/report")}#findings`;
  return (
    <Section id="findings" title="Findings" isLive aside={<a href={pathTo("/report")}>Report</a>}>
      {found.length === 0 ? (
        <p>No mistakes of your client were found.</p>
      ) : (
        <ul class="plain-list">
          {found.map((each) => (
            <li>
              <a href={report}>
                {totals[each]} <Severity of={each} />
              </a>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Cards() {
  const counts = usePage().services.cards.counts();
  return (
    <Section id="cards" title="Cards" isLive aside={<a href={pathTo("/cards")}>All cards</a>}>
      {counts.length === 0 ? (
        <p>No cards yet. An order makes the first one.</p>
      ) : (
        <ul class="plain-list">
          {counts.map(({ status, count }) => (
            <li>
              <a href={pathTo("/cards", { status })}>
                {count} <State of={status} />
              </a>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** The clock of the sandbox, and those of companies that are ahead of it. */
function Clocks() {
  const { time } = usePage().services;
  const ahead = time.offsets(mostShown + 1);
  return (
    <Section id="clock" title="Clock" isLive aside={<a href={pathTo("/world")}>World: reset, snapshots</a>}>
      <ClockControls isBrief />
      {ahead.length > 0 && (
        <ul class="plain-list">
          {ahead.slice(0, mostShown).map(({ id, name, offset_ms }) => (
            <li>
              <a href={pathTo(`/companies/${id}`)}>{name}</a>
              <span class="remark">{offsetInWords(offset_ms)}</span>
            </li>
          ))}
          {ahead.length > mostShown && (
            <li>
              <a href={pathTo("/world")}>More clocks are ahead</a>
            </li>
          )}
        </ul>
      )}
    </Section>
  );
}

function FirstOrder() {
  const { services, origin, query } = usePage();
  // The companies of the fixtures come first, and only their keys are known.
  const { companies } = services.companies.world({ environment: "sandbox", limit: companiesSearched });
  const order = firstOrderer(companies, "sandbox");
  if (!order) {
    return (
      <Empty title="No member with a public API key can order a card.">
        <p>
          <a href={pathTo("/world")}>Create a company</a>, or an API key for an owner or an admin of an active
          one.
        </p>
      </Empty>
    );
  }
  const as = languages.find(({ value }) => value === query.first)?.value ?? "curl";
  const isForCompany = services.contract().choices["on_behalf_of.mode"] === "required";
  const code = codeFor({
    origin,
    secret: order.secret,
    method: "POST",
    path: "/developer/cards/physical",
    headers: {
      "Content-Type": "application/json",
      "Idempotency-Key": "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30",
      ...(isForCompany && { "X-On-Behalf-Of": order.company }),
    },
    body: JSON.stringify({
      account_id: order.account,
      pin: "4821",
      delivery_address: { line1: "1 Long Lane", city: "London", post_code: "SE1 4PG", country_code: "GB" },
      delivery_method: "express",
    }),
    as,
  });
  return (
    <div id="first-order">
      <p>
        Run this code twice: the second response returns the same card, because the Idempotency-Key is the
        same. The API key belongs to the fixtures and is public. The requests then appear on this page.
      </p>
      <Tabs label="Language of the code" name="first" options={languages} current={as} at="first-order" />
      <Copyable text={code} label="the code" />
    </div>
  );
}

function ThisSandbox() {
  const { services, origin, liveOrigin } = usePage();
  return (
    <Section id="sandbox" title="This sandbox">
      <Facts
        of={[
          ["Sandbox base URL", <code>{origin}</code>],
          [
            "Live base URL",
            liveOrigin ? (
              <code>{liveOrigin}</code>
            ) : (
              "on another port, which the sandbox prints when it starts"
            ),
          ],
          [
            "API reference",
            <>
              <a href="/docs">/docs</a>, OpenAPI of the <a href="/openapi.json">service</a> and the{" "}
              <a href="/_sandbox/openapi.json">control API</a>
            </>,
          ],
          ["Seed", <code>{services.seed}</code>],
          ["World", <a href={pathTo("/world")}>{services.companies.count()} companies</a>],
        ]}
      />
    </Section>
  );
}
