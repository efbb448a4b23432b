import type { DashboardServices } from "./page.ts";
import { cardActions } from "./pages/card.tsx";
import { resendActions } from "./pages/resend.tsx";
import { scenarioActions } from "./pages/scenarios.tsx";
import { tapeActions } from "./pages/tape.tsx";
import { webhookActions } from "./pages/webhooks.tsx";
import { pathTo } from "./paths.ts";
import { type FormAction, inputOf, integer, required, yesOrNo } from "./submit.ts";

/** The actions of the forms by path. The methods that they call validate the input. */
export function actions(services: DashboardServices): Readonly<Record<string, FormAction>> {
  return {
    ...clockActions(services),
    ...worldActions(services),
    ...recordingActions(services),
    ...scenarioActions(services),
    ...dialectActions(services),
    ...companyActions(services),
    ...memberAndAccountActions(services),
    ...keyActions(services),
    ...cardActions(services),
    ...tapeActions(services),
    ...webhookActions(services),
    ...resendActions(services),
  };
}

function clockActions({ time }: DashboardServices): Record<string, FormAction> {
  return {
    "/clock/advance": async ({ by = "", company }) => {
      const { now } = await time.advance({ by, company });
      return { text: `${company ? "The clock of this company" : "The clock"} is now at ${now}.` };
    },
    "/clock": ({ frozen }) => {
      const { now } = time.change({ frozen: frozen === "true" });
      return {
        text: frozen === "true" ? `The clock is frozen at ${now}.` : `The clock runs again from ${now}.`,
      };
    },
  };
}

function worldActions({ state, requests }: DashboardServices): Record<string, FormAction> {
  return {
    "/reset": () => {
      state.reset();
      return { text: "The sandbox is reset." };
    },
    "/snapshots": ({ name = "" }) => {
      state.snapshot({ name });
      return { text: `Snapshot ${name} is saved.` };
    },
    "/snapshots/restore": ({ name = "" }) => {
      state.restore(name);
      return { text: `Snapshot ${name} is restored.` };
    },
    "/snapshots/delete": ({ name = "" }) => {
      state.deleteSnapshot(name);
      return { text: `Snapshot ${name} is deleted.` };
    },
    "/requests/delete": () => {
      requests.clear();
      return { text: "The recorded requests, their coverage and their findings are deleted." };
    },
  };
}

function recordingActions({ tape }: DashboardServices): Record<string, FormAction> {
  return {
    "/recording": () => {
      tape.begin();
      return { text: "The sandbox records a tape in memory." };
    },
    "/recording/end": () => {
      const { file } = tape.read();
      tape.end();
      return {
        text:
          file === null ? "The recording has ended. The tape is deleted." : `The tape is complete: ${file}.`,
      };
    },
  };
}

function dialectActions({ dialect }: DashboardServices): Record<string, FormAction> {
  return {
    "/assumptions/restore": ({ company }) => {
      dialect.remove(company);
      return { text: company ? "The company follows the sandbox." : "The dialect of the start is restored." };
    },
    "/assumptions/:behavior": ({ use = "", company }, param) => {
      const { title, alternatives } = dialect.select(param("behavior"), use, company);
      const selected = alternatives.find((each) => each.id === use)?.title ?? use;
      return { text: `${title}: ${selected}.` };
    },
  };
}

function companyActions({ companies, state }: DashboardServices): Record<string, FormAction> {
  return {
    "/companies": async (fields) => {
      const { name, environment } = fields;
      const created = await companies.create(
        inputOf({ name, environment, card_quota: integer(fields, "card_quota") }),
      );
      const secrets = created.members.flatMap(({ name, role, api_keys }) =>
        api_keys.flatMap(({ secret }) => (secret ? [{ label: `${name}, ${role}`, secret }] : [])),
      );
      return { text: `${created.name} is created.`, secrets, to: pathTo(`/companies/${created.id}`) };
    },
    "/companies/:id/change": (fields, param) => {
      const { name } = companies.change(
        param("id"),
        inputOf({
          status: fields.status,
          card_quota: integer(fields, "card_quota"),
          details_complete: yesOrNo(fields, "details_complete"),
        }),
      );
      return { text: `${name} is updated.` };
    },
    "/companies/:id/reset": (_, param) => {
      state.resetCompany(param("id"));
      return { text: "The company is reset." };
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
      return { text: `${name} is updated: ${role}, ${status}.` };
    },
    "/companies/:id/accounts/:account": (fields, param) => {
      const { slug, status } = companies.changeAccount(
        param("account"),
        inputOf({ status: fields.status, company: param("id") }),
      );
      return { text: `Account ${slug} is now ${status}.` };
    },
    "/companies/:id/accounts/:account/top-up": (fields, param) => {
      const { amount, currency } = simulator.topUp({
        account_id: param("account"),
        amount: required(fields, "amount"),
      });
      return { text: `The account is topped up with ${amount} ${currency}.` };
    },
  };
}

/** A note about the access tokens of a key that is revoked. */
export const tokensStayValid = "Access tokens that were already issued stay valid until they expire.";

function keyActions({ apiKeys }: DashboardServices): Record<string, FormAction> {
  return {
    "/api-keys": (fields) => {
      // The same member may belong to several companies.
      const [company, member = ""] = required(fields, "member").split("/");
      const { environment, label } = fields;
      const { prefix, secret } = apiKeys.create(inputOf({ member, company, environment, label }));
      return { text: "The API key is created.", secrets: [{ label: label ?? `${prefix}…`, secret }] };
    },
    "/api-keys/:id/revoke": (_, param) => {
      const { prefix } = apiKeys.revoke(param("id"));
      const effect = `API key ${prefix}… is revoked and no longer counts towards the limit of active keys.`;
      return { text: `${effect} ${tokensStayValid}` };
    },
  };
}
