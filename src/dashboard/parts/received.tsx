import type { ReceivedMessage } from "../../webhooks/receiver.ts";
import { pathTo } from "../paths.ts";
import { Badge, Time } from "./elements.tsx";
import { Message } from "./message.tsx";

/** A message that the built-in receiver got. */
export function MessageOf({ message }: { message: ReceivedMessage }) {
  const { id, receiver, received_at, delivery_id, headers, body, status, signature, problem } = message;
  return (
    <details>
      <summary>
        <Time at={received_at} /> {receiver} <SignatureBadge of={signature} /> returned {status}
      </summary>
      {problem && <p>{problem}</p>}
      <p>
        <a href={pathTo(`/webhooks/${delivery_id}`)}>Delivery {delivery_id}</a>
      </p>
      <Message of={{ headers, body }} label={`message ${id}`} />
    </details>
  );
}

function SignatureBadge({ of }: { of: ReceivedMessage["signature"] }) {
  return <Badge tone={of === "valid" ? "good" : "bad"}>{`${of} signature`}</Badge>;
}
