import { type Evidence, evidenceOf } from "./evidence.ts";
import { CannotProbe, type ProbeReply, type ProbeRequest, type SharedOrder, type Target } from "./probe.ts";
import { idIn, isSuccess, listRows, objectIn, rowsIn, tokenPath } from "./replies.ts";
import {
  BudgetUsedUp,
  type Limits,
  NoResponse,
  type Pace,
  type Send,
  Sender,
  type SentRequest,
} from "./sender.ts";

/** How a target is reached, and the credentials to use there. */
export interface TargetOptions {
  readonly fetch: Send;
  readonly apiKey: string;
  /** The API key of a member who may not order cards. */
  readonly employeeApiKey?: string | undefined;
  /** The account that new cards spend from; default: the first active one that the target lists. */
  readonly accountId?: string | undefined;
  /** The company to act for; default: the first one that the target lists. */
  readonly companyId?: string | undefined;
  /** `read`: it refuses to send anything but GET requests and token exchanges. */
  readonly effect: "read" | "write";
  readonly limits?: Partial<Limits> | undefined;
  /** Default: no time passes. */
  readonly pace?: Pace | undefined;
  /** Returns a new random UUID. */
  readonly uuid: () => string;
}

/** A target, and what the runner of probes needs of it. */
export interface OpenTarget extends Target {
  /** How many requests were sent. */
  readonly used: number;
  /** How many cards were ordered, and how many of them are still there. */
  readonly cards: { readonly ordered: number; readonly left: number };
  /** The requests since the last call. */
  takeEvidence(): readonly Evidence[];
  /**
   * Terminates the cards and deletes the webhooks that probes left, except the shared card.
   * @param all - also the shared card
   */
  cleanUp(all?: boolean): Promise<void>;
}

/** The most cards that are ordered on a target. The sandbox with its defaults needs 28, other alternatives a few more. */
export const mostCards = 36;

/** A token that is older is replaced, so that none expires in a probe. */
const tokenAgeMs = 5 * 60_000;

/** The paths that create something, how it is removed, and what counts as a card. */
const creating = /^\/developer\/(cards\/(physical|virtual|[^/]+\/replace)|webhooks)$/;

/** Opens a target. Access tokens, the company and the account are looked up once. */
export function openTarget(options: TargetOptions): OpenTarget {
  const { apiKey, employeeApiKey, effect, uuid, pace = { now: () => 0, pause: async () => {} } } = options;
  const tokens = new Map<string, { readonly token: Promise<string>; readonly atMs: number }>();
  const evidence: Evidence[] = [];
  const created = new Map<string, ProbeRequest>();
  /** Those that could not be removed. */
  const left = new Set<string>();
  let cardsOrdered = 0;
  let sharedPath: string | undefined;
  /** Whether the target lists nothing without `X-On-Behalf-Of`, and no company is known to act for. */
  let lacksCompany = false;

  const sender = new Sender(
    options.fetch,
    {
      budget: Number.POSITIVE_INFINITY,
      perSecond: Number.POSITIVE_INFINITY,
      timeoutMs: 30_000,
      ...options.limits,
    },
    pace,
    (request, reply) => {
      evidence.push(evidenceOf(request, reply));
      noteCreated(request, reply);
    },
  );

  /** Remembers how to remove what a request created, as far as the response shows it. */
  const noteCreated = ({ method, path }: SentRequest, reply: ProbeReply) => {
    if (!isSuccess(reply) || method === "GET") return;
    const id = idIn(reply.json);
    const [pathname = ""] = path.split("?");
    if (method === "POST" && creating.test(pathname) && id !== undefined) {
      const isCard = pathname.startsWith("/developer/cards");
      const at = isCard ? `/developer/cards/${id}` : `/developer/webhooks/${id}`;
      if (created.has(at)) return;
      created.set(at, isCard ? { method: "POST", path: `${at}/terminate` } : { method: "DELETE", path: at });
      if (isCard) cardsOrdered++;
    } else if (method === "DELETE") created.delete(pathname);
    else if (pathname.endsWith("/terminate")) created.delete(pathname.slice(0, -"/terminate".length));
    sender.reserved = created.size;
  };

  const once = async ({ method, path, body, headers, token }: ProbeRequest): Promise<ProbeReply> => {
    const isExchange = path.startsWith("/auth/");
    if (effect === "read" && method !== "GET" && !(isExchange && method === "POST")) {
      throw new CannotProbe("needs --write");
    }
    if (
      cardsOrdered >= mostCards &&
      method === "POST" &&
      creating.test(path) &&
      path !== "/developer/webhooks"
    ) {
      throw new CannotProbe(`${mostCards} cards were ordered, which is the most`);
    }
    const authorization = token === undefined && !isExchange ? await tokenOf(apiKey) : token;
    const company = isExchange || (headers && "X-On-Behalf-Of" in headers) ? undefined : await actingFor();
    const all = {
      Authorization: authorization ? `Bearer ${authorization}` : undefined,
      "Content-Type": body === undefined ? undefined : "application/json",
      "X-On-Behalf-Of": company,
      ...headers,
    };
    const sent = Object.entries(all).filter((each): each is [string, string] => each[1] !== undefined);
    return sender.send({
      method,
      path,
      headers: Object.fromEntries(sent),
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  };

  /** A shared token that the target no longer accepts is replaced. */
  const send = async (request: ProbeRequest): Promise<ProbeReply> => {
    const reply = await once(request);
    const isForCompany = !request.path.startsWith("/auth/") && !("X-On-Behalf-Of" in (request.headers ?? {}));
    if (lacksCompany && isForCompany && reply.status === 400) {
      throw new CannotProbe(
        "the target may require X-On-Behalf-Of, and lists no company without it. Use --company-id.",
      );
    }
    const isShared = request.token === undefined && request.headers?.Authorization === undefined;
    if (reply.status !== 401 || !isShared || request.path.startsWith("/auth/")) return reply;
    tokens.delete(apiKey);
    return once(request);
  };

  const exchange = async (key: string): Promise<string> => {
    const path = tokenPath(key);
    const { status, json } = await once({ method: "POST", path, body: { api_key: key } });
    if (typeof json?.access_token === "string") return json.access_token;
    throw new CannotProbe(
      `the API key was not accepted: POST ${path} returned ${status} without an access_token`,
    );
  };
  const tokenOf = (key: string): Promise<string> => {
    const known = tokens.get(key);
    if (known && pace.now() - known.atMs < tokenAgeMs) return known.token;
    const token = exchange(key);
    tokens.set(key, { token, atMs: pace.now() });
    token.catch(() => tokens.delete(key));
    return token;
  };

  const ownAccount = lazily(async () => {
    if (options.accountId !== undefined) return options.accountId;
    const rows = await listRows(target, "/developer/accounts");
    const active = rows.find(({ id, status }) => typeof id === "string" && status !== "closed");
    if (active) return active.id as string;
    throw new CannotProbe("no account is listed. Use --account-id.");
  });
  const ownCompany = lazily(async () => {
    if (options.companyId !== undefined) return options.companyId;
    const path = "/developer/companies";
    const { json } = await send({ method: "GET", path, headers: { "X-On-Behalf-Of": undefined } });
    const id = rowsIn(json).find((row) => typeof row.id === "string")?.id;
    if (typeof id === "string") return id;
    throw new CannotProbe("no company is listed. Use --company-id.");
  });
  /** The company for `X-On-Behalf-Of`, if a request without it is refused and one with it is not. */
  const actingFor = lazily(async (): Promise<string | undefined> => {
    const get = (header: string | undefined) =>
      send({ method: "GET", path: "/developer/accounts", headers: { "X-On-Behalf-Of": header } });
    if (isSuccess(await get(undefined))) return undefined;
    const company = await ownCompany().catch(() => undefined);
    lacksCompany = company === undefined;
    return company !== undefined && isSuccess(await get(company)) ? company : undefined;
  });

  const order = async () => ({
    account_id: await ownAccount(),
    pin: "4821",
    delivery_address: { line1: "1 High Street", city: "London", post_code: "SW1A 1AA", country_code: "GB" },
    delivery_method: "classic",
  });
  const newOrder = async (): Promise<SharedOrder> => {
    const request = {
      method: "POST",
      path: "/developer/cards/physical",
      headers: { "Idempotency-Key": uuid() },
      body: await order(),
    };
    const reply = await send(request);
    if (isSuccess(reply) && idIn(reply.json) !== undefined)
      return { request, reply, card: objectIn(reply.json) };
    throw new CannotProbe(`a card could not be ordered: status ${reply.status}`);
  };
  const firstOrder = lazily(async () => {
    const ordered = await newOrder();
    sharedPath = `/developer/cards/${ordered.card.id}`;
    return ordered;
  });

  const controls = new Map<string, Promise<unknown>>();
  /** A control that failed for want of a proper response is made again. */
  const control = <Value>(name: string, work: () => Promise<Value>): Promise<Value> => {
    const known = controls.get(name);
    if (known) return known as Promise<Value>;
    const made = work();
    controls.set(name, made);
    made.catch((error) => {
      const status = evidence.at(-1)?.status ?? 0;
      const isAnswered = error instanceof CannotProbe && status !== 429 && status < 500;
      if (!isAnswered || error instanceof NoResponse || error instanceof BudgetUsedUp) controls.delete(name);
    });
    return made;
  };
  const sharedOrder = () =>
    control("orders", async () => {
      const ordered = await firstOrder();
      const empty = await send({ ...ordered.request, headers: { "Idempotency-Key": uuid() }, body: {} });
      if (isSuccess(empty)) throw new CannotProbe("an order without any field is accepted");
      if ((await newOrder()).card.id !== ordered.card.id) return ordered;
      throw new CannotProbe("orders with different keys return the same card");
    });

  const target: OpenTarget = {
    send,
    apiKey,
    token: () => tokenOf(apiKey),
    employeeToken: async () => {
      if (employeeApiKey === undefined) throw new CannotProbe("needs --employee-api-key-env");
      return tokenOf(employeeApiKey);
    },
    companyId: ownCompany,
    accountId: ownAccount,
    order,
    firstOrder,
    sharedOrder,
    newCard: async () => {
      await sharedOrder();
      return (await newOrder()).card;
    },
    control,
    uuid,
    get used() {
      return sender.used;
    },
    get cards() {
      const still = [...created.keys(), ...left].filter((path) => path.startsWith("/developer/cards/"));
      return { ordered: cardsOrdered, left: still.length };
    },
    takeEvidence: () => evidence.splice(0),
    cleanUp: async (all = false) => {
      for (const [path, request] of [...created]) {
        if (path === sharedPath && !all) continue;
        sender.reserved--;
        const { status } = await send(request).catch(() => ({ status: 0 }));
        // 409: a card that was replaced has ended already.
        if (isSuccess({ status }) || status === 409) created.delete(path);
        else left.add(path);
      }
      for (const path of left) created.delete(path);
      sender.reserved = created.size;
    },
  };
  return target;
}

/** Does the work with the first call. A failure is not kept: the next call tries again. */
function lazily<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let result: Promise<Value> | undefined;
  return () => {
    if (result === undefined) {
      const started = work();
      result = started;
      started.catch(() => {
        result = undefined;
      });
    }
    return result;
  };
}
