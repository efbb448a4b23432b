import type { Child } from "hono/jsx";
import type { Visit } from "../visit.ts";
import { Notice } from "./notice.tsx";

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly value?: string | undefined;
  readonly hint?: Child;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly numeric?: boolean;
  readonly type?: "text" | "password" | "search";
  readonly short?: boolean;
  /** Where the same name stands in several forms of a page. */
  readonly id?: string;
  /** Suggested values while typing. */
  readonly suggestions?: readonly Option[];
}

/** A line to type into, with its label. */
export function Field({
  label,
  name,
  value,
  hint,
  numeric,
  short,
  id = name,
  suggestions,
  ...rest
}: FieldProps) {
  const input = { type: "text" as const, ...rest };
  return (
    <div class={short ? "field short" : "field"}>
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        value={value ?? ""}
        autocomplete="off"
        spellcheck={false}
        {...(numeric && { inputmode: "decimal" })}
        {...(hint !== undefined && { "aria-describedby": `${id}-hint` })}
        {...(suggestions && { list: `${id}-suggestions` })}
        {...input}
      />
      {suggestions && (
        <datalist id={`${id}-suggestions`}>
          {suggestions.map((each) => (
            <option value={each.value} label={each.label} />
          ))}
        </datalist>
      )}
      {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}

export interface Option {
  readonly value: string;
  readonly label: string;
}

interface ChoiceProps {
  readonly label: string;
  readonly name: string;
  readonly chosen?: string | undefined;
  readonly options: readonly (Option | { readonly group: string; readonly options: readonly Option[] })[];
  readonly hint?: Child;
  readonly id?: string;
}

/** One of several, with its label. */
export function Choice({ label, name, chosen, options, hint, id = name }: ChoiceProps) {
  const option = ({ value, label }: Option) => (
    <option value={value} selected={value === chosen}>
      {label}
    </option>
  );
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name} {...(hint !== undefined && { "aria-describedby": `${id}-hint` })}>
        {options.map((each) =>
          "group" in each ? <optgroup label={each.group}>{each.options.map(option)}</optgroup> : option(each),
        )}
      </select>
      {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}

/** Options that are called by their values. */
export function plainOptions(values: readonly string[]): Option[] {
  return values.map((value) => ({ value, label: value }));
}

interface FormProps {
  readonly to: string;
  readonly visit: Visit;
  readonly with?: Readonly<Record<string, string>>;
  readonly label?: string;
  readonly class?: string;
  readonly children?: Child;
}

/** A form that changes something, leads back to the page that it stands on, and tells there what is wrong. */
export function Form({ children, visit, ...form }: FormProps) {
  const refused = visit.flash?.refused;
  return (
    <Posted visit={visit} {...form}>
      <input type="hidden" name="tells" value="itself" />
      {visit.flash && refused?.tellsItself && refused.form === form.to && <Notice flash={visit.flash} />}
      {children}
    </Posted>
  );
}

interface ActionProps extends Omit<FormProps, "label" | "class"> {
  /** What the button says to those who do not see what it stands beside. */
  readonly of?: string;
  readonly tone?: "danger" | "primary";
}

/** A button that does something at once. */
export function Action({ of, tone, children, ...form }: ActionProps) {
  return (
    <Posted {...form} class="action">
      <button type="submit" class={tone ?? ""}>
        {children}
        {of && <span class="unseen"> {of}</span>}
      </button>
    </Posted>
  );
}

function Posted({ to, visit, with: also = {}, label, class: kind = "row", children }: FormProps) {
  return (
    <form method="post" action={to} {...(label && { "aria-label": label })} class={kind}>
      <input type="hidden" name="back" value={visit.here} />
      {Object.entries(also).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {children}
    </form>
  );
}
