import type { Control, Sandbox, SandboxPorts, Serve } from "./api.ts";
import type { Parts } from "./base-url.ts";
import { CardExpiry } from "./cards/expire.ts";
import { parse } from "./control/input.ts";
import { isolatedCompany } from "./control/isolated-company.ts";
import { coverageFilter, findingsFilter, reportFilter } from "./control/reports.ts";
import { type ControlServices, openControl } from "./control/services.ts";
import { asClientSees } from "./http/in-process.ts";
import { malformedRequest } from "./http/response.ts";
import { controlDefect, noMessages } from "./journal/exchange.ts";
import { openRecords } from "./journal/records.ts";
import { Scenarios } from "./scenarios/arming.ts";
import type { Outgoing } from "./store/webhook-deliveries.ts";
import type { AttemptOutcome } from "./webhooks/attempt.ts";
import { Deliverer } from "./webhooks/deliverer.ts";
import { Receiver } from "./webhooks/receiver.ts";
import { type OpenWorld, openWorld } from "./world/open-world.ts";

type OnDefect = ControlServices["onDefect"];

/**
 * Wires a sandbox from its ports.
 * @throws SetupError if the database was created with other options, or the scenario does not exist
 */
export function wireSandbox(ports: SandboxPorts): Sandbox {
  const world = openWorld(ports);
  const { services, clock } = world;
  const scenarios = new Scenarios(services, ports.scenarios, ports.scenario);
  services.database.transaction(() => scenarios.armFromStart());
  const onDefect: OnDefect = (defect, method, path) =>
    ports.observe?.(controlDefect(defect, method, path, clock.now()), noMessages);
  const records = openRecords({
    services,
    clock,
    entries: ports.journal,
    bytes: ports.journalBytes,
    after: ports.journalAfter,
    armingsOf: (companyPk) => scenarios.armingsOf(companyPk),
    onDefect: (defect, at) => onDefect(defect, at?.method ?? "GET", at?.path ?? "/_sandbox/findings"),
  });
  const webhookHosts = (ports.allowWebhookHosts ?? []).map((host) => host.toLowerCase());
  const observer = ports.observer?.({ journal: records.journal, services, scenarios });
  const delivery = wireDelivery({ ports, webhookHosts, records, observer }, world, onDefect);
  const control = openControl({ ports, world, scenarios, records, delivery, webhookHosts, onDefect });
  ports.tap?.control(control, { ports, services, journal: records.journal });
  const base = { ports, services, scenarios, records, control, observer, webhookHosts };
  const { serve, batch } = serveOnceLoaded(base);
  let whole: Serve | undefined;
  return {
    fetch: (input, init) => {
      const request = input instanceof Request && init === undefined ? input : new Request(input, init);
      whole ??= serve({ environments: ["sandbox", "live"], control: { kind: "open" } });
      return asClientSees(request, whole, clock);
    },
    serve,
    batch,
    malformed: (point, message) =>
      malformedRequest({ clock, sandboxHeaders: ports.sandboxHeaders ?? true }, point, message),
    secrets: world.secrets,
    control: publicControl(control),
    clock: control.time,
    requests: control.requests,
    webhooks: control.webhooks,
    world: (query) => control.companies.world(query),
    reset: (company) => (company === undefined ? control.state.reset() : control.state.resetCompany(company)),
    snapshot: (name) => void control.state.snapshot({ name }),
    restore: (name) => control.state.restore(name),
    scenario: (name, options) => control.scenarios.handle(name, options),
    isolatedCompany: (company) => isolatedCompany(control, company),
    coverage: (filter = {}) => records.coverage.report(parse(coverageFilter, filter)),
    findings: (filter = {}) => records.findings.report(parse(findingsFilter, filter)),
    report: (filter = {}) => control.report(parse(reportFilter, filter)),
    drain: () => {
      control.scenarios.drain();
      records.journal.end();
    },
    abandon: () => {
      // The reports of a closed sandbox need it, and cannot read the database.
      services.dialects.refresh();
      scenarios.waiting.abortAll();
      delivery.close();
      records.journal.end();
    },
  };
}

type BaseUrls = Pick<Sandbox, "serve" | "batch">;

/**
 * The HTTP side of a sandbox. Its code is loaded with the first request, because `createSandbox()` does not need it.
 * Requests before that wait for it, in their order.
 */
function serveOnceLoaded(parts: Parts): BaseUrls {
  let opened: BaseUrls | undefined;
  let opening: Promise<BaseUrls> | undefined;
  const open = async () => {
    const { openBaseUrls } = await import("./base-url.ts");
    opened = openBaseUrls(parts);
    return opened;
  };
  return {
    serve: (options) => {
      let serve: Serve | undefined;
      return (request, arrived) => {
        serve ??= opened?.serve(options);
        if (serve) return serve(request, arrived);
        opening ??= open();
        return opening.then((baseUrls) => {
          serve ??= baseUrls.serve(options);
          return serve(request, arrived);
        });
      };
    },
    batch: (work) => (opened ? opened.batch(work) : work()),
  };
}

/** Records expiries and delivers the events of webhooks in the background. */
function wireDelivery(
  { ports, webhookHosts, records, observer }: Pick<Parts, "ports" | "webhookHosts" | "records" | "observer">,
  { services, clock }: OpenWorld,
  onDefect: OnDefect,
) {
  const onAttempt = (outgoing: Outgoing, outcome: AttemptOutcome) => {
    records.observeDelivery(outgoing, outcome);
    observer?.delivered(outgoing, outcome);
  };
  const onDeliveryDefect = (defect: Error) => onDefect(defect, "GET", "/_sandbox/webhooks/deliveries");
  const receiver = new Receiver(clock);
  services.generations.onEnd((companyPk) => receiver.clear(companyPk));
  // The global is read at each call, because a test may replace it.
  const external = ports.deliver ?? ((url: string, init: RequestInit) => fetch(url, init));
  const send = receiver.inFrontOf(external, () => ports.clock.now());
  const deliverer = new Deliverer(
    services,
    clock,
    {
      send: ports.tap?.sending?.(send) ?? send,
      clock: ports.clock,
      allowedHosts: webhookHosts,
      userAgent: `card-sandbox/${ports.version}`,
    },
    { onAttempt, onDefect: onDeliveryDefect },
  );
  const expiry = new CardExpiry(services, clock, onDeliveryDefect);
  return {
    receiver,
    /** Call it after the clock has changed. */
    clockMoved: () => {
      expiry.run();
      services.outbox.deliveriesChanged();
    },
    settled: () => expiry.settled().then(() => deliverer.settled()),
    inProgress: () => deliverer.inProgress,
    close: () => {
      deliverer.close();
      expiry.close();
    },
  };
}

function publicControl(control: ControlServices): Control {
  const { companies, cards, apiKeys, simulator, invoices, scenarios, state, dialect, tape } = control;
  return { companies, cards, apiKeys, simulator, invoices, scenarios, state, dialect, tape };
}
