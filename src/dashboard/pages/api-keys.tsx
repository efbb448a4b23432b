import { type Environment, environment as environments } from "../../contract/identifiers.ts";
import type { ListedKey } from "../../store/api-keys.ts";
import type { CompanyListing } from "../../store/world-listing.ts";
import { State } from "../parts/badges.tsx";
import { CompanyFilter, chosenCompany, nameOf } from "../parts/companies.tsx";
import { Action, Choice, Field, Form } from "../parts/fields.tsx";
import { Bar, Copyable, Empty, Table } from "../parts/shown.tsx";
import { pathTo } from "../paths.ts";
import { type Page, typedInto, type Visit } from "../visit.ts";

/** A shared sandbox has a company for each tester. */
const companiesShown = 10;
/** The most keys listed for a company or a member: revoked keys stay listed. */
const keysShown = 50;

/** The API keys of an environment: made, listed by prefix, revoked (spec §2, §5). */
export function apiKeys(visit: Visit): Page {
  const { services, query, origin } = visit;
  const environment = query.environment === "live" ? "live" : "sandbox";
  const chosen = chosenCompany(visit);
  const { companies, has_more } =
    chosen?.environment === environment
      ? { companies: [chosen], has_more: false }
      : services.companies.world({ environment, limit: companiesShown, after: query.after });
  const { per, allowed } = services.apiKeys.slots;
  const body = (
    <>
      <h1>API keys</h1>
      <nav class="tabs" aria-label="Environment">
        {environments.options.map((each) => (
          <a
            href={pathTo("/api-keys", { environment: each })}
            {...(each === environment && { "aria-current": "true" })}
          >
            {each === "live" ? "Live" : "Sandbox"}
          </a>
        ))}
      </nav>
      <p>
        A key is exchanged for an access token that lives 15 minutes, and is sent nowhere else. Each {per} has
        up to {allowed} active {environment} keys (specification §5).
      </p>
      <section aria-labelledby="create">
        <h2 id="create">Create a {environment} key</h2>
        <Create visit={visit} companies={companies} />
      </section>
      <Keys visit={visit} environment={environment} companies={companies} hasMore={has_more} />
      <section aria-labelledby="exchange">
        <h2 id="exchange">Exchange one for a token</h2>
        <Copyable
          text={`curl -s ${(environment === "live" ? visit.liveOrigin : undefined) ?? origin}/auth/v1/${environment === "live" ? "" : "sandbox/"}token -d '{"api_key": "sk_${environment}_…"}'`}
          label="the command"
        />
      </section>
    </>
  );
  return { title: "API keys", body };
}

function Create({ visit, companies }: { visit: Visit; companies: readonly CompanyListing[] }) {
  const form = pathTo("/api-keys");
  const typed = typedInto(visit, form);
  const options = companies.map((company) => ({
    group: company.name,
    options: company.members.map(({ id, name, role, status }) => ({
      value: `${company.id}/${id}`,
      label: `${name}, ${role}${status === "active" ? "" : ` (${status})`}`,
    })),
  }));
  const environment = visit.query.environment === "live" ? "live" : "sandbox";
  return (
    <Form visit={visit} to={form} with={{ environment }}>
      <Choice
        label="Member"
        name="member"
        chosen={typed.member}
        options={options}
        hint="The members of the companies below. What the key may do follows the member's role"
      />
      <Field
        label="Label"
        name="label"
        value={typed.label}
        placeholder="my laptop"
        hint="Yours to tell it by; optional"
      />
      <button type="submit" class="primary">
        Create key
      </button>
    </Form>
  );
}

interface KeysProps {
  readonly visit: Visit;
  readonly environment: Environment;
  readonly companies: readonly CompanyListing[];
  readonly hasMore: boolean;
}

function Keys({ visit, environment, companies, hasMore }: KeysProps) {
  const { after } = visit.query;
  const last = companies.at(-1);
  return (
    <section aria-labelledby="keys">
      <h2 id="keys">Keys</h2>
      <CompanyFilter visit={visit} environment={environment} />
      {companies.map((company) => (
        <OfCompany visit={visit} company={company} />
      ))}
      <nav class="pages" aria-label="More companies">
        {after && <a href={pathTo("/api-keys", { environment })}>First companies</a>}
        {hasMore && last && <a href={pathTo("/api-keys", { environment, after: last.id })}>Next companies</a>}
      </nav>
      {companies.length === 0 && (
        <Empty title={`No ${environment} company has keys here.`}>
          <p>
            <a href={pathTo("/companies")}>Make a company</a> of the environment: its members have keys at
            once.
          </p>
        </Empty>
      )}
    </section>
  );
}

function OfCompany({ visit, company }: { visit: Visit; company: CompanyListing }) {
  const { api_keys: keys } = visit.services.apiKeys.list(company.id);
  const active = keys.filter(({ status }) => status === "active");
  const revoked = keys.filter(({ status }) => status === "revoked");
  const shown = [...active, ...revoked.reverse()].slice(0, keysShown);
  const { per, allowed } = visit.services.apiKeys.slots;
  return (
    <section class="group" aria-labelledby={`keys-${company.id}`}>
      <div class="head">
        <h3 id={`keys-${company.id}`}>
          <a href={pathTo(`/companies/${company.id}`)}>{company.name}</a>
        </h3>
        {per === "company" && <Slots of={company.name} used={active.length} allowed={allowed} />}
      </div>
      {per === "member" &&
        company.members.map(({ slug, name }) => {
          const used = active.filter(({ member }) => member === slug).length;
          return <Slots of={name} used={used} allowed={allowed} isNamed />;
        })}
      {keys.length === 0 ? (
        <p class="remark">No keys.</p>
      ) : (
        <Table
          caption={`API keys of ${company.name}`}
          captionUnseen
          columns={["Key", { name: "Member", class: "wide" }, "Status", "Actions"]}
        >
          {shown.map((key) => (
            <Key visit={visit} of={key} />
          ))}
        </Table>
      )}
      {shown.length < keys.length && (
        <p class="remark">
          {keys.length - shown.length} more keys are not shown: GET /_sandbox/api-keys?company=
          {nameOf(company)} lists all of them.
        </p>
      )}
    </section>
  );
}

interface SlotsProps {
  readonly of: string;
  readonly used: number;
  readonly allowed: number;
  /** Whether whose they are is to be seen. */
  readonly isNamed?: boolean;
}

function Slots({ of, used, allowed, isNamed = false }: SlotsProps) {
  return (
    <Bar label={`Active keys of ${of}`} used={used} of={allowed}>
      {isNamed && `${of}: `}
      {used} of {allowed} active, {Math.max(0, allowed - used)} left
    </Bar>
  );
}

function Key({ visit, of: { id, prefix, label, member, status } }: { visit: Visit; of: ListedKey }) {
  return (
    <tr>
      <th scope="row">
        <code>{prefix}…</code>
        {label && <p class="remark">{label}</p>}
        <p class="remark narrow">{member}</p>
      </th>
      <td class="wide">
        <code>{member}</code>
      </td>
      <td>
        <State of={status} />
      </td>
      <td>
        {status === "active" && (
          <details class="confirm">
            <summary>
              Revoke<span class="unseen"> {prefix}</span>
            </summary>
            <p>No new token is had with it; those that were issued live on. A revoked key stays so.</p>
            <Action visit={visit} to={pathTo(`/api-keys/${id}/revoke`)} tone="danger" of={prefix}>
              Revoke it
            </Action>
          </details>
        )}
      </td>
    </tr>
  );
}
