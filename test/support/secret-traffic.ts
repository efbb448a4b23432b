import { physicalOrder } from "./physical-order.ts";
import type { Secret } from "./secret-forms.ts";

/** Answers as `fetch` does, to a path of the sandbox. */
export type Ask = (path: string, init?: RequestInit) => Promise<Response>;

/** An answer of the sandbox: what was asked, and all that came back. */
export interface Answered {
  readonly what: string;
  readonly status: number;
  /** Status line, headers and body, as a log of the client's would keep them. */
  readonly text: string;
  /** Whether it is to hold a secret: it hands one out, or is the card whose name has one. */
  readonly handsOut: boolean;
}

export interface Traffic {
  readonly secrets: readonly Secret[];
  readonly answers: readonly Answered[];
}

/**
 * Sends every kind of secret to where it belongs and to where it does not, and collects what is answered.
 * @param admin - what the sandbox's own API demands
 */
export async function sendSecrets(ask: Ask, admin: string): Promise<Traffic> {
  const answers: Answered[] = [];
  const secrets: Secret[] = [];
  const origin = { Authorization: `Bearer ${admin}` };

  async function send(what: string, path: string, init: RequestInit = {}, handsOut = false) {
    try {
      const response = await ask(path, init);
      const text = await response.text();
      const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
      answers.push({ what, status: response.status, text: `${headers}\n\n${text}`, handsOut });
      return text;
    } catch {
      // A scenario lost the connection.
      return "";
    }
  }
  const post = (
    what: string,
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
    out = false,
  ) =>
    send(
      what,
      path,
      { method: "POST", headers, body: typeof body === "string" ? body : JSON.stringify(body) },
      out,
    );
  const keep = (kind: Secret["kind"], label: string, text: string) => {
    secrets.push({ kind, label, text });
    return text;
  };

  // Where they come from, and belong.
  const world = JSON.parse(await send("the world", "/_sandbox/world", { headers: origin }, true));
  const northwind = world.companies[0];
  const seedKey = keep("seed world's key", "northwind's owner", "sk_sandbox_northwind_owner");
  const control = { ...origin, "Content-Type": "application/json" };
  const made = JSON.parse(
    await post(
      "a new key",
      "/_sandbox/api-keys",
      { member: "northwind-owner", environment: "sandbox" },
      control,
      true,
    ),
  );
  const key = keep("API key", "made by the control API", made.secret);
  const company = JSON.parse(await post("a new company", "/_sandbox/companies", {}, control, true));
  for (const member of company.members) {
    for (const { secret } of member.api_keys) keep("API key", `of the new company's ${member.role}`, secret);
  }
  const exchange = async (api_key: string) =>
    JSON.parse(await post("an exchange", "/auth/v1/sandbox/token", { api_key }, {}, true)).access_token;
  const token = keep("access token", "of the key that was made", await exchange(key));
  keep("access token", "of the seed world's key", await exchange(seedKey));
  const bearer = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const hook = JSON.parse(
    await post(
      "a new webhook",
      "/developer/webhooks",
      { url: "http://127.0.0.1:9/hooks", events: ["card.created"] },
      bearer,
      true,
    ),
  );
  keep("webhook secret", "of a webhook", hook.secret);
  const rotated = JSON.parse(
    await post("a rotation", `/developer/webhooks/${hook.id}/rotate-secret`, undefined, bearer, true),
  );
  const webhookSecret = keep("webhook secret", "that was rotated to", rotated.secret);
  keep("admin token", "of the sandbox's own API", admin);

  let orders = 0;
  const order = (
    what: string,
    fields: Record<string, unknown>,
    headers: Record<string, string> = {},
    path = "/developer/cards/physical",
    out = false,
  ) => {
    const body = { ...physicalOrder(northwind.accounts[0].id), pin: "7301", ...fields };
    const idempotency = `7f9c24e8-3b12-4c6e-9d7a-${String(++orders).padStart(12, "0")}`;
    return post(what, path, body, { ...bearer, "Idempotency-Key": idempotency, ...headers }, out);
  };
  keep("PIN", "of an order", "7301");
  await order("an order", {});
  orders--;
  await order("its replay", {});
  const named = keep("API key", "in a card's name", "sk_sandbox_NAMED0name1name2name3name4name5na123456");
  await order("an order with a key in its name", { name: named }, {}, undefined, true);
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
    await order(`an order under ${scenario}`, {}, { "Sandbox-Scenario": scenario });
  }

  // PINs where they do not belong.
  let pins = 7400;
  const pin = (label: string) => keep("PIN", label, String(++pins));
  for (const name of [
    "pin_code",
    "newPin",
    "PIN",
    "card_pin",
    "pinn",
    "pni",
    "Pin Code",
    "passcode",
    "pincode",
  ]) {
    await order(`a PIN as ${name}`, { pin: undefined, [name]: pin(`as ${name}`) });
    await order(`a number as ${name}`, { [name]: Number(pin(`a number as ${name}`)) });
    await send(
      `a query's ${name}`,
      `/developer/cards?${encodeURIComponent(name)}=${pin(`as ${name} in a query`)}`,
      {
        headers: bearer,
      },
    );
  }
  await order("a PIN that is a number", { pin: Number(pin("a number")) });
  await order("a PIN of an object", { card: { pin: pin("within an object") } });
  await order("a PIN of an address", { delivery_address: { pin_code: pin("within an address") } });
  await order("a PIN within a PIN", { pin: { value: pin("within an object named pin") } });
  await order("a PIN in a list", { pins: [pin("in a list")] });
  const broken = { ...bearer, "Idempotency-Key": "7f9c24e8-3b12-4c6e-9d7a-aaaaaaaaaaaa" };
  const physical = "/developer/cards/physical";
  await post(
    "a body that breaks off",
    physical,
    `{"pin_code": "${pin("in a body that breaks off")}"`,
    broken,
  );
  await post("a form", physical, `a=1&newPin=${pin("in a form")}&b=2`, {
    ...broken,
    "Content-Type": "application/x-www-form-urlencoded",
  });
  await send("a PIN in the path", `/developer/cards/1/pin/${pin("in the path")}`, { headers: bearer });
  await send("a PIN behind pin_code", `/developer/cards/1/pin_code/${pin("in the path, behind pin_code")}`, {
    headers: bearer,
  });
  await send(
    "an encoded PIN",
    `/developer/pin/${pin("encoded in the path").replace(/./g, (c) => `%3${c}`)}`,
    {
      headers: bearer,
    },
  );
  for (const name of ["X-Pin", "X-Pin-Code", "Card-Pin", "X-New-Pin", "X-PinCode"]) {
    await send(`the header ${name} of a list`, "/developer/cards", {
      headers: { ...bearer, [name]: pin(`as ${name}`) },
    });
  }
  const bodies: readonly [string, string, (digits: string) => string][] = [
    ["an array", "application/json", (digits) => `[{"a":"${digits}"},"${digits}",${digits}]`],
    ["a JSON string", "application/json", (digits) => `"${digits}"`],
    ["a JSON number", "application/json", (digits) => digits],
    ["XML", "application/xml", (digits) => `<order><code>${digits}</code></order>`],
    ["CSV", "text/csv", (digits) => `account,code\n1,${digits}\n`],
    ["a text", "text/plain", (digits) => `my code is ${digits}`],
    ["base64", "text/plain", (digits) => btoa(digits)],
    ["parts", "multipart/form-data; boundary=x", (digits) => `--x\r\n\r\n${digits}\r\n--x--`],
    ["two objects", "application/json", (digits) => `{"a":1}{"b":"${digits}"}`],
    ["JSON with a comma too many", "application/json", (digits) => `{"list":["a","${digits}",]}`],
  ];
  for (const [label, type, bodyWith] of bodies) {
    for (const path of [physical, "/developer/webhooks", "/auth/v1/sandbox/token", "/nothing"]) {
      await post(`${label} with a PIN`, path, bodyWith(pin(`in ${label}`)), {
        ...broken,
        "Content-Type": type,
      });
    }
  }
  for (const [label, fields] of Object.entries({
    "later in a list": { codes: ["a", pin("later in a list")] },
    "a number later in a list": { codes: [1, Number(pin("a number later in a list"))] },
    "within a note": { note: `my code is ${pin("within a note")}, keep it` },
    "in a URL's path": { callback: `http://localhost:8080/${pin("in a URL's path")}` },
    "as the account": { account_id: pin("as the account") },
    "as the country": { delivery_address: { line1: "1", country_code: pin("as the country") } },
    "as the delivery method": { delivery_method: pin("as the delivery method") },
  })) {
    await order(`a PIN ${label}`, fields);
  }
  await post(
    "a PIN under a name that is sent twice",
    physical,
    `{"codes":["a","${pin("under a name that is sent twice")}"],"codes":[]}`,
    broken,
  );
  for (const name of [
    "X-Code",
    "X-Whatever",
    "Idempotency-Key",
    "X-On-Behalf-Of",
    "Sandbox-Scenario",
    "Prefer",
  ]) {
    const digits = pin(`as ${name}`);
    const headers = { ...bearer, [name]: name === "Prefer" ? `example=${digits}` : digits };
    await order(`a PIN as ${name}`, {}, headers);
    await send(`a PIN as ${name} of a list`, "/developer/cards", { headers });
    await send(`a PIN as ${name} of no path`, "/nothing", { headers });
  }
  for (const pathWith of [
    (digits: string) => `/cards/${digits}`,
    (digits: string) => `/developer/cards/${digits}`,
    (digits: string) => `/developer/cards/${digits}/freeze`,
    (digits: string) => `/developer/cards/a,${digits};b`,
    (digits: string) => `/developer/webhooks/${digits}`,
    (digits: string) => `/developer/accounts/${digits}`,
    (digits: string) => `/developer/cards?${digits}`,
    (digits: string) => `/developer/cards?codes=a,${digits}`,
    (digits: string) => `/developer/transactions?from=${digits}`,
    (digits: string) => `/developer/transactions?account_id=${digits}`,
    (digits: string) => `/developer/cards?cursor=${digits}`,
  ]) {
    const path = pathWith(pin(`in ${pathWith("PIN")}`));
    for (const method of ["GET", "PUT"])
      await send(`a PIN in ${pathWith("PIN")}`, path, { method, headers: bearer });
  }
  await order("a PIN in a URL of a webhook", {
    url: `http://localhost/hook?pin=${pin("in a webhook's URL")}`,
  });

  // Everything else where it does not belong.
  for (const [kind, text] of [
    ["key", key],
    ["token", token],
    ["webhook secret", webhookSecret],
    ["admin token", admin],
  ] as const) {
    const at = (where: string) => `the ${kind} ${where}`;
    const base64 = btoa(text);
    const percent = [...text].map((c) => `%${c.charCodeAt(0).toString(16)}`).join("");
    const hex = [...text].map((c) => c.charCodeAt(0).toString(16)).join("");
    const enc = encodeURIComponent(text);
    for (const headers of [
      { Authorization: `Bearer ${text}` },
      { Authorization: text },
      { Authorization: `Basic ${btoa(`${text}:`)}` },
      { Authorization: `Token ${text}` },
      { ...bearer, "X-Api-Key": text },
      { ...bearer, "X-Whatever": text },
      { ...bearer, "X-Creds": base64 },
      { ...bearer, "X-Creds": hex },
      { ...bearer, Cookie: `session=${text}` },
      { ...bearer, Referer: `http://app.test/?code=${text}` },
      { ...bearer, "User-Agent": `app/1 (${text})` },
      { ...bearer, "X-On-Behalf-Of": text },
      { ...bearer, "Sandbox-Scenario": text },
      { ...bearer, Prefer: `example=${text}` },
      { ...bearer, Prefer: text },
    ]) {
      const names = Object.keys(headers).join(" and ");
      await order(at(`in ${names}`), {}, headers as Record<string, string>);
      await send(at(`in ${names} of a list`), "/developer/cards", {
        headers: headers as Record<string, string>,
      });
    }
    for (const query of [
      `api_key=${enc}`,
      `q=${enc}`,
      `q=${percent}`,
      `q=${hex}`,
      `q=${encodeURIComponent(base64)}`,
      enc,
      `status=${enc}`,
      `cursor=${enc}`,
    ]) {
      await send(at("in a query"), `/developer/cards?${query}`, { headers: bearer });
      await post(at("in the token endpoint's query"), `/auth/v1/sandbox/token?${query}`, "{}");
    }
    for (const segment of [enc, percent, hex, encodeURIComponent(base64)]) {
      for (const path of [
        `/developer/cards/${segment}`,
        `/developer/${segment}/cards`,
        `/auth/v1/sandbox/token/${segment}`,
        `/developer/webhooks/${segment}`,
        `/developer/cards/${segment}/freeze`,
        `/${segment}`,
      ]) {
        await send(at("in a path"), path, { headers: bearer });
      }
      await send(at("in a path of another method"), `/developer/cards/${segment}`, {
        method: "PUT",
        headers: bearer,
      });
    }
    for (const fields of [
      { account_id: text },
      { delivery_method: text },
      { delivery_address: { line1: text, country_code: text } },
      { spending_limit: { period: text, amount: text } },
      { pin: text },
      { name: `scenario:${text}` },
      { [text]: 1 },
      { metadata: { credentials: [text, base64, hex] } },
      { auto_convert: text },
    ]) {
      await order(at(`in the order's ${Object.keys(fields).join()}`), fields);
    }
    await order(at("as the idempotency key"), {}, { "Idempotency-Key": text });
    await order(at("as the content type"), {}, { "Content-Type": text });
    for (const body of [
      `{"api_key": "${text}"`,
      `{"apikey": "${text}"}`,
      `{"key": "${text}"}`,
      `{"api_key": ["${text}"]}`,
      `api_key=${enc}`,
      `"${text}"`,
      text,
      base64,
      `{"api_key": "\\u0073${text.slice(1)}"}`,
      `{"api_key": "${text}x"}`,
      `{"API-KEY": "${percent}"}`,
    ]) {
      await post(at("in the token endpoint's body"), "/auth/v1/sandbox/token", body);
      await post(at("in an order's body"), physical, body, broken);
    }
    for (const body of [
      { url: `http://user:${enc}@localhost/hook`, events: ["card.created"] },
      { url: `http://evil.test/hook?secret=${enc}`, events: ["card.created"] },
      { url: `http://localhost/hook`, events: [text] },
      { url: text, events: [] },
    ]) {
      await post(at("in a webhook's URL or events"), "/developer/webhooks", body, bearer);
    }
    // The sandbox's own API, and its pages.
    for (const path of [
      `/_sandbox/armed?company=${enc}`,
      `/_sandbox/requests?company=${enc}`,
      `/_sandbox/requests?${enc}=1`,
      `/_sandbox/requests?idempotency_key=${enc}`,
      `/_sandbox/requests/${enc}`,
      `/_sandbox/coverage?exclude=${enc}`,
      `/_sandbox/cards/${enc}/delivery`,
      `/_sandbox/${enc}`,
      `/_sandbox/${percent}`,
      `/_sandbox/api-keys?company=${enc}`,
      `/_sandbox/clock?company=${enc}`,
      `/_sandbox/ui/${enc}`,
      `/_sandbox/ui/companies/${enc}`,
      `/_sandbox/ui/cards/${enc}`,
    ]) {
      await send(at("in the sandbox's own API"), path, { headers: origin });
    }
    for (const path of [
      `/_sandbox/scenarios/${enc}/arm`,
      `/_sandbox/companies/${enc}`,
      "/_sandbox/clock/advance",
      "/_sandbox/companies",
      "/_sandbox/api-keys",
      "/_sandbox/simulate/authorisations",
      "/_sandbox/invoices",
      `/_sandbox/snapshots/${enc}/restore`,
      `/_sandbox/cards/${enc}/operator`,
    ]) {
      const body = { by: text, member: text, environment: text, card_id: text, company: text, [text]: 1 };
      await post(at(`in ${path.slice(0, 20)}`), path, body, control);
    }
    await post(at("in a broken body"), "/_sandbox/companies", `{"name": "${text}`, control);
    for (const path of ["/clock/advance", `/scenarios/${enc}/arm`, "/api-keys", "/sign-in", "/sign-out"]) {
      const form = new URLSearchParams({
        by: text,
        member: text,
        token: `${text}x`,
        api_key: text,
        pin: "7301",
      });
      await post(at("in a form of the dashboard"), `/_sandbox/ui${path}`, form.toString(), {
        ...origin,
        "Content-Type": "application/x-www-form-urlencoded",
        "Sec-Fetch-Site": "same-origin",
      });
    }
  }
  return { secrets, answers };
}
