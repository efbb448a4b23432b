import { firstOrderer, orderCommand, tokenCommand } from "../../world/first-order.ts";
import { Armed } from "../parts/armed.tsx";
import { Badge } from "../parts/badges.tsx";
import { Action, Field, Form } from "../parts/fields.tsx";
import { Copyable, Empty, Facts, Time } from "../parts/shown.tsx";
import { pathTo } from "../paths.ts";
import { type Page, typedInto, type Visit } from "../visit.ts";

/** The number of companies in which to look for a member who can order a card. */
const companiesAsked = 100;

/** Where the sandbox is, what time it is there, and a first order. */
export function overview(visit: Visit): Page {
  const { armed } = visit.services.scenarios.armed();
  const body = (
    <>
      <h1>Overview</h1>
      <div class="columns">
        <Addresses visit={visit} />
        <Clock visit={visit} />
      </div>
      <section aria-labelledby="order">
        <h2 id="order">Order a card</h2>
        <FirstOrder visit={visit} />
      </section>
      <section aria-labelledby="armed">
        <h2 id="armed">Armed scenarios</h2>
        {armed.length > 0 ? (
          <Armed visit={visit} armed={armed} />
        ) : (
          <Empty title="Nothing is armed: every request meets the world as it is.">
            <p>
              <a href={pathTo("/scenarios")}>Arm a scenario</a>, or choose one for a single request:
            </p>
            <Copyable text="-H 'Sandbox-Scenario: quota-reached'" label="the header" />
          </Empty>
        )}
      </section>
      <StartOver visit={visit} />
    </>
  );
  return { title: "Overview", body };
}

function Addresses({ visit: { services, origin, liveOrigin } }: { visit: Visit }) {
  const { findings } = services.findings.report();
  return (
    <section aria-labelledby="addresses">
      <h2 id="addresses">Addresses</h2>
      <Facts
        of={[
          ["Sandbox base address", <code>{origin}</code>],
          [
            "Live base address",
            liveOrigin ? <code>{liveOrigin}</code> : "on a port of its own, which the start-up lines name",
          ],
          [
            "Interface",
            <>
              <a href="/docs">reference</a>, <a href="/openapi.json">OpenAPI</a>
            </>,
          ],
          ["Seed", <code>{services.seed}</code>],
          [
            "World",
            <>
              <a href={pathTo("/companies")}>{services.companies.count()} companies</a>,{" "}
              <a href={pathTo("/cards")}>cards</a>
            </>,
          ],
          [
            "Findings",
            findings.length === 0 ? (
              "none: no mistake of the client was seen"
            ) : (
              <a href={`${pathTo("/report")}#findings`}>{findings.length} to mend</a>
            ),
          ],
        ]}
      />
    </section>
  );
}

function Clock({ visit }: { visit: Visit }) {
  const { now, frozen } = visit.services.time.read();
  const form = pathTo("/clock/advance");
  return (
    <section aria-labelledby="clock">
      <h2 id="clock">Clock</h2>
      <p class="clock">
        <span data-clock={frozen ? "frozen" : "running"}>
          <Time at={now} />
        </span>{" "}
        UTC <Badge tone={frozen ? "warn" : "good"}>{frozen ? "frozen" : "running"}</Badge>
      </p>
      <div class="actions">
        <Action visit={visit} to={form} with={{ by: "PT15M" }}>
          + 15 minutes
        </Action>
        <Action visit={visit} to={form} with={{ by: "P1D" }}>
          + 1 day
        </Action>
        <Action visit={visit} to={form} with={{ by: "P1M" }}>
          + 1 month
        </Action>
        <Action visit={visit} to={pathTo("/clock")} with={{ frozen: String(!frozen) }}>
          {frozen ? "Let it run" : "Freeze"}
        </Action>
      </div>
      <Form visit={visit} to={form}>
        <Field
          label="Advance by"
          name="by"
          value={typedInto(visit, form).by}
          placeholder="PT2H30M"
          hint="An ISO 8601 duration. Tokens live 15 minutes; time does not go back but by a reset."
        />
        <button type="submit">Advance</button>
      </Form>
    </section>
  );
}

function FirstOrder({ visit: { services, origin } }: { visit: Visit }) {
  // The companies of the fixtures come first, and only their keys are known.
  const { companies } = services.companies.world({ environment: "sandbox", limit: companiesAsked });
  const order = firstOrderer(companies, "sandbox");
  if (!order) {
    return (
      <Empty title="Nobody can order a card here whose key the sandbox knows.">
        <p>
          <a href={pathTo("/api-keys")}>Create an API key</a> for an owner or an admin of an active company,
          or <a href={pathTo("/companies")}>make an isolated company</a>.
        </p>
      </Empty>
    );
  }
  const commands = [
    tokenCommand(origin, order.secret),
    orderCommand(origin, order, { onBehalfOf: services.onBehalfOfRequired }),
  ];
  return (
    <>
      <p>
        Paste it twice: the second response is the same card. The key belongs to the fixtures and is public;{" "}
        <a href={pathTo("/api-keys")}>create your own</a>.
      </p>
      <Copyable text={commands.join("\n")} label="the commands" />
    </>
  );
}

function StartOver({ visit }: { visit: Visit }) {
  const snapshots = visit.services.state.snapshots();
  return (
    <section aria-labelledby="start-over">
      <h2 id="start-over">Start over</h2>
      <div class="columns">
        <div>
          <Form visit={visit} to={pathTo("/snapshots")}>
            <Field
              label="Keep the world as"
              name="name"
              value={typedInto(visit, pathTo("/snapshots")).name}
              placeholder="before-the-demo"
            />
            <button type="submit">Keep</button>
          </Form>
          {snapshots.length > 0 && (
            <ul class="plain-list">
              {snapshots.map(({ name, made_at }) => (
                <li>
                  <strong>{name}</strong> <Time at={made_at} />
                  <Action visit={visit} to={pathTo("/snapshots/restore")} with={{ name }} of={name}>
                    Restore
                  </Action>
                  <Action visit={visit} to={pathTo("/snapshots/delete")} with={{ name }} of={name}>
                    Delete
                  </Action>
                </li>
              ))}
            </ul>
          )}
        </div>
        <details>
          <summary>Reset everything</summary>
          <p>
            Puts the world, clock, counters, tokens and what is armed back as freshly started, for everybody
            who uses this sandbox. Snapshots stay. One company alone is reset on its own page.
          </p>
          <Action visit={visit} to={pathTo("/reset")} tone="danger">
            Reset everything
          </Action>
        </details>
      </div>
    </section>
  );
}
