import { contractPoints } from "../../contract/points.ts";
import type { ArmedListing } from "../../control/scenarios.ts";
import type { Scenario } from "../../scenarios/scenario.ts";
import { type Page, type PageRequest, usePage, useRefusedInput } from "../page.ts";
import { Armed } from "../parts/armed.tsx";
import { CompanyFilter, chosenCompany, nameOf } from "../parts/companies.tsx";
import { Badge, Copyable, Empty, ProvenanceMark, Section, Status } from "../parts/elements.tsx";
import { Action, Field, Form } from "../parts/forms.tsx";
import { pathTo } from "../paths.ts";
import type { Fields } from "../submit.ts";

/** Lists what is armed, and arms scenarios for one company or for all. */
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
        A scenario changes what one request believes, or breaks its way; it never edits the world. Armed here
        it strikes every request of the company; a single request chooses one by the header{" "}
        <code>Sandbox-Scenario</code>.
      </p>
      <Section id="armed" title="Armed now">
        {armed.length > 0 ? (
          <Armed armed={armed} />
        ) : (
          <Empty title="Nothing is armed.">
            <p>Choose below for whom, and arm one; or send its name along on one request:</p>
            <Copyable text="-H 'Sandbox-Scenario: issuer-recovers'" label="the header" />
          </Empty>
        )}
      </Section>
      <Section id="arm" title="Arm one">
        <div class="row">
          <CompanyFilter label="Arm for" button="Choose" />
          <div class="field" data-find="#scenarios" hidden>
            <label for="find">Find</label>
            <input id="find" type="search" placeholder="quota, 503, webhook" />
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
      <ul class="leads-to" aria-label="Leads to">
        {points.map((point) => (
          <li>
            <Status of={contractPoints[point].status} />{" "}
            <a href={pathTo("/requests", { point })}>
              <code class="point">{point}</code>
            </a>{" "}
            <ProvenanceMark of={contractPoints[point].provenance} />
          </li>
        ))}
        <li class="remark">
          Specification {spec.join(", ")}; on {on.join(", ")}
        </li>
      </ul>
      <div class="actions">
        <Action to={form} with={{ ...hidden, times: "1" }} of={`${name} for ${target}`}>
          Fire once
        </Action>
        <Action to={form} with={hidden} of={`${name} for ${target} until it is disarmed`}>
          Arm
        </Action>
      </div>
      <MoreWays scenario={scenario} target={target} />
    </li>
  );
}

/** The company that the page's URL names, as a hidden field. */
function useChosenCompany(): Fields {
  const { company } = usePage().query;
  return company ? { company } : {};
}

function MoreWays({ scenario: { name, on }, target }: Omit<ScenarioProps, "armed">) {
  const form = pathTo(`/scenarios/${name}/arm`);
  const refused = useRefusedInput(form);
  return (
    <details {...(Object.keys(refused).length > 0 && { open: true })}>
      <summary>
        More ways<span class="unseen"> to arm {name}</span>
      </summary>
      <Form to={form} with={useChosenCompany()} label={`Arm ${name}`}>
        <Field label="Times" name="times" id={`${name}-times`} value={refused.times} short numeric />
        <Field
          label="Operation"
          name="operation"
          id={`${name}-operation`}
          value={refused.operation}
          placeholder={on.join(", ")}
        />
        <Field label="Id of an API key" name="api_key_id" id={`${name}-key`} value={refused.api_key_id} />
        <button type="submit">Arm for {target}</button>
      </Form>
    </details>
  );
}
