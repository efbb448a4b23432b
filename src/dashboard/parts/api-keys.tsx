import type { ListedKey } from "../../store/api-keys.ts";
import type { CompanyListing } from "../../store/world-listing.ts";
import { type DashboardServices, usePage, useRefusedInput } from "../page.ts";
import { pathTo } from "../paths.ts";
import { type FormAction, inputOf } from "../submit.ts";
import { nameOf } from "./companies.tsx";
import { Bar, Copyable, Secret, Section, State, Table } from "./elements.tsx";
import { Action, Choice, Field, Form } from "./forms.tsx";

/** The maximum number of keys that are listed: revoked ones stay listed. */
const keysShown = 50;

interface KeyTextProps {
  readonly of: { readonly prefix: string; readonly secret?: string | undefined };
  readonly owner: string;
}

/** The secret of a key of the fixtures, which is public; the prefix of any other key. */
export function KeyText({ of: { prefix, secret }, owner }: KeyTextProps) {
  return secret ? <Secret text={secret} label={`the API key of ${owner}`} /> : <code>{prefix}…</code>;
}

/** Creates, lists and revokes the API keys of the company (spec §2, §5). */
export function ApiKeys({ company }: { readonly company: CompanyListing }) {
  const { services, origin, liveOrigin } = usePage();
  const { members, environment } = company;
  const { per, allowed } = services.apiKeys.slots;
  const keys = services.apiKeys.list(company.id).api_keys;
  const active = keys.filter(({ status }) => status === "active");
  const revoked = keys.filter(({ status }) => status === "revoked");
  const shown = [...active, ...revoked.reverse()].slice(0, keysShown);
  const publicSecret = members.flatMap((each) => each.api_keys).find(({ secret }) => secret)?.secret;
  const isLive = environment === "live";
  const path = isLive ? "/auth/v1/token" : "/auth/v1/sandbox/token";
  const form = pathTo(`/companies/${company.id}/keys`);
  const refused = useRefusedInput(form);
  return (
    <Section id="keys" title="API keys">
      <p>
        Exchange an API key for an access token. Each {per} can have up to {allowed} active {environment} keys
        (specification §5).
      </p>
      {per === "company" ? (
        <Slots label={`Active keys of ${company.name}`} used={active.length} allowed={allowed} />
      ) : (
        members.map((member) => (
          <Slots
            label={member.name}
            used={active.filter((each) => each.member === member.slug).length}
            allowed={allowed}
            isNamed
          />
        ))
      )}
      <Form to={form} label="Create an API key">
        <Choice
          label="Person"
          name="member"
          chosen={refused.member}
          options={members.map(({ id, name, role, status }) => ({
            value: id,
            label: `${name}, ${role}${status === "active" ? "" : ` (${status})`}`,
          }))}
        />
        <Field label="Label" name="label" value={refused.label} placeholder="my laptop (optional)" />
        <button type="submit" class="primary">
          Create key
        </button>
      </Form>
      {keys.length === 0 ? (
        <p class="remark">No keys.</p>
      ) : (
        <Table
          caption="API keys"
          captionUnseen
          columns={["Key", { name: "Person", class: "wide" }, "Status", "Actions"]}
        >
          {shown.map((each) => (
            <Key of={each} />
          ))}
        </Table>
      )}
      {shown.length < keys.length && (
        <p class="remark">
          {keys.length - shown.length} more keys are not shown. GET /_sandbox/api-keys?company=
          {nameOf(company)} lists all keys.
        </p>
      )}
      <Copyable
        text={`curl -s ${(isLive ? liveOrigin : undefined) ?? origin}${path} -d '{"api_key": "${publicSecret ?? `sk_${environment}_…`}"}'`}
        label="the command"
      />
    </Section>
  );
}

interface SlotsProps {
  readonly label: string;
  readonly used: number;
  readonly allowed: number;
  /** Whether the text begins with the label. */
  readonly isNamed?: boolean;
}

function Slots({ label, used, allowed, isNamed = false }: SlotsProps) {
  return (
    <Bar label={label} used={used} of={allowed}>
      {isNamed && `${label}: `}
      {used} of {allowed} active, {Math.max(0, allowed - used)} left
    </Bar>
  );
}

function Key({ of: { id, prefix, label, member, status } }: { of: ListedKey }) {
  const secret = usePage().services.apiKeys.publicSecret(id);
  return (
    <tr>
      <th scope="row">
        <KeyText of={{ prefix, secret }} owner={member} />
        {label && <p class="remark">{label}</p>}
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

/** A note about the access tokens of a key that is revoked. */
const tokensStayValid = "Access tokens that were already issued stay valid until they expire.";

/** The actions of the forms that create and revoke API keys. */
export function keyActions({ companies, apiKeys }: DashboardServices): Record<string, FormAction> {
  return {
    "/companies/:id/keys": ({ member, label }, param) => {
      const { environment, id: company } = companies.show(param("id"));
      const { prefix, secret } = apiKeys.create(inputOf({ member, company, environment, label }));
      return { text: "The API key is created.", secrets: [{ label: label ?? `${prefix}…`, secret }] };
    },
    "/api-keys/:id/revoke": (_, param) => {
      const { prefix } = apiKeys.revoke(param("id"));
      const effect = `API key ${prefix}… is revoked and no longer counts towards the limit of active keys.`;
      return { text: `${effect} ${tokensStayValid}` };
    },
  };
}
