import { physicalOrder } from "./physical-order.ts";
import type { Secret } from "./secret-finder.ts";

/** Like `fetch`, for a path of the sandbox. */
export type Fetch = (path: string, init?: RequestInit) => Promise<Response>;

/** A response of the sandbox. */
export interface Received {
  /** Describes the request. */
  readonly request: string;
  /** Headers and body. */
  readonly text: string;
  /** Whether the response may hold a secret: it hands one out, or shows the card whose name holds one. */
  readonly handsOut: boolean;
}

export interface Traffic {
  readonly secrets: readonly Secret[];
  readonly responses: readonly Received[];
}

type Headers = Record<string, string>;

const physical = "/developer/cards/physical";

/**
 * Sends every kind of secret to places where it belongs and where it does not, and collects the responses.
 * @param adminToken - of the control API
 */
export async function sendSecrets(fetch: Fetch, adminToken: string): Promise<Traffic> {
  const sender = await Sender.open(fetch, adminToken);
  await sendOrders(sender);
  await sendPins(sender);
  const others = [
    ["key", sender.apiKey],
    ["token", sender.token],
    ["webhook secret", sender.webhookSecret],
    ["admin token", adminToken],
  ] as const;
  for (const [kind, text] of others) {
    await sendToService(sender, `the ${kind}`, formsOf(text));
    await sendToSandbox(sender, `the ${kind}`, formsOf(text));
  }
  return sender;
}

/** Sends requests, and keeps the responses and the secrets. */
class Sender implements Traffic {
  readonly secrets: Secret[] = [];
  readonly responses: Received[] = [];
  readonly #fetch: Fetch;
  #accountId = "";
  #orders = 0;
  // From here on, no PIN happens to equal the last four digits of a card: cards are the same in each run.
  #pins = 8000;
  apiKey = "";
  token = "";
  webhookSecret = "";

  private constructor(fetch: Fetch, adminToken: string) {
    this.#fetch = fetch;
    this.admin = { Authorization: `Bearer ${adminToken}` };
  }

  /** The headers of requests to the control API. */
  readonly admin: Headers;

  /** The headers of requests to the service. */
  get bearer(): Headers {
    return { Authorization: `Bearer ${this.token}`, "Content-Type": "application/json" };
  }

  /** The headers of an order whose body is sent as it is. */
  get keyed(): Headers {
    return { ...this.bearer, "Idempotency-Key": "7f9c24e8-3b12-4c6e-9d7a-aaaaaaaaaaaa" };
  }

  /** Makes a key, a token and a webhook, and keeps every secret that the sandbox hands out. */
  static async open(fetch: Fetch, adminToken: string): Promise<Sender> {
    const sender = new Sender(fetch, adminToken);
    const json = { ...sender.admin, "Content-Type": "application/json" };
    const make = async (request: string, path: string, body: unknown, headers: Headers = json) =>
      JSON.parse(await sender.post(request, path, body, headers, true));
    const world = await sender.send("the world", "/_sandbox/world", { headers: sender.admin }, true);
    sender.#accountId = JSON.parse(world).companies[0].accounts[0].id;

    const key = { member: "northwind-owner", environment: "sandbox" };
    sender.apiKey = (await make("a new key", "/_sandbox/api-keys", key)).secret;
    sender.keep("API key", "made by the control API", sender.apiKey);
    for (const { role, api_keys } of (await make("a new company", "/_sandbox/companies", {})).members) {
      for (const { secret } of api_keys) sender.keep("API key", `of the new company's ${role}`, secret);
    }
    const seedKey = sender.keep("fixture key", "northwind's owner", "sk_sandbox_northwind_owner");
    for (const api_key of [seedKey, sender.apiKey]) {
      sender.token = (await make("an exchange", "/auth/v1/sandbox/token", { api_key }, {})).access_token;
      sender.keep("access token", "of an exchange", sender.token);
    }
    const webhook = { url: "http://127.0.0.1:9/hooks", events: ["card.created"] };
    const { id, secret } = await make("a new webhook", "/developer/webhooks", webhook, sender.bearer);
    sender.keep("webhook secret", "of a webhook", secret);
    const path = `/developer/webhooks/${id}/rotate-secret`;
    sender.webhookSecret = (await make("a rotation", path, undefined, sender.bearer)).secret;
    sender.keep("webhook secret", "of a rotation", sender.webhookSecret);
    sender.keep("admin token", "of the control API", adminToken);
    return sender;
  }

  /** Adds a secret, and returns it. */
  keep(kind: Secret["kind"], label: string, text: string): string {
    this.secrets.push({ kind, label, text });
    return text;
  }

  /** A new PIN. */
  pin(label: string): string {
    return this.keep("PIN", label, String(++this.#pins));
  }

  /** @returns the body; "" if a scenario loses the connection */
  async send(request: string, path: string, init: RequestInit = {}, handsOut = false): Promise<string> {
    try {
      const response = await this.#fetch(path, init);
      const text = await response.text();
      const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
      this.responses.push({ request, text: `${headers}\n\n${text}`, handsOut });
      return text;
    } catch {
      return "";
    }
  }

  get(request: string, path: string, headers: Headers = this.bearer): Promise<string> {
    return this.send(request, path, { headers });
  }

  /** Sends a body, as JSON unless it is a string. */
  post(request: string, path: string, body: unknown, headers: Headers = {}, handsOut = false) {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return this.send(request, path, { method: "POST", headers, body: text }, handsOut);
  }

  /** Orders a card. */
  order(request: string, fields: object, headers: Headers = {}, handsOut = false): Promise<string> {
    const key = `7f9c24e8-3b12-4c6e-9d7a-${String(++this.#orders).padStart(12, "0")}`;
    const body = { ...physicalOrder(this.#accountId), pin: "7301", ...fields };
    return this.post(
      request,
      physical,
      body,
      { ...this.bearer, "Idempotency-Key": key, ...headers },
      handsOut,
    );
  }
}

/** Secrets where they belong, under scenarios too, and one that a client puts into a card's name. */
async function sendOrders(sender: Sender): Promise<void> {
  sender.keep("PIN", "of an order", "7301");
  const key = { "Idempotency-Key": "7f9c24e8-3b12-4c6e-9d7a-bbbbbbbbbbbb" };
  await sender.order("an order", {}, key);
  await sender.order("its replay", {}, key);
  const name = sender.keep(
    "API key",
    "in a card's name",
    "sk_sandbox_NAMED0name1name2name3name4name5na123456",
  );
  await sender.order("an order with a key in its name", { name }, {}, true);
  for (const scenario of [
    "issuer-unavailable",
    "issuer-rejected",
    "created-but-502",
    "lost-response",
    "truncated-response",
    "dropped-request",
    "token-expired",
    "rate-limited",
    "invalid-request",
    "quota-reached",
  ]) {
    await sender.order(`an order under ${scenario}`, {}, { "Sandbox-Scenario": scenario });
  }
}

/** Names of fields and parameters that a client may have meant for a PIN. */
const pinNames = ["pin_code", "newPin", "PIN", "card_pin", "pinn", "pni", "Pin Code", "passcode", "pincode"];

/** Orders with a PIN in the wrong place. */
const ordersWithPin: Readonly<Record<string, (pin: string) => object>> = {
  "that is a number": (pin) => ({ pin: Number(pin) }),
  "within an object": (pin) => ({ card: { pin } }),
  "within an address": (pin) => ({ delivery_address: { pin_code: pin } }),
  "within an object named pin": (pin) => ({ pin: { value: pin } }),
  "in a list": (pin) => ({ pins: [pin] }),
  "later in a list": (pin) => ({ codes: ["a", pin] }),
  "that is a number later in a list": (pin) => ({ codes: [1, Number(pin)] }),
  "within a note": (pin) => ({ note: `my code is ${pin}, keep it` }),
  "in a URL's path": (pin) => ({ callback: `http://localhost:8080/${pin}` }),
  "in a URL's query": (pin) => ({ url: `http://localhost/hook?pin=${pin}` }),
  "as the account": (pin) => ({ account_id: pin }),
  "as the country": (pin) => ({ delivery_address: { line1: "1", country_code: pin } }),
  "as the delivery method": (pin) => ({ delivery_method: pin }),
};

/** Bodies with a PIN, most of which are no order. */
const bodiesWithPin: readonly [string, string, (pin: string) => string][] = [
  ["a body that breaks off", "application/json", (pin) => `{"pin_code": "${pin}"`],
  ["a name sent twice", "application/json", (pin) => `{"codes":["a","${pin}"],"codes":[]}`],
  ["a form", "application/x-www-form-urlencoded", (pin) => `a=1&newPin=${pin}&b=2`],
  ["an array", "application/json", (pin) => `[{"a":"${pin}"},"${pin}",${pin}]`],
  ["a JSON string", "application/json", (pin) => `"${pin}"`],
  ["a JSON number", "application/json", (pin) => pin],
  ["XML", "application/xml", (pin) => `<order><code>${pin}</code></order>`],
  ["CSV", "text/csv", (pin) => `account,code\n1,${pin}\n`],
  ["a text", "text/plain", (pin) => `my code is ${pin}`],
  ["base64", "text/plain", (pin) => btoa(pin)],
  ["parts", "multipart/form-data; boundary=x", (pin) => `--x\r\n\r\n${pin}\r\n--x--`],
  ["two objects", "application/json", (pin) => `{"a":1}{"b":"${pin}"}`],
  ["JSON with a comma too many", "application/json", (pin) => `{"list":["a","${pin}",]}`],
];

const pathsWithPin: readonly ((pin: string) => string)[] = [
  (pin) => `/cards/${pin}`,
  (pin) => `/developer/cards/${pin}`,
  (pin) => `/developer/cards/${pin}/freeze`,
  (pin) => `/developer/cards/a,${pin};b`,
  (pin) => `/developer/webhooks/${pin}`,
  (pin) => `/developer/accounts/${pin}`,
  (pin) => `/developer/cards?${pin}`,
  (pin) => `/developer/cards?codes=a,${pin}`,
  (pin) => `/developer/transactions?from=${pin}`,
  (pin) => `/developer/transactions?account_id=${pin}`,
  (pin) => `/developer/cards?cursor=${pin}`,
];

/** PINs where they do not belong. */
async function sendPins(sender: Sender): Promise<void> {
  for (const name of pinNames) {
    await sender.order(`a PIN as ${name}`, { pin: undefined, [name]: sender.pin(`as ${name}`) });
    await sender.order(`a number as ${name}`, { [name]: Number(sender.pin(`a number as ${name}`)) });
    const pin = sender.pin(`as ${name} in a query`);
    await sender.get(`a query's ${name}`, `/developer/cards?${encodeURIComponent(name)}=${pin}`);
  }
  for (const [where, fieldsWith] of Object.entries(ordersWithPin)) {
    await sender.order(`a PIN ${where}`, fieldsWith(sender.pin(where)));
  }
  for (const [where, type, bodyWith] of bodiesWithPin) {
    for (const path of [physical, "/developer/webhooks", "/auth/v1/sandbox/token", "/nothing"]) {
      const body = bodyWith(sender.pin(`in ${where}`));
      await sender.post(`${where} with a PIN`, path, body, { ...sender.keyed, "Content-Type": type });
    }
  }
  await sender.get("a PIN in the path", `/developer/cards/1/pin/${sender.pin("in the path")}`);
  await sender.get("a PIN behind pin_code", `/developer/cards/1/pin_code/${sender.pin("behind pin_code")}`);
  const encoded = sender.pin("encoded in the path").replace(/./g, "%3$&");
  await sender.get("an encoded PIN", `/developer/pin/${encoded}`);
  for (const name of ["X-Pin", "X-Pin-Code", "Card-Pin", "X-New-Pin", "X-PinCode"]) {
    const headers = { ...sender.bearer, [name]: sender.pin(`as ${name}`) };
    await sender.get(`the header ${name} of a list`, "/developer/cards", headers);
  }
  for (const name of [
    "X-Code",
    "X-Whatever",
    "Idempotency-Key",
    "X-On-Behalf-Of",
    "Sandbox-Scenario",
    "Prefer",
  ]) {
    const pin = sender.pin(`as ${name}`);
    const headers = { ...sender.bearer, [name]: name === "Prefer" ? `example=${pin}` : pin };
    await sender.order(`a PIN as ${name}`, {}, headers);
    await sender.get(`a PIN as ${name} of a list`, "/developer/cards", headers);
    await sender.get(`a PIN as ${name} of no path`, "/nothing", headers);
  }
  for (const pathWith of pathsWithPin) {
    const where = `in ${pathWith("PIN")}`;
    const path = pathWith(sender.pin(where));
    for (const method of ["GET", "PUT"]) {
      await sender.send(`a PIN ${where}`, path, { method, headers: sender.bearer });
    }
  }
}

/** A secret in the forms in which clients send it. */
interface Forms {
  readonly text: string;
  readonly encoded: string;
  readonly percent: string;
  readonly hex: string;
  readonly base64: string;
}

function formsOf(text: string): Forms {
  const hex = Buffer.from(text).toString("hex");
  return {
    text,
    encoded: encodeURIComponent(text),
    percent: hex.replace(/../g, "%$&"),
    hex,
    base64: btoa(text),
  };
}

const headersWith = ({ text, base64, hex }: Forms): readonly Headers[] => [
  { Authorization: `Bearer ${text}` },
  { Authorization: text },
  { Authorization: `Basic ${btoa(`${text}:`)}` },
  { Authorization: `Token ${text}` },
  { "X-Api-Key": text },
  { "X-Whatever": text },
  { "X-Creds": base64 },
  { "X-Creds": hex },
  { Cookie: `session=${text}` },
  { Referer: `http://app.test/?code=${text}` },
  { "User-Agent": `app/1 (${text})` },
  { "X-On-Behalf-Of": text },
  { "Sandbox-Scenario": text },
  { Prefer: `example=${text}` },
  { Prefer: text },
];

const queriesWith = ({ encoded, percent, hex, base64 }: Forms): readonly string[] => [
  `api_key=${encoded}`,
  `q=${encoded}`,
  `q=${percent}`,
  `q=${hex}`,
  `q=${encodeURIComponent(base64)}`,
  encoded,
  `status=${encoded}`,
  `cursor=${encoded}`,
];

const pathsWith = ({ encoded, percent, hex, base64 }: Forms): readonly string[] =>
  [encoded, percent, hex, encodeURIComponent(base64)].flatMap((segment) => [
    `/developer/cards/${segment}`,
    `/developer/${segment}/cards`,
    `/auth/v1/sandbox/token/${segment}`,
    `/developer/webhooks/${segment}`,
    `/developer/cards/${segment}/freeze`,
    `/${segment}`,
  ]);

const ordersWith = ({ text, base64, hex }: Forms): readonly object[] => [
  { account_id: text },
  { delivery_method: text },
  { delivery_address: { line1: text, country_code: text } },
  { spending_limit: { period: text, amount: text } },
  { pin: text },
  { name: `scenario:${text}` },
  { [text]: 1 },
  { metadata: { credentials: [text, base64, hex] } },
  { auto_convert: text },
];

const bodiesWith = ({ text, encoded, base64, percent }: Forms): readonly string[] => [
  `{"api_key": "${text}"`,
  `{"apikey": "${text}"}`,
  `{"key": "${text}"}`,
  `{"api_key": ["${text}"]}`,
  `api_key=${encoded}`,
  `"${text}"`,
  text,
  base64,
  `{"api_key": "\\u0073${text.slice(1)}"}`,
  `{"api_key": "${text}x"}`,
  `{"API-KEY": "${percent}"}`,
];

const webhooksWith = ({ text, encoded }: Forms): readonly object[] => [
  { url: `http://user:${encoded}@localhost/hook`, events: ["card.created"] },
  { url: `http://evil.test/hook?secret=${encoded}`, events: ["card.created"] },
  { url: "http://localhost/hook", events: [text] },
  { url: text, events: [] },
];

/** A secret where the service does not expect it. */
async function sendToService(sender: Sender, secret: string, forms: Forms): Promise<void> {
  const { text } = forms;
  for (const own of headersWith(forms)) {
    const headers = own.Authorization === undefined ? { ...sender.bearer, ...own } : own;
    const where = `${secret} in ${Object.keys(headers).join(" and ")}`;
    await sender.order(where, {}, headers);
    await sender.get(`${where} of a list`, "/developer/cards", headers);
  }
  for (const query of queriesWith(forms)) {
    await sender.get(`${secret} in a query`, `/developer/cards?${query}`);
    await sender.post(`${secret} in the token endpoint's query`, `/auth/v1/sandbox/token?${query}`, "{}");
  }
  for (const path of pathsWith(forms)) {
    await sender.get(`${secret} in a path`, path);
    await sender.send(`${secret} in a path of another method`, path, {
      method: "PUT",
      headers: sender.bearer,
    });
  }
  for (const fields of ordersWith(forms)) {
    await sender.order(`${secret} in the order's ${Object.keys(fields).join()}`, fields);
  }
  await sender.order(`${secret} as the idempotency key`, {}, { "Idempotency-Key": text });
  await sender.order(`${secret} as the content type`, {}, { "Content-Type": text });
  for (const body of bodiesWith(forms)) {
    await sender.post(`${secret} in the token endpoint's body`, "/auth/v1/sandbox/token", body);
    await sender.post(`${secret} in an order's body`, physical, body, sender.keyed);
  }
  for (const body of webhooksWith(forms)) {
    await sender.post(`${secret} in a webhook's URL or events`, "/developer/webhooks", body, sender.bearer);
  }
}

const sandboxPathsWith = ({ encoded, percent }: Forms): readonly string[] => [
  `/_sandbox/armed?company=${encoded}`,
  `/_sandbox/requests?company=${encoded}`,
  `/_sandbox/requests?${encoded}=1`,
  `/_sandbox/requests?idempotency_key=${encoded}`,
  `/_sandbox/requests/${encoded}`,
  `/_sandbox/coverage?exclude=${encoded}`,
  `/_sandbox/cards/${encoded}/delivery`,
  `/_sandbox/${encoded}`,
  `/_sandbox/${percent}`,
  `/_sandbox/api-keys?company=${encoded}`,
  `/_sandbox/clock?company=${encoded}`,
  `/_sandbox/ui/${encoded}`,
  `/_sandbox/ui/companies/${encoded}`,
  `/_sandbox/ui/cards/${encoded}`,
];

/** A secret where the control API and the dashboard do not expect it. */
async function sendToSandbox(sender: Sender, secret: string, forms: Forms): Promise<void> {
  const { text, encoded } = forms;
  const json = { ...sender.admin, "Content-Type": "application/json" };
  for (const path of sandboxPathsWith(forms)) {
    await sender.get(`${secret} in the control API`, path, sender.admin);
  }
  for (const path of [
    `/_sandbox/scenarios/${encoded}/arm`,
    `/_sandbox/companies/${encoded}`,
    "/_sandbox/clock/advance",
    "/_sandbox/companies",
    "/_sandbox/api-keys",
    "/_sandbox/simulate/authorisations",
    "/_sandbox/invoices",
    `/_sandbox/snapshots/${encoded}/restore`,
    `/_sandbox/cards/${encoded}/operator`,
  ]) {
    const body = { by: text, member: text, environment: text, card_id: text, company: text, [text]: 1 };
    await sender.post(`${secret} in ${path.slice(0, 20)}`, path, body, json);
  }
  await sender.post(`${secret} in a broken body`, "/_sandbox/companies", `{"name": "${text}`, json);
  const form = new URLSearchParams({ by: text, member: text, token: `${text}x`, api_key: text, pin: "7301" });
  for (const path of [
    "/clock/advance",
    `/scenarios/${encoded}/arm`,
    `/companies/${encoded}/keys`,
    "/sign-in",
    "/sign-out",
  ]) {
    await sender.post(`${secret} in a form of the dashboard`, `/_sandbox/ui${path}`, form.toString(), {
      ...sender.admin,
      "Content-Type": "application/x-www-form-urlencoded",
      "Sec-Fetch-Site": "same-origin",
    });
  }
}
