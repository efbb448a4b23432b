import { accountStatus, companyStatus, memberStatus, role } from "../../rules/company.ts";
import type { AccountListing, CompanyListing, MemberListing } from "../../store/world-listing.ts";
import { type DashboardServices, type Page, type PageRequest, usePage, useRefusedInput } from "../page.ts";
import { ApiKeys, keyActions } from "../parts/api-keys.tsx";
import { ClockControls, OffsetBadge } from "../parts/clock.tsx";
import { nameOf } from "../parts/companies.tsx";
import { Badge, Bar, Facts, Head, Section, State, Table } from "../parts/elements.tsx";
import { Action, Choice, Field, Form, plainOptions } from "../parts/forms.tsx";
import { pathToRequests } from "../parts/request-table.tsx";
import { pathTo } from "../paths.ts";
import { type FormAction, inputOf, integer, required, yesOrNo } from "../submit.ts";
import { countryName } from "./world.tsx";

/** The maximum number of people on one page. */
const peopleShown = 50;

interface Props {
  readonly company: CompanyListing;
}

/**
 * Shows and edits one company with its people, API keys, accounts and clock.
 * @throws ControlError 404 if there is no such company
 */
export function company({ services }: PageRequest, id: string): Page {
  const company = services.companies.show(id);
  const { environment, name, status } = company;
  const links = [
    ["Requests", pathToRequests({ company: nameOf(company) })],
    ["Cards", pathTo("/cards", { company: company.id })],
    ["Webhooks", pathTo("/webhooks", { company: company.id })],
    ["Scenarios", pathTo("/scenarios", { company: company.id })],
    ["Contract", pathTo("/contract", { company: company.id })],
    ["Report", pathTo("/report", { company: company.id })],
  ];
  const body = (
    <>
      <Head
        title={name}
        trail={["World", pathTo("/world")]}
        badge={
          <>
            <State of={status} /> <Badge>{environment}</Badge> <OffsetBadge of={company.id} />
          </>
        }
      >
        {links.map(([text, to]) => (
          <a href={to}>{text}</a>
        ))}
      </Head>
      <div class="columns">
        <Details company={company} />
        <Edit company={company} />
        <Section id="clock" title="Clock" panel>
          <ClockControls company={company} />
        </Section>
      </div>
      <Members company={company} />
      <ApiKeys company={company} />
      <Accounts company={company} />
      <ResetOrDelete company={company} />
    </>
  );
  return { title: name, body };
}

function Details({ company }: Props) {
  const { id, slug, country_code, live_cards, card_quota, entitlements } = company;
  return (
    <Section id="details" title="Details">
      <Facts
        of={[
          ["Id", <code>{id}</code>],
          ["Slug", <code>{slug}</code>],
          ["Country", countryName(country_code)],
          ["Entitled to", entitlements.length === 0 ? "nothing" : entitlements.join(", ")],
          ["Card quota", <Bar label="Card quota" used={live_cards} of={card_quota} />],
          ["Cards", <CardsByStatus of={id} />],
        ]}
      />
    </Section>
  );
}

function CardsByStatus({ of }: { of: string }) {
  const counts = usePage().services.cards.counts(of);
  if (counts.length === 0) return "none";
  return (
    <>
      {counts.map(({ status, count }) => (
        <span class="nowrap">
          {count} <State of={status} />{" "}
        </span>
      ))}
    </>
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
  const { query } = usePage();
  const from = /^[0-9]{1,4}$/.test(query.from ?? "") ? Number(query.from) : 0;
  const next = from + peopleShown;
  const link = (first: number) => `${pathTo(`/companies/${company.id}`, { from: String(first) })}#people`;
  return (
    <Section id="people" title="People">
      <Table
        caption="People"
        captionUnseen
        columns={["Person", "Status", { name: "Active keys", class: "wide" }, "Role, status and details"]}
      >
        {company.members.slice(from, next).map((member) => (
          <Member company={company} member={member} />
        ))}
      </Table>
      <nav class="pages" aria-label="More people">
        {from > 0 && <a href={link(Math.max(0, from - peopleShown))}>Previous people</a>}
        {next < company.members.length && <a href={link(next)}>Next people</a>}
      </nav>
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
  const topUp = `${place}/top-up`;
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
          <Form to={topUp} label={`Top up ${slug}`}>
            <Field
              label="Amount"
              name="amount"
              id={`${id}-amount`}
              value={useRefusedInput(topUp).amount}
              placeholder="100.00"
              short
              numeric
            />
            <button type="submit">
              Top up<span class="unseen"> {slug}</span>
            </button>
          </Form>
        </div>
      </td>
    </tr>
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

export function companyActions(services: DashboardServices): Record<string, FormAction> {
  const { companies, state } = services;
  return {
    "/companies": async (fields) => {
      const { name, environment, country_code } = fields;
      const card_quota = integer(fields, "card_quota");
      const created = await companies.create(inputOf({ name, environment, country_code, card_quota }));
      const secrets = created.members.flatMap(({ name, role, api_keys }) =>
        api_keys.flatMap(({ secret }) => (secret ? [{ label: `${name}, ${role}`, secret }] : [])),
      );
      return { text: `${created.name} is created.`, secrets, to: pathTo(`/companies/${created.id}`) };
    },
    "/companies/:id/change": (fields, param) => {
      const { name } = companies.change(
        param("id"),
        inputOf({
          status: fields.status,
          card_quota: integer(fields, "card_quota"),
          details_complete: yesOrNo(fields, "details_complete"),
        }),
      );
      return { text: `${name} is updated.` };
    },
    "/companies/:id/reset": (_, param) => {
      state.resetCompany(param("id"));
      return { text: "The company is reset." };
    },
    "/companies/:id/delete": (_, param) => {
      companies.delete(param("id"));
      return { text: "The company is deleted.", to: pathTo("/world") };
    },
    ...keyActions(services),
    ...memberAndAccountActions(services),
  };
}

function memberAndAccountActions({ companies, simulator }: DashboardServices): Record<string, FormAction> {
  return {
    "/companies/:id/members/:member": (fields, param) => {
      const details_complete = yesOrNo(fields, "details_complete");
      const { name, role, status } = companies.changeMember(
        param("member"),
        inputOf({ role: fields.role, status: fields.status, details_complete, company: param("id") }),
      );
      return { text: `${name} is updated: ${role}, ${status}.` };
    },
    "/companies/:id/accounts/:account": (fields, param) => {
      const { slug, status } = companies.changeAccount(
        param("account"),
        inputOf({ status: fields.status, company: param("id") }),
      );
      return { text: `Account ${slug} is now ${status}.` };
    },
    "/companies/:id/accounts/:account/top-up": (fields, param) => {
      const { amount, currency } = simulator.topUp({
        account_id: param("account"),
        amount: required(fields, "amount"),
      });
      return { text: `The account is topped up with ${amount} ${currency}.` };
    },
  };
}
