import { behaviourGroups } from "../../contract/behaviours.ts";
import type { AlternativeListing, BehaviourListing } from "../../control/dialects.ts";
import { type Page, type PageRequest, usePage } from "../page.ts";
import { CompanyFilter, chosenCompany, nameOf } from "../parts/companies.tsx";
import { Badge, ProvenanceMark, Section } from "../parts/elements.tsx";
import { Action } from "../parts/forms.tsx";
import { pathTo } from "../paths.ts";

/** Lists the behaviors that the specification leaves open, and selects their alternatives for one company or for all. */
export function assumptions(page: PageRequest): Page {
  const company = chosenCompany(page);
  const { behaviors } = page.services.dialect.list(page.query.company);
  const changed = behaviors.filter((each) => !each.is_default || each.provenance === "observed");
  const target = company ? nameOf(company) : "all companies";
  const body = (
    <>
      <h1>Assumptions</h1>
      <p>
        The specification leaves these behaviors open. The first alternative of each is the assumption of the
        sandbox: select another one to see how your client copes with it, or because the real service behaves
        so. A reset restores the dialect of the start.
      </p>
      <div class="row filter">
        <CompanyFilter label="Select for" button="Show" />
        {changed.length > 0 && (
          <Action to={pathTo("/assumptions/restore")} with={useOnly(page)} of={`for ${target}`}>
            {company ? "Remove the company's own" : "Restore the dialect of the start"}
          </Action>
        )}
      </div>
      {changed.length > 0 && <Group title="Changed" behaviors={changed} target={target} />}
      {behaviourGroups.map(({ title, ids }) => {
        const own = behaviors.filter((each) => ids.includes(each.id) && !changed.includes(each));
        return own.length > 0 && <Group title={title} behaviors={own} target={target} />;
      })}
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
    <Section id={title.toLowerCase().replaceAll(" ", "-")} title={title}>
      <ul class="findings">
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
    <li id={id}>
      <div class="head">
        <h3>{title}</h3>
        <code>{id}</code>
        {!is_default && <Badge tone="warn">changed</Badge>}
        <ProvenanceMark of={provenance} />
      </div>
      <p class="remark">
        Specification {source}
        {scope === "sandbox" && ". It is the same for all companies"}
      </p>
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
    <li>
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
