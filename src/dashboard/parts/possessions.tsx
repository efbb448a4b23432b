import { accountStatus, memberStatus, role } from "../../rules/company.ts";
import type { AccountListing, CompanyListing, MemberListing } from "../../store/world-listing.ts";
import { pathTo } from "../paths.ts";
import type { Visit } from "../visit.ts";
import { State } from "./badges.tsx";
import { Action, Choice, Field, Form, plainOptions } from "./fields.tsx";
import { Table } from "./shown.tsx";

interface Of {
  readonly visit: Visit;
  readonly company: CompanyListing;
}

/** Whether details are there, as one of two. */
export const completeness = [
  { value: "true", label: "complete" },
  { value: "false", label: "missing" },
];

/** A company's members, and what can be changed of them. */
export function Members({ visit, company }: Of) {
  return (
    <section aria-labelledby="members">
      <h2 id="members">Members</h2>
      <Table
        caption="Members"
        captionUnseen
        columns={["Member", "Status", { name: "Active keys", class: "wide" }, "Role, status and details"]}
      >
        {company.members.map((member) => (
          <Member visit={visit} company={company} member={member} />
        ))}
      </Table>
    </section>
  );
}

function Member({ visit, company, member }: Of & { member: MemberListing }) {
  const { id, slug, name, status, api_keys } = member;
  return (
    <tr>
      <th scope="row">
        {name}
        <p class="remark">
          <code>{slug}</code>
        </p>
      </th>
      <td>
        <State of={status} />
      </td>
      <td class="wide">{api_keys.filter((key) => key.status === "active").length}</td>
      <td>
        <Form visit={visit} to={pathTo(`/companies/${company.id}/members/${id}`)} label={`Change ${name}`}>
          <Choice
            label="Role"
            name="role"
            id={`${id}-role`}
            chosen={member.role}
            options={plainOptions(role.options)}
          />
          <Choice
            label="Status"
            name="status"
            id={`${id}-status`}
            chosen={status}
            options={plainOptions(memberStatus.options)}
          />
          <Choice
            label="Details"
            name="details_complete"
            id={`${id}-details`}
            chosen={String(member.details_complete)}
            options={completeness}
          />
          <button type="submit">
            Change<span class="unseen"> {name}</span>
          </button>
        </Form>
      </td>
    </tr>
  );
}

/** A company's accounts, and what can be done with them. */
export function Accounts({ visit, company }: Of) {
  return (
    <section aria-labelledby="accounts">
      <h2 id="accounts">Accounts</h2>
      <Table
        caption="Accounts"
        captionUnseen
        columns={[
          "Account",
          "Status",
          { name: "Balance", class: "number" },
          { name: "Id", class: "wide" },
          "Actions",
        ]}
      >
        {company.accounts.map((account) => (
          <Account visit={visit} company={company} account={account} />
        ))}
      </Table>
    </section>
  );
}

function Account({ visit, company, account }: Of & { account: AccountListing }) {
  const { id, slug, currency, status, balance } = account;
  const place = pathTo(`/companies/${company.id}/accounts/${id}`);
  return (
    <tr>
      <th scope="row">
        <code class="nowrap">{slug}</code>
      </th>
      <td>
        <State of={status} />
      </td>
      <td class="number">
        {balance} {currency}
      </td>
      <td class="wide">
        <code>{id}</code>
      </td>
      <td>
        <div class="actions">
          {accountStatus.options
            .filter((each) => each !== status)
            .map((each) => (
              <Action visit={visit} to={place} with={{ status: each }} of={slug}>
                {each === "closed" ? "Close" : "Reopen"}
              </Action>
            ))}
          <Form visit={visit} to={`${place}/top-up`} label={`Top ${slug} up`}>
            <Field label="Amount" name="amount" id={`${id}-amount`} placeholder="100.00" short numeric />
            <button type="submit">
              Top up<span class="unseen"> {slug}</span>
            </button>
          </Form>
        </div>
      </td>
    </tr>
  );
}
