import type { ArmedListing } from "../../control/scenarios.ts";
import { pathTo } from "../paths.ts";
import { Badge, Table, Time } from "./elements.tsx";
import { Action } from "./forms.tsx";

/** Only the latest are shown. */
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
          These are the latest {mostShown} of {armed.length}. Choose a company on the{" "}
          <a href={pathTo("/scenarios")}>scenarios page</a> to see those that are armed for it.
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
        {!each.known && <p class="remark">No scenario file has it any more: it forces nothing.</p>}
      </th>
      <td>
        {each.company ? (
          <a href={pathTo(`/companies/${each.company_id}`)}>{each.company}</a>
        ) : (
          "all companies"
        )}
        {each.operation && <p class="remark">on {each.operation}</p>}
        {each.api_key_id && <p class="remark">one API key alone</p>}
      </td>
      <td>
        <a href={pathTo("/requests", { scenario: each.name, company: each.company_id ?? undefined })}>
          {each.fired === 0 ? "never yet" : each.fired}
        </a>
        {each.held > 0 && <p class="remark">{each.held} held now</p>}
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
            <Action to={pathTo(`/armed/${each.id}/release`)} of={`what ${each.name} holds`}>
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
