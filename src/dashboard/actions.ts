import type { DashboardServices } from "./page.ts";
import { pathTo } from "./paths.ts";
import { type FormAction, inputOf, required, wholeNumber, yesOrNo } from "./submit.ts";

/** What the forms of the pages do, by their paths. The methods that they call validate the input. */
export function actions(services: DashboardServices): Readonly<Record<string, FormAction>> {
  return {
    ...clockActions(services),
    ...worldActions(services),
    ...scenarioActions(services),
    ...companyActions(services),
    ...memberAndAccountActions(services),
    ...keyActions(services),
    ...cardActions(services),
  };
}

function clockActions({ time }: DashboardServices): Record<string, FormAction> {
  return {
    "/clock/advance": async ({ by = "", company }) => {
      const { now } = await time.advance({ by, company });
      return { text: `It is ${now}${company ? " for this company" : ""}.` };
    },
    "/clock": ({ frozen }) => {
      const { now } = time.change({ frozen: frozen === "true" });
      return { text: frozen === "true" ? `Time stands still at ${now}.` : `Time runs again from ${now}.` };
    },
  };
}

function worldActions({ state, requests }: DashboardServices): Record<string, FormAction> {
  return {
    "/reset": () => {
      state.reset();
      return { text: "Everything is as freshly started." };
    },
    "/snapshots": ({ name = "" }) => {
      state.snapshot({ name });
      return { text: `The world is kept as ${name}.` };
    },
    "/snapshots/restore": ({ name = "" }) => {
      state.restore(name);
      return { text: `The world is as it was kept as ${name}.` };
    },
    "/snapshots/delete": ({ name = "" }) => {
      state.deleteSnapshot(name);
      return { text: `The snapshot ${name} is gone.` };
    },
    "/requests/forget": () => {
      requests.clear();
      return { text: "The requests are forgotten, with what they met and what was found." };
    },
  };
}

function scenarioActions({ scenarios }: DashboardServices): Record<string, FormAction> {
  return {
    "/scenarios/:name/arm": (fields, param) => {
      const { company, operation, api_key_id } = fields;
      const { name, times, ...armed } = scenarios.arm(
        param("name"),
        inputOf({ company, times: wholeNumber(fields, "times"), operation, api_key_id }),
      );
      const often = times === null ? "until it is disarmed" : times === 1 ? "once" : `${times} times`;
      return { text: `${name} is armed for ${armed.company ?? "all companies"}, ${often}.` };
    },
    "/armed/:id/disarm": (_, param) => {
      const { name, fired } = scenarios.byId(param("id"));
      scenarios.disarm(param("id"));
      return { text: `${name} is disarmed; it fired ${fired} ${fired === 1 ? "time" : "times"}.` };
    },
    "/armed/:id/release": (_, param) => {
      const { released } = scenarios.release(param("id"));
      return { text: `${released} held ${released === 1 ? "request goes" : "requests go"} on.` };
    },
  };
}

function companyActions({ companies, state }: DashboardServices): Record<string, FormAction> {
  return {
    "/companies": async (fields) => {
      const { name, environment } = fields;
      const made = await companies.create(
        inputOf({ name, environment, card_quota: wholeNumber(fields, "card_quota") }),
      );
      const secrets = made.members.flatMap(({ name, role, api_keys }) =>
        api_keys.flatMap(({ secret }) => (secret ? [{ label: `${name}, ${role}`, secret }] : [])),
      );
      return { text: `${made.name} is made.`, secrets, to: pathTo(`/companies/${made.id}`) };
    },
    "/companies/:id/change": (fields, param) => {
      const { name } = companies.change(
        param("id"),
        inputOf({
          status: fields.status,
          card_quota: wholeNumber(fields, "card_quota"),
          details_complete: yesOrNo(fields, "details_complete"),
        }),
      );
      return { text: `${name} is changed.` };
    },
    "/companies/:id/reset": (_, param) => {
      state.resetCompany(param("id"));
      return { text: "The company is as it began." };
    },
    "/companies/:id/delete": (_, param) => {
      companies.delete(param("id"));
      return { text: "The company is deleted.", to: pathTo("/companies") };
    },
  };
}

function memberAndAccountActions({ companies, simulator }: DashboardServices): Record<string, FormAction> {
  return {
    "/companies/:id/members/:member": (fields, param) => {
      const details_complete = yesOrNo(fields, "details_complete");
      const { name, role, status } = companies.changeMember(
        param("member"),
        inputOf({ role: fields.role, status: fields.status, details_complete, company: param("id") }),
      );
      return { text: `${name} is changed: ${role}, ${status}.` };
    },
    "/companies/:id/accounts/:account": (fields, param) => {
      const { slug, status } = companies.changeAccount(
        param("account"),
        inputOf({ status: fields.status, company: param("id") }),
      );
      return { text: `The account ${slug} is ${status}.` };
    },
    "/companies/:id/accounts/:account/top-up": (fields, param) => {
      const { amount, currency } = simulator.topUp({
        account_id: param("account"),
        amount: required(fields, "amount"),
      });
      return { text: `${amount} ${currency} came in.` };
    },
  };
}

function keyActions({ apiKeys }: DashboardServices): Record<string, FormAction> {
  return {
    "/api-keys": (fields) => {
      // The same member may belong to several companies.
      const [company, member = ""] = required(fields, "member").split("/");
      const { environment, label } = fields;
      const { prefix, secret } = apiKeys.create(inputOf({ member, company, environment, label }));
      return { text: "The key is made.", secrets: [{ label: label ?? `${prefix}…`, secret }] };
    },
    "/api-keys/:id/revoke": (_, param) => {
      const { prefix } = apiKeys.revoke(param("id"));
      return {
        text: `${prefix}… is revoked, and its slot is free. Tokens that were issued with it live on.`,
      };
    },
  };
}

function cardActions({ cards, simulator }: DashboardServices): Record<string, FormAction> {
  return {
    "/cards/:id/purchase": (fields, param) => {
      const { currency, merchant, channel } = fields;
      const purchase = {
        card_id: param("id"),
        amount: required(fields, "amount"),
        currency,
        merchant,
        channel,
      };
      const { status, decline_reason, ...made } = simulator.authorise(inputOf(purchase));
      const why = decline_reason ? `, ${decline_reason.replaceAll("_", " ")}` : "";
      return { text: `${made.amount} ${made.currency}: ${status}${why}.` };
    },
    "/cards/:id/operator": ({ action }, param) => {
      const id = param("id");
      const { name, status } =
        action === "expire" ? cards.expire(id) : cards.operate(id, inputOf({ action }));
      return { text: `${name} is ${status}.` };
    },
    "/cards/:id/delivery": ({ status: wanted }, param) => {
      const { status } = cards.moveDelivery(param("id"), inputOf({ status: wanted }));
      return { text: `The parcel is ${status}.` };
    },
    "/transactions/:id/clear": (_, param) => {
      const { amount, currency } = simulator.clear(param("id"));
      return { text: `${amount} ${currency} were taken.` };
    },
    "/transactions/:id/reverse": (_, param) => {
      const { amount, currency } = simulator.reverse(param("id"));
      return { text: `${amount} ${currency} were let go.` };
    },
    "/transactions/:id/refund": (_, param) => {
      const { amount, currency } = simulator.refund({ transaction_id: param("id") });
      return { text: `${amount} ${currency} were given back.` };
    },
  };
}
