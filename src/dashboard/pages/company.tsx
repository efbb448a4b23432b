import { ControlError } from "../../control/control-error.ts";
import { role } from "../../core/permissions.ts";
import { accountStatus, companyStatus } from "../../core/statuses.ts";
import type { AccountListing, CompanyListing, MemberListing } from "../../store/world-listing.ts";
import { Badge, State } from "../parts/badges.tsx";
import { nameOf } from "../parts/companies.tsx";
import { Action, Choice, Field, Form, plainOptions } from "../parts/fields.tsx";
import { Bar, Facts, Table, Time } from "../parts/shown.tsx";
import { pathTo } from "../paths.ts";
import { type Page, typedInto, type Visit } from "../visit.ts";

interface Of {
  readonly visit: Visit;
  readonly company: CompanyListing;
}

/**
 * One company, and what can be changed of it.
 * @throws ControlError 404 where there is none
 */
export function company(visit: Visit, id: string): Page {
  const found = visit.services.companies.world().companies.find((each) => each.id === id);
  if (!found) throw new ControlError(404, `no company ${id}: it was deleted, or a reset took it along`);
  const of = { visit, company: found };
  const body = (
    <>
      <p class="trail">
        <a href={pathTo("/companies")}>Companies</a>
      </p>
      <h1>
        {found.name} <State of={found.status} />
      </h1>
      <div class="columns">
        <About {...of} />
        <Change {...of} />
      </div>
      <Members {...of} />
      <Accounts {...of} />
      <Clock {...of} />
      <End {...of} />
    </>
  );
  return { title: found.name, body };
}

function About({ company }: Of) {
  const { id, slug, environment, country_code, live_cards, card_quota, entitlements } = company;
  return (
    <section aria-labelledby="about">
      <h2 id="about">About</h2>
      <Facts
        of={[
          ["Id", <code>{id}</code>],
          ["Slug", <code>{slug}</code>],
          ["Environment", <Badge>{environment}</Badge>],
          ["Country", country_code],
          ["Entitled to", entitlements.length === 0 ? "nothing" : entitlements.join(", ")],
          ["Live cards", <Bar label="Card quota" used={live_cards} of={card_quota} />],
        ]}
      />
      <p class="actions">
        <a href={pathTo("/cards", { company: id })}>Cards</a>
        <a href={pathTo("/api-keys", { environment, company: id })}>API keys</a>
        <a href={pathTo("/requests", { company: id })}>Requests</a>
        <a href={pathTo("/scenarios", { company: id })}>Arm a scenario for it</a>
        <a href={pathTo("/report", { company: id })}>Report</a>
      </p>
    </section>
  );
}

function Change({ visit, company }: Of) {
  const form = pathTo(`/companies/${company.id}/change`);
  const typed = typedInto(visit, form);
  return (
    <section aria-labelledby="change">
      <h2 id="change">Change it</h2>
      <Form visit={visit} to={form} class="stack">
        <Choice
          label="Status"
          name="status"
          chosen={typed.status ?? company.status}
          options={plainOptions(companyStatus.options)}
          hint="One that is not active orders no cards: 422"
        />
        <Field
          label="Card quota"
          name="card_quota"
          value={typed.card_quota ?? String(company.card_quota)}
          hint="Live cards it may have; at the quota an order is 422"
          short
          numeric
        />
        <Choice
          label="Details"
          name="details_complete"
          chosen={typed.details_complete ?? String(company.details_complete)}
          options={completeness}
        />
        <button type="submit" class="primary">
          Change
        </button>
      </Form>
    </section>
  );
}

const completeness = [
  { value: "true", label: "complete" },
  { value: "false", label: "missing" },
];

function Members({ visit, company }: Of) {
  return (
    <section aria-labelledby="members">
      <h2 id="members">Members</h2>
      <Table
        caption="Members"
        captionUnseen
        columns={["Member", "Status", { name: "Active keys", class: "wide" }, "Role and details"]}
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

function Accounts({ visit, company }: Of) {
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
                {each === "closed" ? "Close" : "Open"}
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

function Clock({ visit, company }: Of) {
  const form = pathTo("/clock/advance");
  return (
    <section aria-labelledby="clock">
      <h2 id="clock">Its own time</h2>
      <p>
        <Time at={visit.services.time.read(company.id).now} /> UTC. A company may run ahead of the sandbox's
        clock, so that its tokens and cards expire and no other's do.
      </p>
      <Form visit={visit} to={form} with={{ company: company.id }}>
        <Field label="Advance by" name="by" value={typedInto(visit, form).by} placeholder="PT15M" short />
        <button type="submit">Advance</button>
      </Form>
    </section>
  );
}

function End({ visit, company }: Of) {
  const name = nameOf(company);
  return (
    <section aria-labelledby="end">
      <h2 id="end">Start over</h2>
      <div class="actions">
        <details>
          <summary>Reset {name}</summary>
          <p>Puts it back as it began, its clock included, and leaves the others alone.</p>
          <Action visit={visit} to={pathTo(`/companies/${company.id}/reset`)} tone="danger">
            Reset {name}
          </Action>
        </details>
        <details>
          <summary>Delete {name}</summary>
          <p>
            With its members, keys, accounts and cards. A reset of everything brings back those of the seed
            world.
          </p>
          <Action visit={visit} to={pathTo(`/companies/${company.id}/delete`)} tone="danger">
            Delete {name}
          </Action>
        </details>
      </div>
    </section>
  );
}
