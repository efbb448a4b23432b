import { CannotProbe, type ProbeReply, type ProbeRequest, type Target } from "./probe.ts";

/** How a target is reached, and the credentials to use there. */
export interface TargetOptions {
  /** Sends a request to a path of the target. */
  readonly fetch: (path: string, init: RequestInit) => Promise<Response>;
  readonly apiKey: string;
  /** The API key of a member who may not order cards. */
  readonly employeeApiKey?: string | undefined;
  /** The account that new cards spend from; default: the first one that the target lists. */
  readonly accountId?: string | undefined;
  /** Returns a new random UUID. */
  readonly uuid: () => string;
}

/** Opens a target. Access tokens and the account are looked up once. */
export function openTarget({ fetch, apiKey, employeeApiKey, accountId, uuid }: TargetOptions): Target {
  const tokens = new Map<string, Promise<string>>();
  let account: Promise<string> | undefined;

  const send = async ({ method, path, body, headers, ...rest }: ProbeRequest): Promise<ProbeReply> => {
    const isExchange = path.startsWith("/auth/");
    const token = rest.token === undefined && !isExchange ? await tokenOf(apiKey) : rest.token;
    const response = await fetch(path, {
      method,
      headers: {
        ...(token && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parsed(text) };
  };

  const exchange = async (key: string): Promise<string> => {
    const path = key.startsWith("sk_live_") ? "/auth/v1/token" : "/auth/v1/sandbox/token";
    const { status, json } = await send({ method: "POST", path, body: { api_key: key } });
    if (typeof json?.access_token === "string") return json.access_token;
    throw new CannotProbe(`the API key could not be exchanged: status ${status}`);
  };
  const tokenOf = (key: string): Promise<string> => {
    const token = tokens.get(key) ?? exchange(key);
    tokens.set(key, token);
    return token;
  };

  const findAccount = async (): Promise<string> => {
    const { json } = await send({ method: "GET", path: "/developer/accounts" });
    const active = rowsIn(json).find(({ id, status }) => typeof id === "string" && status !== "closed");
    if (active) return active.id as string;
    throw new CannotProbe("no account is listed");
  };
  const order = async () => ({
    account_id: await target.accountId(),
    pin: "4821",
    delivery_address: { line1: "1 High Street", city: "London", post_code: "SW1A 1AA", country_code: "GB" },
    delivery_method: "classic",
  });

  const target: Target = {
    send,
    apiKey,
    token: () => tokenOf(apiKey),
    employeeToken: () => {
      if (employeeApiKey === undefined) throw new CannotProbe("needs the API key of an employee");
      return tokenOf(employeeApiKey);
    },
    accountId: () => {
      account ??= accountId === undefined ? findAccount() : Promise.resolve(accountId);
      return account;
    },
    order,
    newCard: async () => {
      const { status, json } = await send({
        method: "POST",
        path: "/developer/cards/physical",
        headers: { "Idempotency-Key": uuid() },
        body: await order(),
      });
      if (typeof json?.id === "string") return json;
      throw new CannotProbe(`a card could not be ordered: status ${status}`);
    },
    uuid,
  };
  return target;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The rows of a list in any envelope: the array, or the first member that is one. */
export function rowsIn(json: unknown): readonly Readonly<Record<string, unknown>>[] {
  const candidates = Array.isArray(json) ? [json] : Object.values((json ?? {}) as object);
  return candidates.find(Array.isArray)?.filter((row) => typeof row === "object" && row !== null) ?? [];
}
