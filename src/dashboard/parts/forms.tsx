import type { Child } from "hono/jsx";
import { usePage } from "../page.ts";
import type { Fields, Flash } from "../submit.ts";
import { Copyable } from "./elements.tsx";

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
  /** Default: the name. Needed if several forms of a page have a field of this name. */
  readonly id?: string;
  /** Suggested values while typing. */
  readonly suggestions?: readonly Option[];
}

/** A text field with its label. */
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

interface SearchFieldProps {
  /** Selects the element whose items (class `item`) are searched. */
  readonly of: string;
  readonly placeholder: string;
}

/** A field that hides the items that do not contain every typed word. The script shows it. */
export function SearchField({ of, placeholder }: SearchFieldProps) {
  return (
    <div class="field" data-search={of} hidden>
      <label for="search">Search</label>
      <input id="search" type="search" placeholder={placeholder} data-key="/" />
      <small role="status" />
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

/** A select field with its label. */
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

/** Options whose labels are their values. */
export function plainOptions(values: readonly string[]): Option[] {
  return values.map((value) => ({ value, label: value }));
}

interface FormProps {
  readonly to: string;
  /** Hidden fields. */
  readonly with?: Fields;
  readonly label?: string;
  readonly class?: string;
  readonly children?: Child;
}

/** A form that changes something, returns to its page, and shows errors there. */
export function Form({ children, ...form }: FormProps) {
  const { flash } = usePage();
  const refused = flash?.refused;
  return (
    <PostForm {...form}>
      <input type="hidden" name="show_message" value="inline" />
      {flash && refused?.showsMessage && refused.form === form.to && <Notice flash={flash} />}
      {children}
    </PostForm>
  );
}

interface ActionProps extends Omit<FormProps, "label" | "class"> {
  /** Completes the button's text for screen readers. */
  readonly of?: string;
  readonly tone?: "danger" | "primary";
}

/** A form that is only a button. */
export function Action({ of, tone, children, ...form }: ActionProps) {
  return (
    <PostForm {...form} class="action">
      <button type="submit" class={tone ?? ""}>
        {children}
        {of && <span class="unseen"> {of}</span>}
      </button>
    </PostForm>
  );
}

function PostForm({ to, with: hidden = {}, label, class: kind = "row", children }: FormProps) {
  return (
    <form method="post" action={to} {...(label && { "aria-label": label })} class={kind}>
      <input type="hidden" name="back" value={usePage().path} />
      {Object.entries(hidden).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {children}
    </form>
  );
}

/** The result of a form. It takes the focus, so that screen readers read it aloud. */
export function Notice({ flash: { kind, text, secrets } }: { flash: Flash }) {
  return (
    <section class={`notice ${kind}`} id="notice" tabindex={-1} autofocus aria-label="Result">
      <p>
        <strong>{kind === "done" ? "Done." : "Error:"}</strong> {text}
      </p>
      {secrets && secrets.length > 0 && (
        <>
          {secrets.map(({ label, secret }) => (
            <div class="secret">
              <p>{label}</p>
              <Copyable text={secret} label={`the secret of ${label}`} />
            </div>
          ))}
          <p>
            {secrets.length === 1
              ? "Copy the API key now: it is shown only once."
              : "Copy the API keys now: they are shown only once."}
          </p>
        </>
      )}
    </section>
  );
}
