import { companyStatus } from "../../rules/company.ts";
import type { CompanyListing } from "../../store/world-listing.ts";
import { Badge, State } from "../parts/badges.tsx";
import { nameOf } from "../parts/companies.tsx";
import { Action, Choice, Field, Form, plainOptions } from "../parts/fields.tsx";
import { Accounts, completeness, Members } from "../parts/possessions.tsx";
import { Bar, Facts, Time } from "../parts/shown.tsx";
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
  const found = visit.services.companies.show(id);
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
