import type { DashboardServices } from "./page.ts";
import { cardActions } from "./pages/card.tsx";
import { companyActions } from "./pages/company.tsx";
import { scenarioActions } from "./pages/scenarios.tsx";
import { tapeActions } from "./pages/tape.tsx";
import { webhookActions } from "./pages/webhooks.tsx";
import { clockActions } from "./parts/clock.tsx";
import { resendActions } from "./resend.ts";
import type { FormAction } from "./submit.ts";

/** The actions of the forms by path. The methods that they call validate the input. */
export function actions(services: DashboardServices): Readonly<Record<string, FormAction>> {
  return {
    ...clockActions(services),
    ...worldActions(services),
    ...recordingActions(services),
    ...scenarioActions(services),
    ...dialectActions(services),
    ...companyActions(services),
    ...cardActions(services),
    ...tapeActions(services),
    ...webhookActions(services),
    ...resendActions(services),
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
