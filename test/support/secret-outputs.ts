import { type Leak, type Secret, SecretFinder } from "./secret-finder.ts";
import type { Fetch, Traffic } from "./secret-traffic.ts";

/** Long enough to be recognised as a secret everywhere, like the one in the README. */
export const adminToken = "9d0c5b7e1f2a4c6b8e0d9f7a5c3b1e2d4f6a8c0b9e7d5f31";

/** Outputs that may hold secrets of a kind. */
const allowed: readonly { output: RegExp; kind: Secret["kind"]; label?: string; because: string }[] = [
  {
    output: /^(start-up lines|the world|page |database)/,
    kind: "fixture key",
    because: "the keys of the default world are public, and testers look them up there",
  },
  {
    output: /^(response to .* of a list|database|page \/cards|deliveries)/,
    kind: "API key",
    label: "in a card's name",
    because: "the client chooses the name of a card, which is shown with the card",
  },
  {
    output: /^response to a PIN (as (Sandbox-Scenario|Prefer)|in \/developer\/)/,
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

/** Outputs of a sandbox by name. */
export type Outputs = Record<string, string | Buffer>;

/** The secrets in outputs and responses that may not hold them. */
export function leaks(outputs: Outputs, { secrets, responses }: Traffic): string[] {
  const finder = new SecretFinder(secrets);
  const all: [string, string | Buffer][] = [
    ...Object.entries(outputs),
    ...responses
      .filter(({ handsOut }) => !handsOut)
      .map(({ request, text }): [string, string] => [`response to ${request}`, text]),
  ];
  // Most texts hold no secret: searching them together is faster.
  const texts = all.filter(([, output]) => typeof output === "string");
  const isClean = finder.leaksIn(texts.map(([, text]) => text).join("\n\0\n")).length === 0;
  return all.flatMap(([name, output]) => {
    if (isClean && typeof output === "string") return [];
    const found = finder.leaksIn(output).filter((leak) => !isAllowed(name, leak));
    return found.map(
      ({ secret: { kind, label }, form, excerpt }) =>
        `${name}: ${kind} ${label}, ${form}: ${JSON.stringify(excerpt)}`,
    );
  });
}

const pages = ["", "/requests", "/scenarios", "/world", "/cards", "/report"];
const formats = ["json", "markdown", "junit", "html"];

/** Everything that the control API and the dashboard show. */
export async function readOutputs(fetch: Fetch): Promise<Outputs> {
  const headers = { Authorization: `Bearer ${adminToken}` };
  const read = async (path: string) => (await fetch(path, { headers })).text();
  const outputs: Outputs = {};
  const requests = await readJournal(read);
  outputs.journal = JSON.stringify(requests);
  const { companies } = JSON.parse(await read("/_sandbox/world"));
  outputs["one request"] = await read(`/_sandbox/requests/${requests[3]?.id}`);
  outputs["the stream of requests"] = await readStream(fetch, "1", requests.length - 1);
  for (const format of formats) {
    outputs[`coverage as ${format}`] = await read(`/_sandbox/coverage?format=${format}`);
    outputs[`findings as ${format}`] = await read(`/_sandbox/findings?final=true&format=${format}`);
  }
  outputs.report = await read("/_sandbox/report?final=true");
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

/** Every recorded request, the newest first. */
async function readJournal(read: (path: string) => Promise<string>): Promise<{ id: string }[]> {
  const requests = [];
  for (let after = ""; ; after = `&after=${requests.at(-1).id}`) {
    const page = JSON.parse(await read(`/_sandbox/requests?limit=1000${after}`));
    requests.push(...page.requests);
    if (!page.has_more) break;
  }
  if (requests.at(-1).id !== "1") throw new Error("the journal has dropped the first requests");
  return requests;
}

/** A number of events from the stream of requests, after the one with an id. */
async function readStream(fetch: Fetch, id: string, events: number): Promise<string> {
  const abort = new AbortController();
  const headers = { Authorization: `Bearer ${adminToken}`, "Last-Event-ID": id };
  const { body } = await fetch("/_sandbox/requests/stream", { headers, signal: abort.signal });
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
