import { type Leak, type Secret, SecretFinder } from "./secret-forms.ts";
import type { Ask, Traffic } from "./secret-traffic.ts";

/** As the README has one made: long enough to be known for a secret wherever it stands. */
export const adminToken = "9d0c5b7e1f2a4c6b8e0d9f7a5c3b1e2d4f6a8c0b9e7d5f31";

/** Where a secret may stand, and why. */
const allowed: readonly { output: RegExp; kind: Secret["kind"]; label?: string; because: string }[] = [
  {
    output: /^(start-up lines|the world|page |database)/,
    kind: "seed world's key",
    because:
      "the seed world's keys are public: they open nothing but a sandbox, and a tester has to learn them",
  },
  {
    output: /^(answer to .* of a list|database|page \/cards|deliveries)/,
    kind: "API key",
    label: "in a card's name",
    because: "a card's name is the client's to choose, and is shown wherever the card is",
  },
  {
    output: /^answer to a PIN (as (Sandbox-Scenario|Prefer)|in \/developer\/)/,
    kind: "PIN",
    because: "an error shows the wrong value only to the client that sent it",
  },
];

const isAllowed = (output: string, { secret }: Leak) =>
  allowed.some(
    (each) =>
      each.output.test(output) &&
      each.kind === secret.kind &&
      (each.label === undefined || each.label === secret.label),
  );

/** What came out of a sandbox, by what it is. */
export type Outputs = Record<string, string | Buffer>;

/** Those secrets that stand where no row allows it. */
export function leaks(outputs: Outputs, { secrets, answers }: Traffic): string[] {
  const finder = new SecretFinder(secrets);
  const all: [string, string | Buffer][] = [
    ...Object.entries(outputs),
    ...answers
      .filter(({ handsOut }) => !handsOut)
      .map(({ what, text }): [string, string] => [`answer to ${what}`, text]),
  ];
  // Most have none, which one look at them together tells.
  const texts = all.filter(([, output]) => typeof output === "string");
  const clean = finder.leaksIn(texts.map(([, text]) => text).join("\n\0\n")).length === 0;
  return all.flatMap(([name, output]) =>
    clean && typeof output === "string"
      ? []
      : finder
          .leaksIn(output)
          .filter((leak) => !isAllowed(name, leak))
          .map(
            ({ secret, form, excerpt }) =>
              `${name}: ${secret.kind} ${secret.label}, ${form}: ${JSON.stringify(excerpt)}`,
          ),
  );
}

const pages = ["", "/requests", "/scenarios", "/companies", "/api-keys", "/cards", "/report"];
const formats = ["json", "markdown", "junit", "html"];

/** All that the sandbox's own API and its pages tell. */
export async function told(ask: Ask): Promise<Outputs> {
  const headers = { Authorization: `Bearer ${adminToken}` };
  const read = async (path: string) => (await ask(path, { headers })).text();
  const outputs: Outputs = {};
  const requests = await journalOf(read);
  outputs.journal = JSON.stringify(requests);
  const { companies } = JSON.parse(await read("/_sandbox/world"));
  outputs["one request"] = await read(`/_sandbox/requests/${requests[3]?.id}`);
  outputs["the stream of requests"] = await streamed(ask, "1", requests.length - 1);
  for (const format of formats) {
    outputs[`coverage as ${format}`] = await read(`/_sandbox/coverage?format=${format}`);
    outputs[`findings as ${format}`] = await read(`/_sandbox/findings?final=true&format=${format}`);
  }
  for (const page of [...pages, `/companies/${companies[0].id}`]) {
    outputs[`page ${page}`] = await read(`/_sandbox/ui${page}`);
  }
  for (const { id } of requests.filter((_, n) => n % 25 === 0)) {
    outputs[`page /requests/${id}`] = await read(`/_sandbox/ui/requests/${id}`);
  }
  outputs["the world"] = await read("/_sandbox/world");
  outputs.keys = await read("/_sandbox/api-keys");
  outputs.deliveries = await read("/_sandbox/webhooks/deliveries");
  outputs.snapshots = await read("/_sandbox/snapshots");
  outputs.armed = await read("/_sandbox/armed");
  return outputs;
}

/** Every request, the newest first. */
async function journalOf(read: (path: string) => Promise<string>): Promise<{ id: string }[]> {
  const requests = [];
  for (let after = ""; ; after = `&after=${requests.at(-1).id}`) {
    const page = JSON.parse(await read(`/_sandbox/requests?limit=1000${after}`));
    requests.push(...page.requests);
    if (!page.has_more) break;
  }
  if (requests.at(-1).id !== "1") throw new Error("the journal has lost the first requests");
  return requests;
}

/** The events of so many requests behind one. */
async function streamed(ask: Ask, after: string, events: number): Promise<string> {
  const abort = new AbortController();
  const headers = { Authorization: `Bearer ${adminToken}`, "Last-Event-ID": after };
  const { body } = await ask("/_sandbox/requests/stream", { headers, signal: abort.signal });
  let text = "";
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  while (text.split("\nevent: request").length - 1 < events) {
    const read = await reader?.read();
    if (!read || read.done) throw new Error(`the stream ended early:\n${text.slice(-200)}`);
    text += read.value;
  }
  abort.abort();
  return text;
}
