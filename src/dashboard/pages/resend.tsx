import { ControlError } from "../../control/errors.ts";
import { requireRequest } from "../../control/requests.ts";
import type { JournalEntry } from "../../journal/journal-entry.ts";
import { type DashboardServices, type Page, type PageRequest, usePage, useRefusedInput } from "../page.ts";
import { hasMaskedKey, hasMaskedPin, headersToSend, isExchange } from "../parts/copy-as.tsx";
import { Head } from "../parts/elements.tsx";
import { Choice, Field, Form, plainOptions } from "../parts/forms.tsx";
import { pathTo } from "../paths.ts";
import { methods, patienceMs, recordedFields } from "../resend.ts";

/** The most API keys to choose from. */
const mostKeys = 20;

/** The fields for the masked secrets in the body of a recorded request. */
function Secrets({ entry }: { entry: JournalEntry }) {
  const { services } = usePage();
  const body = entry.request.body ?? "";
  const isKnown = entry.caller && services.apiKeys.publicSecret(entry.caller.api_key_id) !== undefined;
  return (
    <>
      {hasMaskedPin(body) && (
        <Field
          label="PIN"
          name="pin"
          placeholder="4821"
          hint="The recorded PIN is masked."
          numeric
          required
          short
        />
      )}
      {isExchange(entry) && hasMaskedKey(body) && !isKnown && (
        <Field label="API key" name="api_key" hint="The recorded API key is masked." required />
      )}
    </>
  );
}

/** The forms that send a recorded request again: at once, or edited. */
export function ReplayForm({ entry }: { entry: JournalEntry }) {
  const page = pathTo(`/requests/${entry.id}`);
  return (
    <Form to={`${page}/replay`} label="Replay" class="row compact">
      <Secrets entry={entry} />
      <button type="submit" data-key="r">
        Replay
      </button>
      <a class="button" href={`${page}/edit`}>
        Edit and resend
      </a>
    </Form>
  );
}

/**
 * A form with a recorded request, which sends it again.
 * @throws ControlError 404 if the journal does not have the request
 */
export function edit({ services }: PageRequest, id: string): Page {
  const entry = requireRequest(services.requests, id);
  const body = (
    <>
      <Head
        title="Edit and resend"
        trail={[`Request ${id}: ${entry.method} ${entry.path}`, pathTo(`/requests/${id}`)]}
      />
      <p class="remark">
        The request is sent to the service in this sandbox, with the header Sandbox-Test: negative, so
        findings ignore it. A request that has no response after {patienceMs / 1000} seconds is given up.
      </p>
      <EditForm entry={entry} />
    </>
  );
  return { title: `Edit and resend request ${id}`, body };
}

function EditForm({ entry }: { entry: JournalEntry }) {
  const { services } = usePage();
  const to = pathTo(`/requests/${entry.id}/edit`);
  const refused = useRefusedInput(to);
  const fields = Object.keys(refused).length > 0 ? refused : recordedFields(entry);
  const recordedKey = headersToSend(entry)["idempotency-key"];
  const keyOptions = [
    ...(recordedKey === undefined ? [] : [{ value: "same", label: `Same key (${recordedKey})` }]),
    { value: "new", label: "New key" },
    { value: "none", label: "No key" },
    { value: "other", label: "Another key" },
  ];
  const scenarios = [
    ...new Set([...services.scenarios.all().map(({ name }) => name), fields.scenario ?? ""]),
  ];
  return (
    <Form to={to} label="Edit and resend" class="resend">
      <div class="row">
        <Choice label="Method" name="method" chosen={fields.method} options={plainOptions(methods)} />
        <Field label="Path with query" name="target" value={fields.target} required />
      </div>
      <div class="row">
        <Choice
          label="Caller"
          name="caller"
          chosen={fields.caller}
          options={callerOptions(services, entry)}
        />
        <Choice label="Idempotency-Key" name="key" chosen={fields.key} options={keyOptions} />
        <Field label="Another key" name="other_key" value={fields.other_key} />
        <Choice
          label="Scenario"
          name="scenario"
          chosen={fields.scenario ?? ""}
          options={[{ value: "", label: "No scenario" }, ...plainOptions(scenarios.filter(Boolean))]}
        />
      </div>
      <TextArea label="Other headers, one in a line" name="headers" value={fields.headers} rows={4} />
      <TextArea label="Body" name="body" value={indented(fields.body)} rows={16} />
      <div class="row">
        <Secrets entry={entry} />
        <button type="submit" class="primary">
          Send
        </button>
      </div>
    </Form>
  );
}

/** The caller of the request, other keys of its company, and requests without a valid token. */
function callerOptions({ apiKeys }: DashboardServices, { caller }: JournalEntry) {
  const others = [
    { value: "none", label: "No token" },
    { value: "invalid", label: "Invalid token" },
  ];
  if (!caller) return others;
  const same = { value: caller.api_key_id, label: `${caller.member} (${caller.api_key}…), new token` };
  let keys: ReturnType<typeof apiKeys.list>["api_keys"] = [];
  try {
    keys = apiKeys.list(caller.company_id).api_keys;
  } catch (error) {
    // The company was deleted.
    if (!(error instanceof ControlError)) throw error;
  }
  const colleagues = keys
    .filter(({ id, status }) => id !== caller.api_key_id && status === "active")
    .slice(0, mostKeys)
    .map(({ id, member, prefix }) => ({ value: id, label: `${member} (${prefix}…), new token` }));
  return [same, ...colleagues, ...others];
}

interface TextAreaProps {
  readonly label: string;
  readonly name: string;
  readonly value: string | undefined;
  readonly rows: number;
}

function TextArea({ label, name, value = "", rows }: TextAreaProps) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <textarea id={name} name={name} rows={rows} spellcheck={false} autocomplete="off">
        {`\n${value}`}
      </textarea>
    </div>
  );
}

/** JSON with indentation, if that changes only the spaces; other text unchanged. */
function indented(body = ""): string {
  try {
    const value: unknown = JSON.parse(body);
    return JSON.stringify(value) === body ? JSON.stringify(value, null, 2) : body;
  } catch {
    return body;
  }
}
