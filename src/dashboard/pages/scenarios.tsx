import { contractPoints } from "../../contract/points.ts";
import type { ArmedListing } from "../../control/scenarios.ts";
import type { Scenario } from "../../scenarios/scenario.ts";
import { Armed } from "../parts/armed.tsx";
import { Badge, ProvenanceMark, Status } from "../parts/badges.tsx";
import { CompanyFilter, chosenCompany, nameOf } from "../parts/companies.tsx";
import { Action, Field, Form } from "../parts/fields.tsx";
import { Copyable, Empty } from "../parts/shown.tsx";
import { pathTo } from "../paths.ts";
import { type Page, typedInto, type Visit } from "../visit.ts";

/** Every scenario, to be armed for one company or for all; and what is armed. */
export function scenarios(visit: Visit): Page {
  const { services } = visit;
  const all = services.scenarios.all();
  const company = chosenCompany(visit);
  // Those that can fire for the company: armed for it or for all.
  const armed = services.scenarios
    .armed()
    .armed.filter(({ company_id }) => !company || company_id === null || company_id === company.id);
  const whom = company ? nameOf(company) : "all companies";
  const body = (
    <>
      <h1>Scenarios</h1>
      <p>
        A scenario changes what one request believes, or breaks its way; it never edits the world. Armed here
        it strikes every request of the company; a single request chooses one by the header{" "}
        <code>Sandbox-Scenario</code>.
      </p>
      <section aria-labelledby="armed">
        <h2 id="armed">Armed now</h2>
        {armed.length > 0 ? (
          <Armed visit={visit} armed={armed} />
        ) : (
          <Empty title="Nothing is armed.">
            <p>Choose below for whom, and arm one; or send its name along on one request:</p>
            <Copyable text="-H 'Sandbox-Scenario: issuer-recovers'" label="the header" />
          </Empty>
        )}
      </section>
      <section aria-labelledby="arm">
        <h2 id="arm">Arm one</h2>
        <div class="row">
          <CompanyFilter visit={visit} label="Arm for" button="Choose" />
          <div class="field" data-find="#scenarios" hidden>
            <label for="find">Find</label>
            <input id="find" type="search" placeholder="quota, 503, webhook" />
            <small role="status" />
          </div>
        </div>
        <ul class="scenarios" id="scenarios">
          {all.map((scenario) => (
            <One visit={visit} scenario={scenario} whom={whom} armed={armed} />
          ))}
        </ul>
      </section>
    </>
  );
  return { title: "Scenarios", body };
}

interface OneProps {
  readonly visit: Visit;
  readonly scenario: Scenario;
  /** For whom it would be armed. */
  readonly whom: string;
  readonly armed: readonly ArmedListing[];
}

function One({ visit, scenario, whom, armed }: OneProps) {
  const { name, title, description, spec, points, on } = scenario;
  const form = pathTo(`/scenarios/${name}/arm`);
  const company = visit.query.company ? { company: visit.query.company } : undefined;
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
        <Action visit={visit} to={form} with={{ ...company, times: "1" }} of={`${name} for ${whom}`}>
          Fire once
        </Action>
        <Action visit={visit} to={form} with={{ ...company }} of={`${name} for ${whom} until it is disarmed`}>
          Arm
        </Action>
      </div>
      <MoreWays visit={visit} scenario={scenario} whom={whom} />
    </li>
  );
}

function MoreWays({ visit, scenario: { name, on }, whom }: Omit<OneProps, "armed">) {
  const form = pathTo(`/scenarios/${name}/arm`);
  const company = visit.query.company ? { company: visit.query.company } : undefined;
  const typed = typedInto(visit, form);
  return (
    <details {...(Object.keys(typed).length > 0 && { open: true })}>
      <summary>
        More ways<span class="unseen"> to arm {name}</span>
      </summary>
      <Form visit={visit} to={form} with={{ ...company }} label={`Arm ${name}`}>
        <Field label="Times" name="times" id={`${name}-times`} value={typed.times} short numeric />
        <Field
          label="Operation"
          name="operation"
          id={`${name}-operation`}
          value={typed.operation}
          placeholder={on.join(", ")}
        />
        <Field label="Id of an API key" name="api_key_id" id={`${name}-key`} value={typed.api_key_id} />
        <button type="submit">Arm for {whom}</button>
      </Form>
    </details>
  );
}
