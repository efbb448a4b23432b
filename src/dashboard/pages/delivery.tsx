import type { DeliveryDetail, DeliveryListing } from "../../control/webhooks.ts";
import { type ReceivedMessage, receiverNameOf } from "../../webhooks/receiver.ts";
import type { Page, PageRequest } from "../page.ts";
import { offsetInWords } from "../parts/clock.tsx";
import { Facts, Head, Section, State, Status, Table, Time } from "../parts/elements.tsx";
import { Action } from "../parts/forms.tsx";
import { Message } from "../parts/message.tsx";
import { MessageOf } from "../parts/received.tsx";
import { pathTo } from "../paths.ts";

/**
 * One delivery: why it was delivered or not, its attempts, and the message.
 * @throws ControlError 404
 */
export async function delivery({ services }: PageRequest, id: string): Promise<Page> {
  const detail = await services.webhooks.delivery(id);
  const { event, status, webhook, body: payload, headers } = detail;
  const received = services.webhooks.received().filter((each) => each.delivery_id === id);
  const body = (
    <>
      <div id="head" data-part>
        <Head title={event} trail={["Webhooks", pathTo("/webhooks")]} badge={<State of={status} />} mono>
          {webhook.status === "active" && (
            <Action to={pathTo(`/webhooks/${id}/resend`)}>
              {status === "pending" ? "Send now" : "Resend"}
            </Action>
          )}
        </Head>
      </div>
      <Section id="why" title={titles[status]} isLive>
        <p class="lead">{whyOf(detail, services.time.read().frozen)}</p>
        <Next of={detail} />
      </Section>
      <Attempts of={detail} />
      <div class="split">
        <div>
          <Section id="facts" title="Details">
            <FactsOf detail={detail} />
          </Section>
          <Section id="signature" title="Received messages" isLive>
            <Received messages={received} url={webhook.url} />
          </Section>
        </div>
        <div>
          <Section id="payload" title="Payload">
            <Message of={{ headers, body: payload }} label="the payload" />
            <p class="remark">These headers sign an attempt that is made now.</p>
          </Section>
        </div>
      </div>
    </>
  );
  return { title: event, body, live: true };
}

const titles = {
  failed: "Why it was not delivered",
  pending: "Why it is not delivered yet",
  delivered: "Outcome",
};

/** Why a delivery has its status, in one or two sentences. */
export function whyOf(delivery: DeliveryListing, isFrozen: boolean): string {
  const { status, attempts, next_attempt_at, webhook, most_attempts, now_ms } = delivery;
  const last = attempts.at(-1);
  const because = last?.error ? sentence(last.error) : "";
  if (status === "delivered")
    return `The receiver returned ${last?.response_status} to attempt ${attempts.length}.`;
  if (status === "failed") return `${because} ${whyNoMore(delivery)}`;
  if (webhook.status !== "active") return `${because} The webhook is disabled: enable it to go on.`.trim();
  const inMs = Date.parse(next_attempt_at ?? "") - now_ms;
  if (inMs <= 0)
    return `${because} ${last ? "The next attempt is due now." : "The first attempt is due now."}`.trim();
  const when = offsetInWords(inMs).replace(/ ahead$/, "");
  const clock = isFrozen ? "after the frozen clock advances by" : "in";
  const which = `Attempt ${attempts.length + 1}${attempts.length < most_attempts ? ` of ${most_attempts}` : ""}`;
  return `${because} ${which} follows ${clock} ${when}.`.trim();
}

function whyNoMore({ attempts, webhook, most_attempts }: DeliveryListing): string {
  const last = attempts.at(-1);
  if (last?.error?.startsWith("not sent")) return "No attempt follows.";
  if (last?.response_status === 410) {
    return `The receiver is gone, so no attempt follows${webhook.status === "disabled" ? ", and the webhook is disabled" : ""}.`;
  }
  return attempts.length >= most_attempts
    ? `It was the last of ${most_attempts} attempts, so none follows.`
    : "No attempt follows.";
}

const sentence = (text: string) => `${text[0]?.toUpperCase()}${text.slice(1)}.`.replace(/\.\.$/, ".");

/** The button that makes the next attempt due. */
function Next({ of: { next_attempt_at, now_ms, webhook } }: { of: DeliveryDetail }) {
  const { status, company, id } = webhook;
  if (next_attempt_at === null) return null;
  if (status !== "active") {
    return (
      <Action to={pathTo(`/webhooks/${id}/status`)} with={{ status: "active" }} tone="primary">
        Enable the webhook
      </Action>
    );
  }
  const seconds = Math.ceil((Date.parse(next_attempt_at) - now_ms) / 1000);
  if (seconds <= 0) return null;
  return (
    <Action to={pathTo("/clock/advance")} with={{ company: company.id, by: `PT${seconds}S` }} tone="primary">
      Advance the clock to the next attempt
    </Action>
  );
}

function Attempts({ of: { attempts, next_attempt_at } }: { of: DeliveryDetail }) {
  return (
    <Section id="attempts" title="Attempts" isLive>
      <Table
        caption="Attempts, in order"
        captionUnseen
        columns={[{ name: "Attempt", class: "number" }, "Time (UTC, company's clock)", "Response", "Outcome"]}
      >
        {attempts.map(({ at, response_status, error }, index) => (
          <tr>
            <td class="number">{index + 1}</td>
            <td>
              <Time at={at} />
            </td>
            <td>{response_status === null ? "none" : <Status of={response_status} />}</td>
            <td>{error ?? "delivered"}</td>
          </tr>
        ))}
        {next_attempt_at !== null && (
          <tr>
            <td class="number">{attempts.length + 1}</td>
            <td>
              <Time at={next_attempt_at} />
            </td>
            <td>none yet</td>
            <td>planned</td>
          </tr>
        )}
      </Table>
    </Section>
  );
}

function FactsOf({ detail }: { detail: DeliveryDetail }) {
  const { id, created_at, webhook, payload } = detail;
  const data = payload.data as { readonly id?: string; readonly card_id?: string | null };
  const about = payload.type === "webhook.test" ? undefined : (data.card_id ?? data.id);
  return (
    <Facts
      of={[
        ["Endpoint", <a href={pathTo("/webhooks", { webhook: webhook.id })}>{webhook.url}</a>],
        ["Company", <a href={pathTo(`/companies/${webhook.company.id}`)}>{webhook.company.name}</a>],
        ["Created (UTC)", <Time at={created_at} />],
        ["Message id", <code>{id}</code>],
        about !== undefined && [
          "Cause",
          <a href={pathTo("/requests", { q: `"${about}"` })}>Requests about {about}</a>,
        ],
      ]}
    />
  );
}

function Received({ messages, url }: { messages: readonly ReceivedMessage[]; url: string }) {
  if (messages.length > 0) {
    return (
      <ul class="plain-list">
        {messages.map((each) => (
          <li>
            <MessageOf message={each} />
          </li>
        ))}
      </ul>
    );
  }
  return (
    <p class="remark">
      {receiverNameOf(url) === undefined
        ? "The receiver is not part of the sandbox, so only it knows whether it found the signature valid. Compare it with the headers and the secret of the endpoint."
        : "Nothing yet."}
    </p>
  );
}
