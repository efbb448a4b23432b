import type { Card } from "../../contract/card.ts";
import type { CardHolder } from "../../store/cards.ts";

/** A card as the cardholder sees it, and its status. It is no card of a real bank or scheme. */
export function CardPicture({ card, names }: { card: Card; names: CardHolder | undefined }) {
  const { status, type, name, last_four, expiry_date } = card;
  const [year = "", month] = expiry_date.split("-");
  return (
    <div class={`plastic ${type} ${status}`}>
      <p class="issuer">
        <strong>{names?.company}</strong>
        <span class="state">{status}</span>
      </p>
      {type === "physical" && <Chip />}
      <p class="digits">
        <span aria-hidden="true">···· ···· ···· </span>
        <span class="unseen">Number ends in </span>
        {last_four}
      </p>
      <p class="person">
        <span>
          {names?.holder}
          <small>{name}</small>
        </span>
        <span>
          <small>valid until</small>
          {month}/{year.slice(2)}
        </span>
        <span class="kind">
          <CardMark />
          <small>{type}</small>
        </span>
      </p>
    </div>
  );
}

function Chip() {
  return (
    <svg class="chip" viewBox="0 0 40 30" aria-hidden="true">
      <rect width="40" height="30" rx="5" fill="#e2a93b" />
      <path d="M0 10h13v10H0M40 10H27v10h13M13 0v30M27 0v30" fill="none" stroke="#7a5510" />
    </svg>
  );
}

/** The sandbox's own mark: three grains of sand in a box. */
function CardMark() {
  return (
    <svg class="scheme" viewBox="0 0 28 20" aria-hidden="true">
      <rect x="1" y="1" width="26" height="18" rx="4" fill="none" stroke="currentColor" stroke-width="2" />
      <circle cx="9" cy="13" r="2" fill="currentColor" />
      <circle cx="14" cy="8" r="2" fill="currentColor" />
      <circle cx="19" cy="13" r="2" fill="currentColor" />
    </svg>
  );
}
