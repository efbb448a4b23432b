import type { ArmedListing } from "../../control/scenarios.ts";
import { waitNames } from "../../scenarios/step.ts";
import { usePage } from "../page.ts";
import { pathTo } from "../paths.ts";
import { Badge, Table, Time } from "./elements.tsx";
import { Action } from "./forms.tsx";

/** The maximum number of scenarios shown in each table. */
const mostShown = 50;

/** The armed scenarios with buttons to disarm and release them: those that never fired first, the used-up ones collapsed. */
export function Armed({ armed }: { armed: readonly ArmedListing[] }) {
  const { company } = usePage().query;
  const active = armed.filter(({ spent }) => !spent).toReversed();
  const finished = armed.filter(({ spent }) => spent).toReversed();
  const unused = active.filter(({ fired }) => fired === 0);
  return (
    <>
      {active.length > 0 && (
        <ArmedTable
          caption="Armed scenarios"
          armed={[...unused, ...active.filter(({ fired }) => fired > 0)]}
        />
      )}
      {finished.length > 0 && (
        <details class="finished">
          <summary>Finished ({finished.length})</summary>
          <ArmedTable caption="Finished scenarios" armed={finished} />
          <Action to={pathTo("/armed/clear-finished")} with={company ? { company } : {}}>
            Clear finished
          </Action>
        </details>
      )}
    </>
  );
}

function ArmedTable({ caption, armed }: { caption: string; armed: readonly ArmedListing[] }) {
  const columns = [
    "Scenario",
    "For",
    "Fired",
    { name: "Times", class: "wide" },
    { name: "Armed at", class: "widest" },
    "Actions",
  ];
  return (
    <>
      <Table caption={caption} captionUnseen columns={columns}>
        {armed.slice(0, mostShown).map((each) => (
          <Row each={each} />
        ))}
      </Table>
      {armed.length > mostShown && (
        <p class="remark">
          Only {mostShown} of {armed.length} are shown. Select a company on the{" "}
          <a href={pathTo("/scenarios")}>scenarios page</a> to see its armed scenarios.
        </p>
      )}
    </>
  );
}

function Row({ each }: { each: ArmedListing }) {
  const fired = `scenario:${each.name}${each.company_id ? ` company:${each.company_id}` : ""}`;
  return (
    <tr>
      <th scope="row">
        {each.known ? <a href={pathTo(`/scenarios/${each.name}`)}>{each.name}</a> : each.name}
        {waitNames.map(
          (wait) =>
            each[wait] !== null && (
              <p class="remark">
                {wait}: {each[wait]}
              </p>
            ),
        )}
        {!each.known && <p class="remark">Never fires: no scenario file defines it anymore.</p>}
      </th>
      <td>
        {each.company ? (
          <a href={pathTo(`/companies/${each.company_id}`)}>{each.company}</a>
        ) : (
          "all companies"
        )}
        {each.operation && <p class="remark">on {each.operation}</p>}
        {each.api_key_id && <p class="remark">only one API key</p>}
      </td>
      <td>
        {each.fired === 0 ? (
          <Badge tone="warn">never</Badge>
        ) : (
          <a href={pathTo("/requests", { q: fired })}>{each.fired}</a>
        )}
        {each.held > 0 && (
          <p class="remark">
            {each.held} {each.held === 1 ? "request" : "requests"} held
          </p>
        )}
      </td>
      <td class="wide">{each.times ?? "until disarmed"}</td>
      <td class="widest">
        <Time at={each.armed_at} />
      </td>
      <td>
        <div class="actions">
          {each.held > 0 && (
            <Action to={pathTo(`/armed/${each.id}/release`)} of={`the requests that ${each.name} holds`}>
              Release
            </Action>
          )}
          <Action to={pathTo(`/armed/${each.id}/disarm`)} of={each.name}>
            Disarm
          </Action>
        </div>
      </td>
    </tr>
  );
}

interface ArmButtonsProps {
  readonly name: string;
  /** The company that the page's URL names, or all. */
  readonly target: string;
}

/** Arms a scenario in one click, for the company that the page's URL names or for all. */
export function ArmButtons({ name, target }: ArmButtonsProps) {
  const { company } = usePage().query;
  const form = pathTo(`/scenarios/${name}/arm`);
  const only = company ? { company } : {};
  return (
    <div class="actions">
      <Action to={form} with={{ ...only, times: "1" }} of={`${name} for ${target}`}>
        Arm once
      </Action>
      <Action to={form} with={only} of={`${name} for ${target} until it is disarmed`}>
        Arm
      </Action>
    </div>
  );
}
