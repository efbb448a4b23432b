import type { Child } from "hono/jsx";
import { operationIds } from "../../contract/operations.ts";
import { ControlError } from "../../control/errors.ts";
import { quoted } from "../../rules/errors.ts";
import { scenarioFile } from "../../scenarios/file.ts";
import { groupOf } from "../../scenarios/group.ts";
import type { ExampleRequest, Scenario, StepFile } from "../../scenarios/scenario.ts";
import { hasWait, leavesOf, stepFor, waitNames } from "../../scenarios/step.ts";
import type { Waits } from "../../store/armed-scenarios.ts";
import { type Page, type PageRequest, usePage, useRefusedInput } from "../page.ts";
import { Armed } from "../parts/armed.tsx";
import { CompanyPicker } from "../parts/companies.tsx";
import { Badge, Copyable, Facts, Head, ProvenanceMark, Secret, Section, Status } from "../parts/elements.tsx";
import { Choice, Field, Form } from "../parts/forms.tsx";
import { pathTo } from "../paths.ts";

/** One scenario: what it forces, its example, every way to arm it, and its file to start an own one from. */
export async function scenario(page: PageRequest, name: string): Promise<Page> {
  const { services, query } = page;
  const shown = services.scenarios.all().find((each) => each.name === name);
  if (!shown)
    throw new ControlError(
      404,
      `scenario: no scenario has the name ${quoted(name)}. See the scenarios page.`,
    );
  const armed = services.scenarios.armed().armed.filter((each) => each.name === name);
  const file = await scenarioFile(shown, `my-${name}`);
  const body = (
    <>
      <Head
        title={shown.title}
        trail={["Scenarios", pathTo("/scenarios", { company: query.company })]}
        badge={armed.some(({ spent }) => !spent) && <Badge tone="warn">armed</Badge>}
      />
      <p>{shown.description}</p>
      {armed.length > 0 && (
        <Section id="armed" title="Armed" isLive>
          <Armed armed={armed} />
        </Section>
      )}
      <div class="columns">
        <Forces scenario={shown} />
        <ArmForm scenario={shown} />
      </div>
      <Section id="example" title="Example">
        <ol class="items">
          {shown.example.map((request) => (
            <Example of={request} on={shown.on[0] ?? ""} />
          ))}
        </ol>
      </Section>
      <Section id="own" title={groupOf(shown) === "own" ? "File" : "Make your own"}>
        <p>
          Save this file as <code>scenarios/my-{name}.yaml</code>, change its steps, and start the sandbox
          with <code>--scenarios scenarios</code>.
        </p>
        <Copyable text={file} label="the file" />
      </Section>
    </>
  );
  return { title: shown.title, body, live: armed.length > 0 };
}

function Forces({ scenario: { name, points, steps, then, on, spec } }: { scenario: Scenario }) {
  const { services, query } = usePage();
  const contract = services.contract(query.company);
  return (
    <Section id="forces" title="Forced responses" panel>
      <Facts
        of={[
          ["Name", <code>{name}</code>],
          [
            points.length === 1 ? "Contract point" : "Contract points",
            <ul class="plain-list">
              {points.map((point) => (
                <li>
                  <Status of={contract.points[point].status} />
                  <a href={pathTo("/requests", { q: `point:${point}` })}>
                    <code class="point">{point}</code>
                  </a>
                  <ProvenanceMark of={contract.points[point].provenance} />
                  <span class="remark">{contract.points[point].title}</span>
                </li>
              ))}
            </ul>,
          ],
          ["Fires on", on.join(", ")],
          ["Steps", <Steps steps={steps} passes={then === "pass"} />],
          ["Specification", spec.join(", ")],
        ]}
      />
    </Section>
  );
}

/** One line for each step, with the facts and faults of the request. */
function Steps({ steps, passes }: { steps: readonly StepFile[]; passes: boolean }) {
  const last = passes ? "Later requests are processed as usual." : "The last step repeats.";
  return (
    <>
      <ol class="steps">
        {steps.map((step) => (
          <li>
            {step.pass
              ? "processed as usual"
              : [...leavesOf(step)].map(({ path, value }) => (
                  <div>
                    <code>
                      {path}: {typeof value === "string" ? value : JSON.stringify(value)}
                    </code>
                  </div>
                ))}
          </li>
        ))}
      </ol>
      <p class="remark">{last}</p>
    </>
  );
}

const connections: Readonly<Record<ExampleRequest["expect"]["connection"], string>> = {
  answered: "",
  reset: "connection reset",
  empty: "connection closed without a response",
  truncated: "connection ends in the body",
  silent: "no response until the client gives up",
};

/** One request of the example, and its expected response. */
function Example({ of: request, on }: { of: ExampleRequest; on: string }) {
  const { operation = on, key, body, after, meanwhile, expect } = request;
  const { status, point, cards, deliveries, headers, body: fields } = expect;
  const json = (value: unknown): Child => <code>{JSON.stringify(value)}</code>;
  return (
    <li>
      <div>
        <code>{operation}</code>
        {key !== "first" && <span class="remark"> key “{key}”</span>} {body && json(body)}
        {after && <p class="remark">{after} later</p>}
        {meanwhile && <p class="remark">held while the next requests are sent</p>}
      </div>
      <div class="expected">
        <span aria-hidden="true">→</span>
        {status !== undefined && <Status of={status} />}
        {point && <code class="point">{point}</code>}
        {connections[expect.connection] !== "" && <Badge tone="bad">{connections[expect.connection]}</Badge>}
        {headers && json(headers)} {fields && json(fields)}
        {cards !== undefined && (
          <span class="remark">{cards === 1 ? "1 card" : `${cards} cards`} so far</span>
        )}
        {deliveries && (
          <span class="remark">
            deliveries:{" "}
            {deliveries
              .map(({ of, fails }) => `event of request ${of}${fails ? ` (invalid: ${fails})` : ""}`)
              .join(", ")}
          </span>
        )}
      </div>
    </li>
  );
}

const waitLabels: Readonly<Record<keyof Waits, string>> = {
  retry_after_s: "Retry-After (s)",
  latency_ms: "Latency (ms)",
  hold_ms: "Hold at most (ms)",
};

/** Every option to arm the scenario, and the header that chooses it for one request. */
function ArmForm({ scenario }: { scenario: Scenario }) {
  const { name, on, steps } = scenario;
  const form = pathTo(`/scenarios/${name}/arm`);
  const refused = useRefusedInput(form);
  const possible = operationIds.filter((id) => steps.some((step) => stepFor(step, id)?.pass === false));
  const usual = on.length === 1 ? on[0] : `${on.length} operations`;
  const operations = possible.map((id) => ({ value: id, label: id }));
  return (
    <Section id="arm" title="Arm it" panel>
      <Form to={form} label={`Arm ${name}`}>
        <CompanyPicker {...(refused.company && { value: refused.company })} />
        <Field label="Times" name="times" value={refused.times} placeholder="until disarmed" short numeric />
        {waitNames
          .filter((wait) => hasWait(scenario, wait, on))
          .map((wait) => (
            <Field label={waitLabels[wait]} name={wait} value={refused[wait]} short numeric />
          ))}
        <Choice
          label="Operation"
          name="operation"
          chosen={refused.operation}
          options={[{ value: "", label: `Default: ${usual}` }, ...operations]}
        />
        <Field label="API key id" name="api_key_id" value={refused.api_key_id} placeholder="all keys" />
        <button type="submit" class="primary">
          Arm
        </button>
      </Form>
      <p>Or choose it for a single request:</p>
      <Secret text={`-H 'Sandbox-Scenario: ${name}'`} label="the header" />
    </Section>
  );
}
