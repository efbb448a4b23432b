import { firstOrderer, orderCommand, tokenCommand } from "../../world/first-order.ts";
import { type Page, type PageRequest, usePage, useRefusedInput } from "../page.ts";
import { Armed } from "../parts/armed.tsx";
import { Badge, Copyable, Empty, Facts, Section, Time } from "../parts/elements.tsx";
import { Action, Field, Form } from "../parts/forms.tsx";
import { RecordingSection } from "../parts/recording.tsx";
import { pathTo } from "../paths.ts";

/** The number of companies that are searched for a member who can order a card. */
const companiesSearched = 100;

/** Base URLs, clock, a first order, armed scenarios, the recording, snapshots and reset. */
export function overview({ services }: PageRequest): Page {
  const { armed } = services.scenarios.armed();
  const body = (
    <>
      <h1>Overview</h1>
      <div class="columns">
        <ThisSandbox />
        <Clock />
      </div>
      <Section id="order" title="Order a card">
        <FirstOrder />
      </Section>
      <Section id="armed" title="Armed scenarios">
        {armed.length > 0 ? (
          <Armed armed={armed} />
        ) : (
          <Empty title="No scenario is armed.">
            <p>
              <a href={pathTo("/scenarios")}>Arm a scenario</a>, or send this header with a single request:
            </p>
            <Copyable text="-H 'Sandbox-Scenario: quota-reached'" label="the header" />
          </Empty>
        )}
      </Section>
      <RecordingSection />
      <SnapshotsAndReset />
    </>
  );
  return { title: "Overview", body };
}

function ThisSandbox() {
  const { services, origin, liveOrigin } = usePage();
  const { findings } = services.findings.report();
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
          ["API reference", <a href="/docs">/docs</a>],
          [
            "OpenAPI documents",
            <>
              <a href="/openapi.json">service</a>, <a href="/_sandbox/openapi.json">control API</a>
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
              "none"
            ) : (
              <a href={`${pathTo("/report")}#findings`}>{findings.length} to fix</a>
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
          {frozen ? "Unfreeze clock" : "Freeze clock"}
        </Action>
      </div>
      <Form to={form}>
        <Field
          label="Advance by"
          name="by"
          value={useRefusedInput(form).by}
          placeholder="PT2H30M"
          hint="ISO 8601 duration. Access tokens expire after about 15 minutes. Only a reset turns the clock back."
        />
        <button type="submit">Advance clock</button>
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
      <Empty title="No member with a public API key can order a card.">
        <p>
          <a href={pathTo("/api-keys")}>Create an API key</a> for an owner or an admin of an active company,
          or <a href={pathTo("/companies")}>create an isolated company</a>.
        </p>
      </Empty>
    );
  }
  const commands = [
    tokenCommand(origin, order.secret),
    orderCommand(origin, order, {
      onBehalfOf: services.contract().choices["on_behalf_of.mode"] === "required",
    }),
  ];
  return (
    <>
      <p>
        Run these commands twice: the second response returns the same card, because the Idempotency-Key is
        the same. The API key belongs to the fixtures and is public. You can also{" "}
        <a href={pathTo("/api-keys")}>create your own</a>.
      </p>
      <Copyable text={commands.join("\n")} label="the commands" />
    </>
  );
}

function SnapshotsAndReset() {
  const snapshots = usePage().services.state.snapshots();
  return (
    <Section id="snapshots" title="Snapshots and reset">
      <div class="columns">
        <div>
          <Form to={pathTo("/snapshots")}>
            <Field
              label="Snapshot name"
              name="name"
              value={useRefusedInput(pathTo("/snapshots")).name}
              placeholder="before-the-demo"
            />
            <button type="submit">Save snapshot</button>
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
            Resets the world (companies, clock and armed scenarios), counters and access tokens to their
            initial state, for everyone who uses this sandbox. Snapshots and recorded requests stay. To reset
            a single company, open its page.
          </p>
          <Action to={pathTo("/reset")} tone="danger">
            Reset everything
          </Action>
        </details>
      </div>
    </Section>
  );
}
