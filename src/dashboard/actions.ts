import type { Work } from "./acting.ts";
import { asked, required, wholeNumber, yesOrNo } from "./form.ts";
import { pathTo } from "./paths.ts";
import type { DashboardServices } from "./visit.ts";

/** What the pages' forms do, by their paths. Whether it fits is said by what does it. */
export function actions(services: DashboardServices): Readonly<Record<string, Work>> {
  return {
    ...clockActions(services),
    ...worldActions(services),
    ...scenarioActions(services),
    ...companyActions(services),
    ...possessionActions(services),
    ...keyActions(services),
    ...cardActions(services),
  };
}

function clockActions({ time }: DashboardServices): Record<string, Work> {
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

function worldActions({ state, requests }: DashboardServices): Record<string, Work> {
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

function scenarioActions({ scenarios }: DashboardServices): Record<string, Work> {
  return {
    "/scenarios/:name/arm": (form, of) => {
      const { company, operation, api_key_id } = form;
      const { name, times, ...armed } = scenarios.arm(
        of("name"),
        asked({ company, times: wholeNumber(form, "times"), operation, api_key_id }),
      );
      const often = times === null ? "until it is disarmed" : times === 1 ? "once" : `${times} times`;
      return { text: `${name} is armed for ${armed.company ?? "all companies"}, ${often}.` };
    },
    "/armed/:id/disarm": (_, of) => {
      const { name, fired } = scenarios.byId(of("id"));
      scenarios.disarm(of("id"));
      return { text: `${name} is disarmed; it fired ${fired} ${fired === 1 ? "time" : "times"}.` };
    },
    "/armed/:id/release": (_, of) => {
      const { released } = scenarios.release(of("id"));
      return { text: `${released} held ${released === 1 ? "request goes" : "requests go"} on.` };
    },
  };
}

function companyActions({ companies, state }: DashboardServices): Record<string, Work> {
  return {
    "/companies": async (form) => {
      const { name, environment } = form;
      const made = await companies.create(
        asked({ name, environment, card_quota: wholeNumber(form, "card_quota") }),
      );
      const secrets = made.members.flatMap(({ name, role, api_keys }) =>
        api_keys.flatMap(({ secret }) => (secret ? [{ label: `${name}, ${role}`, secret }] : [])),
      );
      return { text: `${made.name} is made.`, secrets, to: pathTo(`/companies/${made.id}`) };
    },
    "/companies/:id/change": (form, of) => {
      const { name } = companies.change(
        of("id"),
        asked({
          status: form.status,
          card_quota: wholeNumber(form, "card_quota"),
          details_complete: yesOrNo(form, "details_complete"),
        }),
      );
      return { text: `${name} is changed.` };
    },
    "/companies/:id/reset": (_, of) => {
      state.resetCompany(of("id"));
      return { text: "The company is as it began." };
    },
    "/companies/:id/delete": (_, of) => {
      companies.delete(of("id"));
      return { text: "The company is deleted.", to: pathTo("/companies") };
    },
  };
}

/** Of what a company has. */
function possessionActions({ companies, simulator }: DashboardServices): Record<string, Work> {
  return {
    "/companies/:id/members/:member": (form, of) => {
      const details_complete = yesOrNo(form, "details_complete");
      const { name, role, status } = companies.changeMember(
        of("member"),
        asked({ role: form.role, status: form.status, details_complete, company: of("id") }),
      );
      return { text: `${name} is changed: ${role}, ${status}.` };
    },
    "/companies/:id/accounts/:account": (form, of) => {
      const { slug, status } = companies.changeAccount(
        of("account"),
        asked({ status: form.status, company: of("id") }),
      );
      return { text: `The account ${slug} is ${status}.` };
    },
    "/companies/:id/accounts/:account/top-up": (form, of) => {
      const { amount, currency } = simulator.topUp({
        account_id: of("account"),
        amount: required(form, "amount"),
      });
      return { text: `${amount} ${currency} came in.` };
    },
  };
}

function keyActions({ apiKeys }: DashboardServices): Record<string, Work> {
  return {
    "/api-keys": (form) => {
      // The same member may have a place in several companies.
      const [company, member = ""] = required(form, "member").split("/");
      const { environment, label } = form;
      const { prefix, secret } = apiKeys.create(asked({ member, company, environment, label }));
      return { text: "The key is made.", secrets: [{ label: label ?? `${prefix}…`, secret }] };
    },
    "/api-keys/:id/revoke": (_, of) => {
      const { prefix } = apiKeys.revoke(of("id"));
      return {
        text: `${prefix}… is revoked, and its slot is free. Tokens that were issued with it live on.`,
      };
    },
  };
}

function cardActions({ cards, simulator }: DashboardServices): Record<string, Work> {
  return {
    "/cards/:id/purchase": (form, of) => {
      const { currency, merchant, channel } = form;
      const purchase = { card_id: of("id"), amount: required(form, "amount"), currency, merchant, channel };
      const { status, decline_reason, ...made } = simulator.authorise(asked(purchase));
      const why = decline_reason ? `, ${decline_reason.replaceAll("_", " ")}` : "";
      return { text: `${made.amount} ${made.currency}: ${status}${why}.` };
    },
    "/cards/:id/operator": ({ action }, of) => {
      const id = of("id");
      const { name, status } = action === "expire" ? cards.expire(id) : cards.operate(id, asked({ action }));
      return { text: `${name} is ${status}.` };
    },
    "/cards/:id/delivery": ({ status: wanted }, of) => {
      const { status } = cards.moveDelivery(of("id"), asked({ status: wanted }));
      return { text: `The parcel is ${status}.` };
    },
    "/transactions/:id/clear": (_, of) => {
      const { amount, currency } = simulator.clear(of("id"));
      return { text: `${amount} ${currency} were taken.` };
    },
    "/transactions/:id/reverse": (_, of) => {
      const { amount, currency } = simulator.reverse(of("id"));
      return { text: `${amount} ${currency} were let go.` };
    },
    "/transactions/:id/refund": (_, of) => {
      const { amount, currency } = simulator.refund({ transaction_id: of("id") });
      return { text: `${amount} ${currency} were given back.` };
    },
  };
}
