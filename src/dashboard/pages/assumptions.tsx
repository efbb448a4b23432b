import { behaviourGroups } from "../../contract/behaviours.ts";
import type { AlternativeListing, BehaviourListing } from "../../control/dialects.ts";
import { type Page, type PageRequest, usePage } from "../page.ts";
import { CompanyFilter, chosenCompany, nameOf } from "../parts/companies.tsx";
import { Badge, Head, ProvenanceMark, Section } from "../parts/elements.tsx";
import { Action, SearchField } from "../parts/forms.tsx";
import { pathTo } from "../paths.ts";

/** Lists the behaviors that the specification leaves open, and selects their alternatives for one company or for all. */
export function assumptions(page: PageRequest): Page {
  const company = chosenCompany(page);
  const { behaviors } = page.services.dialect.list(page.query.company);
  const changed = behaviors.filter((each) => !each.is_default || each.provenance === "observed");
  const target = company ? nameOf(company) : "all companies";
  const body = (
    <>
      <Head title="Assumptions">
        {changed.length > 0 && (
          <Action to={pathTo("/assumptions/restore")} with={useOnly(page)} of={`for ${target}`}>
            {company ? "Remove the company's own" : "Restore the dialect of the start"}
          </Action>
        )}
      </Head>
      <p>
        The specification leaves these behaviors open. Select another alternative to see how your client copes
        with it. A reset restores the dialect of the start.
      </p>
      <div class="row filter">
        <CompanyFilter label="Select for" button="Show" />
        <SearchField of="#behaviors" placeholder="replay, webhook, order of lists" />
      </div>
      <div class="groups" id="behaviors">
        {changed.length > 0 && <Group title="Changed" behaviors={changed} target={target} />}
        {behaviourGroups.map(({ title, ids }) => {
          const own = behaviors.filter((each) => ids.includes(each.id) && !changed.includes(each));
          return own.length > 0 && <Group title={title} behaviors={own} target={target} />;
        })}
      </div>
    </>
  );
  return { title: "Assumptions", body };
}

interface GroupProps {
  readonly title: string;
  readonly behaviors: readonly BehaviourListing[];
  /** The company for which an alternative would be selected, or all. */
  readonly target: string;
}

function Group({ title, behaviors, target }: GroupProps) {
  return (
    <Section id={title.toLowerCase().replaceAll(" ", "-")} title={title} aside={String(behaviors.length)}>
      <ul class="items">
        {behaviors.map((behavior) => (
          <Behavior behavior={behavior} target={target} />
        ))}
      </ul>
    </Section>
  );
}

function Behavior({ behavior, target }: { behavior: BehaviourListing; target: string }) {
  const { id, title, spec, scope, use, is_default, provenance, date, note, alternatives } = behavior;
  const isFixed = scope === "sandbox" && usePage().query.company !== undefined;
  const source = [spec, date, note].filter((text) => text !== null).join("; ");
  return (
    <li id={id} class="item behavior">
      <div>
        <div class="head">
          <h3>{title}</h3>
          {!is_default && <Badge tone="warn">changed</Badge>}
        </div>
        <p class="head remark">
          <code>{id}</code>
          <ProvenanceMark of={provenance} />
          <span>{source}</span>
          {scope === "sandbox" && <span>same for all companies</span>}
        </p>
      </div>
      <ul class="alternatives">
        {alternatives.map((alternative) => (
          <Alternative
            of={alternative}
            behavior={id}
            isUsed={alternative.id === use}
            {...{ isFixed, target }}
          />
        ))}
      </ul>
    </li>
  );
}

interface AlternativeProps {
  readonly of: AlternativeListing;
  readonly behavior: string;
  readonly isUsed: boolean;
  /** Whether it cannot be selected here. */
  readonly isFixed: boolean;
  readonly target: string;
}

function Alternative({ of: { id, title, reason }, behavior, isUsed, isFixed, target }: AlternativeProps) {
  const only = useOnly(usePage());
  return (
    <li {...(isUsed && { class: "used" })}>
      <div>
        <strong>{title}</strong> <span class="remark">{reason}</span>
      </div>
      {isUsed && <Badge tone="good">in effect</Badge>}
      {!isUsed && !isFixed && (
        <Action
          to={pathTo(`/assumptions/${behavior}`)}
          with={{ ...only, use: id }}
          of={`${id} of ${behavior} for ${target}`}
        >
          Select
        </Action>
      )}
    </li>
  );
}

/** The company that the page's URL names, as a hidden field. */
function useOnly({ query: { company } }: PageRequest): Readonly<Record<string, string>> {
  return company ? { company } : {};
}
