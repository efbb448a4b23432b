import { countryCodes } from "../../contract/delivery-address.ts";
import type { CompanyListing, MemberListing } from "../../store/world-listing.ts";
import { type Page, type PageRequest, usePage, useRefusedInput } from "../page.ts";
import { KeyText } from "../parts/api-keys.tsx";
import { ClockControls, OffsetBadge } from "../parts/clock.tsx";
import { nameOf } from "../parts/companies.tsx";
import { Badge, Empty, Head, Section, State, Table, Time } from "../parts/elements.tsx";
import { Action, Choice, Field, Form, type Option } from "../parts/forms.tsx";
import { pathTo } from "../paths.ts";

/** The maximum number of companies on one page. */
const companiesShown = 20;
/** The maximum number of people of each company: the company's own page lists all. */
const peopleShown = 10;

/** The clock, snapshots and the companies with their people, API keys and accounts. */
export function world({ services, query }: PageRequest): Page {
  const { search, after } = query;
  const { companies, has_more } = services.companies.world({ search, after, limit: companiesShown });
  const count = services.companies.count({ search });
  const last = companies.at(-1);
  const body = (
    <>
      <Head title="World" />
      <div class="columns">
        <Section id="clock" title="Clock" panel>
          <ClockControls />
        </Section>
        <SnapshotsAndReset />
      </div>
      <Create />
      <Section
        id="companies"
        title={`${count} ${count === 1 ? "company" : "companies"}${search ? " found" : ""}`}
      >
        <form method="get" class="row filter" aria-label="Search companies">
          <Field label="Search" name="search" type="search" value={search} placeholder="name, slug or id" />
          <button type="submit">Search</button>
          {search && <a href={pathTo("/world")}>Clear search</a>}
        </form>
        {companies.length === 0 && (
          <Empty title="No company is listed.">
            <p>Create one above, or clear the search.</p>
          </Empty>
        )}
        <ul class="items companies">
          {companies.map((company, n) => (
            <Company company={company} isOpen={n === 0 && after === undefined} />
          ))}
        </ul>
        <nav class="pages" aria-label="More companies">
          {after && <a href={pathTo("/world", { search })}>First page</a>}
          {has_more && last && <a href={pathTo("/world", { search, after: last.id })}>Next page</a>}
        </nav>
      </Section>
    </>
  );
  return { title: "World", body };
}

function SnapshotsAndReset() {
  const snapshots = usePage().services.state.snapshots();
  const form = pathTo("/snapshots");
  return (
    <Section id="snapshots" title="Snapshots and reset" panel>
      <Form to={form}>
        <Field
          label="Snapshot name"
          name="name"
          id="snapshot-name"
          value={useRefusedInput(form).name}
          placeholder="before-the-demo"
        />
        <button type="submit">Save snapshot</button>
      </Form>
      {snapshots.length === 0 ? (
        <p class="remark">No snapshots. A snapshot holds all companies, the clock and the armed scenarios.</p>
      ) : (
        <ul class="plain-list">
          {snapshots.map(({ name, made_at }) => (
            <li>
              <strong>{name}</strong> <Time at={made_at} />
              <Action to={`${form}/restore`} with={{ name }} of={name}>
                Restore
              </Action>
              <Action to={`${form}/delete`} with={{ name }} of={name}>
                Delete
              </Action>
            </li>
          ))}
        </ul>
      )}
      <details>
        <summary>Reset everything</summary>
        <p>
          Resets the world (companies, clock and armed scenarios), counters and access tokens to their initial
          state, for everyone who uses this sandbox. Snapshots and recorded requests stay. To reset a single
          company, open its page.
        </p>
        <Action to={pathTo("/reset")} tone="danger">
          Reset everything
        </Action>
      </details>
    </Section>
  );
}

let countryNames: Intl.DisplayNames | undefined;

/** The English name of a country. */
export function countryName(code: string): string {
  // The engine takes ten milliseconds to load the names.
  countryNames ??= new Intl.DisplayNames("en", { type: "region" });
  return countryNames.of(code) ?? code;
}

let countries: readonly Option[] | undefined;

function countryOptions(): readonly Option[] {
  countries ??= [...countryCodes]
    .map((value) => ({ value, label: countryName(value) }))
    .toSorted((a, b) => a.label.localeCompare(b.label, "en"));
  return countries;
}

const environments = [
  { value: "sandbox", label: "Sandbox" },
  { value: "live", label: "Live" },
];

function Create() {
  const form = pathTo("/companies");
  const { name, country_code = "GB", environment, card_quota } = useRefusedInput(form);
  return (
    <Section id="create" title="Create an isolated company" panel>
      <p>
        For one tester or one test. It has an owner, an admin and an employee with an API key each, and two
        accounts. Your requests to it do not affect other companies.
      </p>
      <Form to={form}>
        <Field label="Name" name="name" value={name} placeholder="generated" />
        <Choice label="Country" name="country_code" chosen={country_code} options={countryOptions()} />
        <button type="submit" class="primary">
          Create company
        </button>
        <details open={environment === "live" || card_quota !== undefined}>
          <summary>More</summary>
          <div class="row">
            <Choice label="Environment" name="environment" chosen={environment} options={environments} />
            <Field label="Card quota" name="card_quota" value={card_quota} placeholder="20" short numeric />
          </div>
        </details>
      </Form>
    </Section>
  );
}

function Company({ company, isOpen }: { company: CompanyListing; isOpen: boolean }) {
  const { id, name, environment, country_code, status, members, accounts } = company;
  return (
    <li>
      <div class="head">
        <h3>
          <a href={pathTo(`/companies/${id}`)}>{name}</a>
        </h3>
        <code>{nameOf(company)}</code>
        <Badge>{environment}</Badge>
        <span class="remark">{countryName(country_code)}</span>
        <State of={status} />
        <OffsetBadge of={id} />
      </div>
      <details open={isOpen}>
        <summary>
          {counted(members.length, "person", "people")}, {counted(accounts.length, "account", "accounts")} and
          clock
          <span class="unseen"> of {name}</span>
        </summary>
        <Table
          caption={`People of ${name}`}
          captionUnseen
          columns={["Person", { name: "Role", class: "wide" }, { name: "Status", class: "wide" }, "API keys"]}
        >
          {members.slice(0, peopleShown).map((member) => (
            <Person member={member} />
          ))}
        </Table>
        {members.length > peopleShown && (
          <p>
            <a href={`${pathTo(`/companies/${id}`)}#people`}>All {members.length} people</a>
          </p>
        )}
        <div class="columns">
          <Accounts company={company} />
          <div class="stack">
            <ClockControls company={company} isBrief />
          </div>
        </div>
      </details>
    </li>
  );
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function Person({ member: { name, slug, role, status, api_keys } }: { member: MemberListing }) {
  return (
    <tr>
      <th scope="row">
        {name}
        <p class="remark">
          <code>{slug}</code>
          <span class="narrow">
            , {role}
            {status !== "active" && `, ${status}`}
          </span>
        </p>
      </th>
      <td class="wide">{role}</td>
      <td class="wide">
        <State of={status} />
      </td>
      <td>
        {api_keys
          .filter((key) => key.status === "active")
          .map((key) => (
            <KeyText of={key} owner={name} />
          ))}
      </td>
    </tr>
  );
}

function Accounts({ company: { name, accounts } }: { company: CompanyListing }) {
  return (
    <Table
      caption={`Accounts of ${name}`}
      captionUnseen
      columns={["Account", "Status", { name: "Balance", class: "number" }]}
    >
      {accounts.slice(0, peopleShown).map(({ slug, currency, status, balance }) => (
        <tr>
          <th scope="row">
            <code>{slug}</code>
          </th>
          <td>
            <State of={status} />
          </td>
          <td class="number">
            {balance} {currency}
          </td>
        </tr>
      ))}
    </Table>
  );
}
