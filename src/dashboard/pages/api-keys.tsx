import { type Environment, environment as environments } from "../../contract/identifiers.ts";
import type { ListedKey } from "../../store/api-keys.ts";
import type { CompanyListing } from "../../store/world-listing.ts";
import { tokensStayValid } from "../actions.ts";
import { type Page, type PageRequest, usePage, useRefusedInput } from "../page.ts";
import { CompanyFilter, chosenCompany, nameOf } from "../parts/companies.tsx";
import { Bar, Copyable, Empty, Section, State, Table } from "../parts/elements.tsx";
import { Action, Choice, Field, Form } from "../parts/forms.tsx";
import { pathTo } from "../paths.ts";

/** The maximum number of companies on one page. */
const companiesShown = 10;
/** The maximum number of keys listed for a company, because revoked keys stay listed. */
const keysShown = 50;

/** Creates, lists and revokes the API keys of an environment (spec §2, §5). */
export function apiKeys(page: PageRequest): Page {
  const { services, query, origin } = page;
  const environment = query.environment === "live" ? "live" : "sandbox";
  const chosen = chosenCompany(page);
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
        Exchange an API key for an access token, which expires after about 15 minutes. Do not send the API key
        to any other endpoint. Each {per} can have up to {allowed} active {environment} keys (specification
        §5).
      </p>
      <Section id="create" title={`Create a ${environment} key`}>
        <Create environment={environment} companies={companies} />
      </Section>
      <Keys environment={environment} companies={companies} hasMore={has_more} />
      <Section id="exchange" title="Exchange a key for an access token">
        <Copyable
          text={`curl -s ${(environment === "live" ? page.liveOrigin : undefined) ?? origin}/auth/v1/${environment === "live" ? "" : "sandbox/"}token -d '{"api_key": "sk_${environment}_…"}'`}
          label="the command"
        />
      </Section>
    </>
  );
  return { title: "API keys", body };
}

interface CompaniesProps {
  readonly environment: Environment;
  readonly companies: readonly CompanyListing[];
}

function Create({ environment, companies }: CompaniesProps) {
  const form = pathTo("/api-keys");
  const refused = useRefusedInput(form);
  const options = companies.map((company) => ({
    group: company.name,
    options: company.members.map(({ id, name, role, status }) => ({
      value: `${company.id}/${id}`,
      label: `${name}, ${role}${status === "active" ? "" : ` (${status})`}`,
    })),
  }));
  return (
    <Form to={form} with={{ environment }}>
      <Choice
        label="Member"
        name="member"
        chosen={refused.member}
        options={options}
        hint="Choose a member of one of the companies below. The role of the member determines the permissions of the key."
      />
      <Field
        label="Label"
        name="label"
        value={refused.label}
        placeholder="my laptop"
        hint="Optional. Helps you recognize the key."
      />
      <button type="submit" class="primary">
        Create key
      </button>
    </Form>
  );
}

function Keys({ environment, companies, hasMore }: CompaniesProps & { readonly hasMore: boolean }) {
  const { after } = usePage().query;
  const last = companies.at(-1);
  return (
    <Section id="keys" title="Keys">
      <CompanyFilter environment={environment} />
      {companies.map((company) => (
        <CompanyKeys company={company} />
      ))}
      <nav class="pages" aria-label="More companies">
        {after && <a href={pathTo("/api-keys", { environment })}>First companies</a>}
        {hasMore && last && <a href={pathTo("/api-keys", { environment, after: last.id })}>Next companies</a>}
      </nav>
      {companies.length === 0 && (
        <Empty title={`There is no ${environment} company.`}>
          <p>
            <a href={pathTo("/companies")}>Create an isolated company</a> in this environment. Each of its
            members has an API key.
          </p>
        </Empty>
      )}
    </Section>
  );
}

function CompanyKeys({ company }: { company: CompanyListing }) {
  const { apiKeys } = usePage().services;
  const { api_keys: keys } = apiKeys.list(company.id);
  const active = keys.filter(({ status }) => status === "active");
  const revoked = keys.filter(({ status }) => status === "revoked");
  const shown = [...active, ...revoked.reverse()].slice(0, keysShown);
  const { per, allowed } = apiKeys.slots;
  return (
    <section class="group" aria-labelledby={`keys-${company.id}`}>
      <div class="head">
        <h3 id={`keys-${company.id}`}>
          <a href={pathTo(`/companies/${company.id}`)}>{company.name}</a>
        </h3>
        {per === "company" && <ActiveKeys of={company.name} used={active.length} allowed={allowed} />}
      </div>
      {per === "member" &&
        company.members.map(({ slug, name }) => {
          const used = active.filter(({ member }) => member === slug).length;
          return <ActiveKeys of={name} used={used} allowed={allowed} isNamed />;
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
            <Key of={key} />
          ))}
        </Table>
      )}
      {shown.length < keys.length && (
        <p class="remark">
          {keys.length - shown.length} more keys are not shown. GET /_sandbox/api-keys?company=
          {nameOf(company)} lists all keys.
        </p>
      )}
    </section>
  );
}

interface ActiveKeysProps {
  readonly of: string;
  readonly used: number;
  readonly allowed: number;
  /** Whether the text begins with the name of the member. */
  readonly isNamed?: boolean;
}

function ActiveKeys({ of, used, allowed, isNamed = false }: ActiveKeysProps) {
  return (
    <Bar label={`Active keys of ${of}`} used={used} of={allowed}>
      {isNamed && `${of}: `}
      {used} of {allowed} active, {Math.max(0, allowed - used)} left
    </Bar>
  );
}

function Key({ of: { id, prefix, label, member, status } }: { of: ListedKey }) {
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
            <p>The key can no longer be exchanged after that. {tokensStayValid} You cannot undo this.</p>
            <Action to={pathTo(`/api-keys/${id}/revoke`)} tone="danger" of={prefix}>
              Revoke key
            </Action>
          </details>
        )}
      </td>
    </tr>
  );
}
