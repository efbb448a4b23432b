import { firstOrderer, orderCommand, tokenCommand } from "../../world/first-order.ts";
import { type Page, type PageRequest, usePage, useRefusedInput } from "../page.ts";
import { Armed } from "../parts/armed.tsx";
import { Badge, Copyable, Empty, Facts, Section, Time } from "../parts/elements.tsx";
import { Action, Field, Form } from "../parts/forms.tsx";
import { pathTo } from "../paths.ts";

/** The number of companies that are searched for a member who can order a card. */
const companiesSearched = 100;

/** Addresses, clock, a first order, armed scenarios, snapshots and reset. */
export function overview({ services }: PageRequest): Page {
  const { armed } = services.scenarios.armed();
  const body = (
    <>
      <h1>Overview</h1>
      <div class="columns">
        <Addresses />
        <Clock />
      </div>
      <Section id="order" title="Order a card">
        <FirstOrder />
      </Section>
      <Section id="armed" title="Armed scenarios">
        {armed.length > 0 ? (
          <Armed armed={armed} />
        ) : (
          <Empty title="Nothing is armed: every request meets the world as it is.">
            <p>
              <a href={pathTo("/scenarios")}>Arm a scenario</a>, or choose one for a single request:
            </p>
            <Copyable text="-H 'Sandbox-Scenario: quota-reached'" label="the header" />
          </Empty>
        )}
      </Section>
      <StartOver />
    </>
  );
  return { title: "Overview", body };
}

function Addresses() {
  const { services, origin, liveOrigin } = usePage();
  const { findings } = services.findings.report();
  return (
    <Section id="addresses" title="Addresses">
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
    </Section>
  );
}

function Clock() {
  const { now, frozen } = usePage().services.time.read();
  const form = pathTo("/clock/advance");
  return (
    <Section id="clock" title="Clock">
      <p class="clock">
        <span data-clock={frozen ? "frozen" : "running"}>
          <Time at={now} />
        </span>{" "}
        UTC <Badge tone={frozen ? "warn" : "good"}>{frozen ? "frozen" : "running"}</Badge>
      </p>
      <div class="actions">
        <Action to={form} with={{ by: "PT15M" }}>
          + 15 minutes
        </Action>
        <Action to={form} with={{ by: "P1D" }}>
          + 1 day
        </Action>
        <Action to={form} with={{ by: "P1M" }}>
          + 1 month
        </Action>
        <Action to={pathTo("/clock")} with={{ frozen: String(!frozen) }}>
          {frozen ? "Let it run" : "Freeze"}
        </Action>
      </div>
      <Form to={form}>
        <Field
          label="Advance by"
          name="by"
          value={useRefusedInput(form).by}
          placeholder="PT2H30M"
          hint="An ISO 8601 duration. Tokens live 15 minutes; time does not go back but by a reset."
        />
        <button type="submit">Advance</button>
      </Form>
    </Section>
  );
}

function FirstOrder() {
  const { services, origin } = usePage();
  // The companies of the fixtures come first, and only their keys are known.
  const { companies } = services.companies.world({ environment: "sandbox", limit: companiesSearched });
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

function StartOver() {
  const snapshots = usePage().services.state.snapshots();
  return (
    <Section id="start-over" title="Start over">
      <div class="columns">
        <div>
          <Form to={pathTo("/snapshots")}>
            <Field
              label="Keep the world as"
              name="name"
              value={useRefusedInput(pathTo("/snapshots")).name}
              placeholder="before-the-demo"
            />
            <button type="submit">Keep</button>
          </Form>
          {snapshots.length > 0 && (
            <ul class="plain-list">
              {snapshots.map(({ name, made_at }) => (
                <li>
                  <strong>{name}</strong> <Time at={made_at} />
                  <Action to={pathTo("/snapshots/restore")} with={{ name }} of={name}>
                    Restore
                  </Action>
                  <Action to={pathTo("/snapshots/delete")} with={{ name }} of={name}>
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
          <Action to={pathTo("/reset")} tone="danger">
            Reset everything
          </Action>
        </details>
      </div>
    </Section>
  );
}
