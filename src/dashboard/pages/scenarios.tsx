import type { Contract } from "../../contract/dialect.ts";
import type { ArmedListing } from "../../control/scenarios.ts";
import { groupOf, losesResponse, type ScenarioGroup, scenarioGroups } from "../../scenarios/group.ts";
import type { Scenario } from "../../scenarios/scenario.ts";
import { waitNames } from "../../scenarios/step.ts";
import type { CompanyListing } from "../../store/world-listing.ts";
import { type DashboardServices, type Page, type PageRequest, usePage } from "../page.ts";
import { ArmButtons, Armed } from "../parts/armed.tsx";
import { CompanyFilter, chosenCompany, nameOf } from "../parts/companies.tsx";
import { Badge, Copyable, Empty, Head, Section, Status } from "../parts/elements.tsx";
import { SearchField } from "../parts/forms.tsx";
import { pathTo } from "../paths.ts";
import { type FormAction, inputOf, integer } from "../submit.ts";

const groupTitles: Readonly<Record<ScenarioGroup, string>> = {
  own: "Your scenarios",
  refusal: "Refusals",
  access: "Access",
  issuer: "Issuer and backend",
  connection: "Connection",
  webhook: "Webhooks",
};

/** Lists the armed scenarios and all others by what they force, and arms them for one company or for all. */
export function scenarios(page: PageRequest): Page {
  const all = page.services.scenarios.all();
  const company = chosenCompany(page);
  const armed = armedFor(page.services, company);
  const target = company ? nameOf(company) : "all companies";
  const { points } = page.services.contract(company?.id);
  const body = (
    <>
      <Head title="Scenarios" />
      <p>
        A scenario forces a response, such as an error or a lost connection. Arm it for the next requests.
      </p>
      <Section id="armed" title="Armed" isLive>
        {armed.length > 0 ? (
          <Armed armed={armed} />
        ) : (
          <Empty title="No scenario is armed.">
            <p>Arm one below, or choose it for a single request with a header:</p>
            <Copyable text="-H 'Sandbox-Scenario: issuer-recovers'" label="the header" />
          </Empty>
        )}
      </Section>
      <div class="row filter">
        <CompanyFilter label="Arm for" button="Select" />
        <SearchField of="#scenarios" placeholder="quota, 503, webhook" />
      </div>
      <div class="groups" id="scenarios">
        {scenarioGroups.map((group) => {
          const members = all.filter((each) => groupOf(each) === group);
          return (
            members.length > 0 && (
              <Section id={`group-${group}`} title={groupTitles[group]}>
                <ul class="items">
                  {members.map((scenario) => (
                    <Row {...{ scenario, target, armed, points }} />
                  ))}
                </ul>
              </Section>
            )
          );
        })}
      </div>
    </>
  );
  return { title: "Scenarios", body, live: true };
}

/** Those that can fire for the company, and those that were armed for it and are used up; of all companies without one. */
function armedFor({ scenarios }: DashboardServices, company: CompanyListing | undefined): ArmedListing[] {
  const { armed } = scenarios.armed();
  return armed.filter(
    ({ company_id, spent }) => !company || company_id === company.id || (company_id === null && !spent),
  );
}

interface RowProps {
  readonly scenario: Scenario;
  /** The company for which it would be armed, or all. */
  readonly target: string;
  readonly armed: readonly ArmedListing[];
  readonly points: Contract["points"];
}

function Row({ scenario, target, armed, points }: RowProps) {
  const { name, title, description } = scenario;
  const { company } = usePage().query;
  const isArmed = armed.some((each) => each.name === name && !each.spent);
  return (
    <li id={name} class="item">
      <div>
        <p class="head">
          <a href={pathTo(`/scenarios/${name}`, { company })} class="row-link">
            {title}
          </a>
          <code>{name}</code>
          {isArmed && <Badge tone="warn">armed</Badge>}
        </p>
        <p class="remark clipped">{description}</p>
      </div>
      <p class="statuses">
        {losesResponse(scenario) && <Status of={null} />}
        {scenario.points.map((point) => (
          <span title={`${point}: ${points[point].title}`}>
            <Status of={points[point].status} />
            <span class="unseen"> {point} </span>
          </span>
        ))}
      </p>
      <ArmButtons name={name} target={target} />
    </li>
  );
}

/** The actions of the forms of all pages that show scenarios. */
export function scenarioActions({ scenarios }: DashboardServices): Record<string, FormAction> {
  return {
    "/scenarios/:name/arm": (fields, param) => {
      const { company, operation, api_key_id } = fields;
      const waits = Object.fromEntries(waitNames.map((wait) => [wait, integer(fields, wait)]));
      const { name, times, ...armed } = scenarios.arm(
        param("name"),
        inputOf({ company, times: integer(fields, "times"), operation, api_key_id, ...waits }),
      );
      const often = times === null ? "until it is disarmed" : times === 1 ? "once" : `${times} times`;
      return { text: `${name} is armed for ${armed.company ?? "all companies"}, ${often}.` };
    },
    "/armed/clear-finished": ({ company }) => {
      scenarios.disarmAll({ company, finished: true });
      return { text: "The finished scenarios are cleared." };
    },
    "/armed/:id/disarm": (_, param) => {
      const { name, fired } = scenarios.byId(param("id"));
      scenarios.disarm(param("id"));
      return { text: `${name} is disarmed. It fired ${fired} ${fired === 1 ? "time" : "times"}.` };
    },
    "/armed/:id/release": (_, param) => {
      const { released } = scenarios.release(param("id"));
      return { text: `${released} held ${released === 1 ? "request is" : "requests are"} released.` };
    },
  };
}
