import {
  type DeliveryListing,
  eventTypes,
  type LatestDeliveries,
  type WebhookListing,
} from "../../control/webhooks.ts";
import type { CompanyListing } from "../../store/world-listing.ts";
import { type ReceivedMessage, receiverNameOf, receiverPath } from "../../webhooks/receiver.ts";
import { type DashboardServices, type Page, type PageRequest, usePage, useRefusedInput } from "../page.ts";
import { CompanyFilter, chosenCompany, nameOf } from "../parts/companies.tsx";
import { Empty, Head, Secret, Section, State, Table, Tabs, Time } from "../parts/elements.tsx";
import { Action, Choice, Field, Form, plainOptions } from "../parts/forms.tsx";
import { MessageOf } from "../parts/received.tsx";
import { pathTo } from "../paths.ts";
import { type FormAction, inputOf, required } from "../submit.ts";
import { whyOf } from "./delivery.tsx";

const shown = { webhooks: 50, deliveries: 100, messages: 50 };

/** The actions of the forms of both pages. */
export function webhookActions({ webhooks }: DashboardServices): Record<string, FormAction> {
  return {
    "/webhooks": (fields) => {
      const { company = "", event } = fields;
      const { url } = webhooks.create(
        inputOf({ company, url: required(fields, "url"), events: event && [event] }),
      );
      return { text: `Events are sent to ${url}. To see one, send a test event.` };
    },
    "/webhooks/:id/status": ({ status }, param) => {
      const { url } = webhooks.change(param("id"), inputOf({ status }));
      return { text: `The webhook ${url} is now ${status}.` };
    },
    "/webhooks/:id/test": async (_, param) => {
      const { id } = webhooks.test(param("id"));
      // The built-in receiver is quick; another one may not respond for seconds.
      const { url } = (await webhooks.delivery(id)).webhook;
      if (receiverNameOf(url) !== undefined) await webhooks.settled();
      return { text: "A test event is on its way.", to: pathTo(`/webhooks/${id}`) };
    },
    "/webhooks/:id/delete": (_, param) => {
      webhooks.delete(param("id"));
      return { text: "The webhook and its deliveries are deleted.", to: pathTo("/webhooks") };
    },
    "/webhooks/:id/resend": (_, param) => {
      const { event } = webhooks.resend(param("id"));
      return { text: `The event ${event} is sent again, with the same id.` };
    },
  };
}

const statuses = ["failed", "pending", "delivered"] as const;

/** The webhooks, their latest deliveries, and the messages of the built-in receiver. */
export function webhooks(page: PageRequest): Page {
  const { services, query } = page;
  const company = chosenCompany(page);
  const listed =
    query.webhook === undefined
      ? services.webhooks.list(company?.id, shown.webhooks)
      : [services.webhooks.show(query.webhook)];
  const status = statuses.find((each) => each === query.status);
  const latest = services.webhooks.latest({
    company: company?.id,
    webhook: query.webhook,
    status,
    limit: shown.deliveries,
  });
  const receivers = new Set(listed.map(({ url }) => receiverNameOf(url)));
  const isAll = company === undefined && query.webhook === undefined;
  const messages = services.webhooks.received().filter(({ receiver }) => isAll || receivers.has(receiver));
  const body = (
    <>
      <Head
        title="Webhooks"
        {...(query.webhook !== undefined && { trail: ["All webhooks", pathTo("/webhooks")] as const })}
      />
      <CompanyFilter />
      <Endpoints listed={listed} company={company ?? services.companies.world({ limit: 1 }).companies[0]} />
      <Deliveries latest={latest} hasWebhook={listed.length > 0} />
      <Received messages={messages} />
    </>
  );
  return { title: "Webhooks", body, live: true };
}

function Endpoints({
  listed,
  company,
}: {
  listed: readonly WebhookListing[];
  company?: CompanyListing | undefined;
}) {
  return (
    <>
      <Section id="endpoints" title="Endpoints" isLive>
        {listed.length === 0 ? (
          <Empty title="No webhook yet.">
            <p>
              Add a receiver below: it is part of this sandbox, so you need no server and no tunnel. Then
              order a card, or send a test event.
            </p>
          </Empty>
        ) : (
          <>
            <Table
              caption="Endpoints"
              captionUnseen
              columns={["Endpoint", { name: "Events", class: "wide" }, "Status"]}
            >
              {listed.map((webhook) => (
                <Endpoint webhook={webhook} />
              ))}
            </Table>
            <p class="remark">
              Secrets are shown to everyone who may use the control API, so that you can check signatures.
            </p>
          </>
        )}
      </Section>
      {company && <Create company={company} />}
    </>
  );
}

function Endpoint({ webhook }: { webhook: WebhookListing }) {
  const { id, url, events, status, company, pending } = webhook;
  const isActive = status === "active";
  const receiver = receiverNameOf(url);
  return (
    <tr>
      <th scope="row">
        <a href={pathTo("/webhooks", { webhook: id })}>
          <span class="path">{url}</span>
        </a>
        <p class="remark">
          {company.name}
          {receiver !== undefined && " · built-in receiver"}
        </p>
        <details>
          <summary>Secret</summary>
          <Secret text={usePage().services.webhooks.secretOf(id)} label={`the secret of ${url}`} />
        </details>
      </th>
      <td class="wide">
        {events.length >= eventTypes.length - 1 ? "all events" : events.map((each) => <div>{each}</div>)}
      </td>
      <td>
        <State of={status} />
        {pending > 0 && <span class="remark"> {pending} pending</span>}
        <div class="actions">
          {isActive && (
            <Action to={pathTo(`/webhooks/${id}/test`)} of={`to ${url}`}>
              Send test event
            </Action>
          )}
          <Action
            to={pathTo(`/webhooks/${id}/status`)}
            with={{ status: isActive ? "disabled" : "active" }}
            of={url}
          >
            {isActive ? "Disable" : "Enable"}
          </Action>
          <Action to={pathTo(`/webhooks/${id}/delete`)} of={url} tone="danger">
            Delete
          </Action>
        </div>
      </td>
    </tr>
  );
}

function Create({ company }: { company: CompanyListing }) {
  const { origin } = usePage();
  const form = pathTo("/webhooks");
  const refused = useRefusedInput(form);
  const path = `${receiverPath}${nameOf(company).replace("/", "-")}`;
  // Only loopback hosts lead to the receiver; the port does not matter.
  const receiver = (receiverNameOf(origin + path) === undefined ? "http://localhost" : origin) + path;
  return (
    <Section id="create" title={`Add a webhook for ${company.name}`} panel>
      <div class="actions">
        <Action to={form} with={{ company: company.id, url: receiver }} tone="primary">
          Add a receiver
        </Action>
        <Action to={form} with={{ company: company.id, url: `${receiver}?status=503` }}>
          Add a receiver that returns 503
        </Action>
      </div>
      <details {...(refused.url !== undefined && { open: true })}>
        <summary>Send to a URL of your own</summary>
        <Form to={form} with={{ company: company.id }}>
          <Field
            label="URL"
            name="url"
            value={refused.url}
            placeholder="http://localhost:3000/webhooks"
            hint="https, or http with a loopback host"
            required
          />
          <Choice
            label="Events"
            name="event"
            chosen={refused.event}
            options={[{ value: "", label: "All events" }, ...plainOptions(eventTypes)]}
          />
          <button type="submit">Add webhook</button>
        </Form>
      </details>
    </Section>
  );
}

function Deliveries({ latest, hasWebhook }: { latest: LatestDeliveries; hasWebhook: boolean }) {
  const { query } = usePage();
  const { deliveries, counts } = latest;
  const count = (status: (typeof statuses)[number]) => counts[status] ?? 0;
  const all = count("failed") + count("pending") + count("delivered");
  return (
    <Section id="deliveries" title="Deliveries" isLive>
      <Tabs
        label="Status"
        name="status"
        current={query.status ?? ""}
        at="deliveries"
        options={[
          { value: "", label: `All ${all}` },
          ...statuses.map((each) => ({ value: each, label: `${count(each)} ${each}` })),
        ]}
      />
      {deliveries.length === 0 ? (
        <Empty title={query.status ? `No delivery is ${query.status}.` : "No event was sent yet."}>
          <p>{hasWebhook ? "Send a test event, or order a card." : "Add a webhook first."}</p>
        </Empty>
      ) : (
        <Table
          caption="Deliveries, newest first"
          captionUnseen
          columns={[
            "Event",
            "Status",
            "Why",
            { name: "Endpoint", class: "wide" },
            { name: "Attempts", class: "wide number" },
          ]}
        >
          {deliveries.map((each) => (
            <Row delivery={each} />
          ))}
        </Table>
      )}
    </Section>
  );
}

function Row({ delivery }: { delivery: DeliveryListing }) {
  const { id, event, status, created_at, attempts, webhook } = delivery;
  return (
    <tr>
      <th scope="row">
        <a href={pathTo(`/webhooks/${id}`)} class="row-link">
          {event}
        </a>
        <p class="remark">
          <Time at={created_at} />
        </p>
      </th>
      <td>
        <State of={status} />
      </td>
      <td class="remark">{whyOf(delivery, usePage().services.time.read().frozen)}</td>
      <td class="wide">
        {webhook.url}
        <p class="remark">{webhook.company.name}</p>
      </td>
      <td class="wide number">{attempts.length}</td>
    </tr>
  );
}

function Received({ messages }: { messages: readonly ReceivedMessage[] }) {
  return (
    <Section id="received" title="Messages of the built-in receiver">
      <ul class="plain-list" id="messages" data-part data-keyed>
        {messages.slice(0, shown.messages).map((each) => (
          <li id={`message-${each.id}`}>
            <MessageOf message={each} />
          </li>
        ))}
        {messages.length === 0 && (
          <li id="no-message" class="remark">
            None yet. Each message appears here with its headers and whether its signature is valid.
          </li>
        )}
      </ul>
    </Section>
  );
}
