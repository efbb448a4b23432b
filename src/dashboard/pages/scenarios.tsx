import type { ArmedListing } from "../../control/scenarios.ts";
import type { Scenario } from "../../scenarios/scenario.ts";
import { hasWait, waitNames } from "../../scenarios/step.ts";
import type { Waits } from "../../store/armed-scenarios.ts";
import { type Page, type PageRequest, usePage, useRefusedInput } from "../page.ts";
import { Armed } from "../parts/armed.tsx";
import { CompanyFilter, chosenCompany, nameOf } from "../parts/companies.tsx";
import { Badge, Copyable, Empty, ProvenanceMark, Section, Status } from "../parts/elements.tsx";
import { Action, Field, Form } from "../parts/forms.tsx";
import { pathTo } from "../paths.ts";
import type { Fields } from "../submit.ts";

/** Lists all scenarios and the armed ones, and arms them for one company or for all. */
export function scenarios(page: PageRequest): Page {
  const { services } = page;
  const all = services.scenarios.all();
  const company = chosenCompany(page);
  // Those that can fire for the company: armed for it or for all.
  const armed = services.scenarios
    .armed()
    .armed.filter(({ company_id }) => !company || company_id === null || company_id === company.id);
  const target = company ? nameOf(company) : "all companies";
  const body = (
    <>
      <h1>Scenarios</h1>
      <p>
        A scenario forces a response, such as an error or a lost connection. Arm it here for the requests of
        one company or of all companies, or choose it for a single request with the header{" "}
        <code>Sandbox-Scenario</code>.
      </p>
      <Section id="armed" title="Armed scenarios">
        {armed.length > 0 ? (
          <Armed armed={armed} />
        ) : (
          <Empty title="No scenario is armed.">
            <p>Arm a scenario below, or send this header with a single request:</p>
            <Copyable text="-H 'Sandbox-Scenario: issuer-recovers'" label="the header" />
          </Empty>
        )}
      </Section>
      <Section id="arm" title="Arm a scenario">
        <div class="row">
          <CompanyFilter label="Arm for" button="Select" />
          <div class="field" data-search="#scenarios" hidden>
            <label for="search">Search</label>
            <input id="search" type="search" placeholder="quota, 503, webhook" />
            <small role="status" />
          </div>
        </div>
        <ul class="scenarios" id="scenarios">
          {all.map((scenario) => (
            <ScenarioItem scenario={scenario} target={target} armed={armed} />
          ))}
        </ul>
      </Section>
    </>
  );
  return { title: "Scenarios", body };
}

interface ScenarioProps {
  readonly scenario: Scenario;
  /** The company for which it would be armed, or all. */
  readonly target: string;
  readonly armed: readonly ArmedListing[];
}

function ScenarioItem({ scenario, target, armed }: ScenarioProps) {
  const { name, title, description, spec, points, on } = scenario;
  const form = pathTo(`/scenarios/${name}/arm`);
  const { services, query } = usePage();
  const contract = services.contract(query.company);
  const hidden = useChosenCompany();
  const fired = armed.filter((each) => each.name === name).reduce((sum, each) => sum + each.fired, 0);
  const isArmed = armed.some((each) => each.name === name && !each.spent);
  return (
    <li id={name}>
      <div class="head">
        <h3>{title}</h3>
        <code>{name}</code>
        {isArmed && (
          <Badge tone="warn">
            armed, fired {fired} {fired === 1 ? "time" : "times"}
          </Badge>
        )}
      </div>
      <p>{description}</p>
      <ul class="leads-to" aria-label="Contract points">
        {points.map((point) => (
          <li>
            <Status of={contract.points[point].status} />{" "}
            <a href={pathTo("/requests", { point })}>
              <code class="point">{point}</code>
            </a>{" "}
            <ProvenanceMark of={contract.points[point].provenance} />
          </li>
        ))}
        <li class="remark">
          Specification {spec.join(", ")}; fires on {on.join(", ")}
        </li>
      </ul>
      <div class="actions">
        <Action to={form} with={{ ...hidden, times: "1" }} of={`${name} for ${target}`}>
          Arm once
        </Action>
        <Action to={form} with={hidden} of={`${name} for ${target} until it is disarmed`}>
          Arm
        </Action>
      </div>
      <MoreOptions scenario={scenario} target={target} />
    </li>
  );
}

/** The company that the page's URL names, as a hidden field. */
function useChosenCompany(): Fields {
  const { company } = usePage().query;
  return company ? { company } : {};
}

const waitLabels: Readonly<Record<keyof Waits, string>> = {
  retry_after_s: "Retry-After (s)",
  latency_ms: "Latency (ms)",
  hold_ms: "Hold at most (ms)",
};

function MoreOptions({ scenario, target }: Omit<ScenarioProps, "armed">) {
  const { name, on } = scenario;
  const form = pathTo(`/scenarios/${name}/arm`);
  const refused = useRefusedInput(form);
  return (
    <details {...(Object.keys(refused).length > 0 && { open: true })}>
      <summary>
        More options<span class="unseen"> for arming {name}</span>
      </summary>
      <Form to={form} with={useChosenCompany()} label={`Arm ${name}`}>
        <Field label="Times" name="times" id={`${name}-times`} value={refused.times} short numeric />
        {waitNames
          .filter((wait) => hasWait(scenario, wait, on))
          .map((wait) => (
            <Field
              label={waitLabels[wait]}
              name={wait}
              id={`${name}-${wait}`}
              value={refused[wait]}
              short
              numeric
            />
          ))}
        <Field
          label="Operation"
          name="operation"
          id={`${name}-operation`}
          value={refused.operation}
          placeholder={on.join(", ")}
        />
        <Field label="API key id" name="api_key_id" id={`${name}-key`} value={refused.api_key_id} />
        <button type="submit">Arm for {target}</button>
      </Form>
    </details>
  );
}
