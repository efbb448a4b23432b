import { accountStatus, companyStatus, memberStatus, role } from "../../rules/company.ts";
import type { AccountListing, CompanyListing, MemberListing } from "../../store/world-listing.ts";
import { type Page, type PageRequest, usePage, useRefusedInput } from "../page.ts";
import { nameOf } from "../parts/companies.tsx";
import { Badge, Bar, Facts, Section, State, Table, Time } from "../parts/elements.tsx";
import { Action, Choice, Field, Form, plainOptions } from "../parts/forms.tsx";
import { pathTo } from "../paths.ts";

interface Props {
  readonly company: CompanyListing;
}

/**
 * Shows and edits one company.
 * @throws ControlError 404 if there is no such company
 */
export function company({ services }: PageRequest, id: string): Page {
  const company = services.companies.show(id);
  const body = (
    <>
      <p class="trail">
        <a href={pathTo("/companies")}>Companies</a>
      </p>
      <h1>
        {company.name} <State of={company.status} />
      </h1>
      <div class="columns">
        <Details company={company} />
        <Edit company={company} />
      </div>
      <Members company={company} />
      <Accounts company={company} />
      <Clock company={company} />
      <ResetOrDelete company={company} />
    </>
  );
  return { title: company.name, body };
}

function Details({ company }: Props) {
  const { id, slug, environment, country_code, live_cards, card_quota, entitlements } = company;
  return (
    <Section id="details" title="Details">
      <Facts
        of={[
          ["Id", <code>{id}</code>],
          ["Slug", <code>{slug}</code>],
          ["Environment", <Badge>{environment}</Badge>],
          ["Country", country_code],
          ["Entitled to", entitlements.length === 0 ? "nothing" : entitlements.join(", ")],
          ["Card quota", <Bar label="Card quota" used={live_cards} of={card_quota} />],
        ]}
      />
      <p class="actions">
        <a href={pathTo("/cards", { company: id })}>Cards</a>
        <a href={pathTo("/api-keys", { environment, company: id })}>API keys</a>
        <a href={pathTo("/requests", { company: id })}>Requests</a>
        <a href={pathTo("/scenarios", { company: id })}>Arm a scenario</a>
        <a href={pathTo("/report", { company: id })}>Report</a>
      </p>
    </Section>
  );
}

const completeness = [
  { value: "true", label: "complete" },
  { value: "false", label: "incomplete" },
];

function Edit({ company }: Props) {
  const form = pathTo(`/companies/${company.id}/change`);
  const refused = useRefusedInput(form);
  return (
    <Section id="edit" title="Edit">
      <Form to={form} class="stack">
        <Choice
          label="Status"
          name="status"
          chosen={refused.status ?? company.status}
          options={plainOptions(companyStatus.options)}
          hint="A company that is not active cannot order cards (422)."
        />
        <Field
          label="Card quota"
          name="card_quota"
          value={refused.card_quota ?? String(company.card_quota)}
          hint="Maximum number of cards that are not ended. Further orders get 422."
          short
          numeric
        />
        <Choice
          label="Company details"
          name="details_complete"
          chosen={refused.details_complete ?? String(company.details_complete)}
          options={completeness}
        />
        <button type="submit" class="primary">
          Save changes
        </button>
      </Form>
    </Section>
  );
}

function Members({ company }: Props) {
  return (
    <Section id="members" title="Members">
      <Table
        caption="Members"
        captionUnseen
        columns={["Member", "Status", { name: "Active keys", class: "wide" }, "Role, status and details"]}
      >
        {company.members.map((member) => (
          <Member company={company} member={member} />
        ))}
      </Table>
    </Section>
  );
}

function Member({ company, member }: Props & { member: MemberListing }) {
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
        <Form to={pathTo(`/companies/${company.id}/members/${id}`)} label={`Edit ${name}`}>
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
            Save<span class="unseen"> {name}</span>
          </button>
        </Form>
      </td>
    </tr>
  );
}

function Accounts({ company }: Props) {
  return (
    <Section id="accounts" title="Accounts">
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
          <Account company={company} account={account} />
        ))}
      </Table>
    </Section>
  );
}

function Account({ company, account }: Props & { account: AccountListing }) {
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
              <Action to={place} with={{ status: each }} of={slug}>
                {each === "closed" ? "Close" : "Reopen"}
              </Action>
            ))}
          <Form to={`${place}/top-up`} label={`Top up ${slug}`}>
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

function Clock({ company }: Props) {
  const form = pathTo("/clock/advance");
  return (
    <Section id="clock" title="Clock">
      <p>
        <Time at={usePage().services.time.read(company.id).now} /> UTC. Advance the clock of this company to
        expire its access tokens and cards without affecting other companies.
      </p>
      <Form to={form} with={{ company: company.id }}>
        <Field label="Advance by" name="by" value={useRefusedInput(form).by} placeholder="PT15M" short />
        <button type="submit">Advance clock</button>
      </Form>
    </Section>
  );
}

function ResetOrDelete({ company }: Props) {
  const name = nameOf(company);
  return (
    <Section id="reset" title="Reset or delete">
      <div class="actions">
        <details>
          <summary>Reset {name}</summary>
          <p>Resets this company and its clock to their initial state. Other companies do not change.</p>
          <Action to={pathTo(`/companies/${company.id}/reset`)} tone="danger">
            Reset {name}
          </Action>
        </details>
        <details>
          <summary>Delete {name}</summary>
          <p>
            Deletes the company with its members, API keys, accounts and cards. To restore a company of the
            fixtures, reset everything.
          </p>
          <Action to={pathTo(`/companies/${company.id}/delete`)} tone="danger">
            Delete {name}
          </Action>
        </details>
      </div>
    </Section>
  );
}
