import type { ArmedListing } from "../../control/scenarios.ts";
import { waitNames } from "../../scenarios/step.ts";
import { pathTo } from "../paths.ts";
import { Badge, Table, Time } from "./elements.tsx";
import { Action } from "./forms.tsx";

/** The maximum number of scenarios shown. */
const mostShown = 50;

/** The armed scenarios with buttons to disarm and release them. */
export function Armed({ armed }: { armed: readonly ArmedListing[] }) {
  const shown = armed.slice(-mostShown);
  return (
    <>
      <Table
        caption="Armed scenarios"
        captionUnseen
        columns={[
          "Scenario",
          "For",
          "Fired",
          { name: "Times", class: "wide" },
          { name: "Armed at", class: "wide" },
          "Actions",
        ]}
      >
        {shown.map((each) => (
          <Row each={each} />
        ))}
      </Table>
      {shown.length < armed.length && (
        <p class="remark">
          Only the latest {mostShown} of {armed.length} are shown. Select a company on the{" "}
          <a href={pathTo("/scenarios")}>scenarios page</a> to see its armed scenarios.
        </p>
      )}
    </>
  );
}

function Row({ each }: { each: ArmedListing }) {
  return (
    <tr>
      <th scope="row">
        <a href={`${pathTo("/scenarios")}#${each.name}`}>{each.name}</a>
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
        <a href={pathTo("/requests", { scenario: each.name, company: each.company_id ?? undefined })}>
          {each.fired === 0 ? "never" : each.fired}
        </a>
        {each.held > 0 && (
          <p class="remark">
            {each.held} {each.held === 1 ? "request" : "requests"} held
          </p>
        )}
      </td>
      <td class="wide">
        {each.times ?? "until disarmed"} {each.spent && <Badge>used up</Badge>}
      </td>
      <td class="wide">
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
