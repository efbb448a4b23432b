import type { CardStatus } from "../../contract/card.ts";
import type { CallerAction, OperatorAction } from "../../control/cards.ts";
import type { Transitions } from "../../rules/card-transitions.ts";
import { usePage } from "../page.ts";
import { pathTo } from "../paths.ts";
import { Action } from "./forms.tsx";

/** The place of each status: column and row of its centre. */
const places: Readonly<Record<CardStatus, readonly [column: number, row: number]>> = {
  inactive: [0, 1],
  active: [1, 0],
  frozen: [1, 2],
  suspended: [2, 0],
  locked: [2, 1],
  blocked: [2, 2],
  expired: [3, 0.5],
  terminated: [3, 1.5],
};
const statuses = Object.keys(places) as CardStatus[];

/** In units of the drawing; the style sheet gives the nodes the same share of it. */
const cell = { width: 100, height: 80 };
const halfNode = { width: 43, height: 16 };

interface PossibleChange {
  readonly action: OperatorAction | CallerAction | "expire";
  readonly by: "caller" | "operator";
  readonly leads_to: CardStatus;
}

const actionNames: Readonly<Record<PossibleChange["action"], string>> = {
  freeze: "Freeze",
  unfreeze: "Unfreeze",
  activate: "Activate",
  suspend: "Suspend",
  lock: "Lock",
  block: "Block",
  lift: "Lift hold",
  terminate: "Terminate",
  expire: "Expire",
};

/** The changes that are possible now, those of the cardholder or an owner first. */
export function possibleChanges(id: string): PossibleChange[] {
  const { cards } = usePage().services;
  return [
    ...cards.possibleAsCaller(id).map((each) => ({ ...each, by: "caller" as const })),
    ...cards.possible(id).map((each) => ({ ...each, by: "operator" as const })),
  ];
}

interface ChangeProps {
  readonly id: string;
  readonly change: PossibleChange;
}

/** A button that changes the card. */
export function ChangeButton({ id, change: { action, by } }: ChangeProps) {
  return (
    <Action to={pathTo(`/cards/${id}/${by}`)} with={{ action }}>
      {actionNames[action]}
    </Action>
  );
}

interface StatesProps {
  readonly id: string;
  readonly status: CardStatus;
  readonly transitions: Transitions;
  readonly possible: readonly PossibleChange[];
}

/** The statuses of a card and the changes between them. Those that are possible now are buttons. */
export function CardStates({ id, status, transitions, possible }: StatesProps) {
  const width = 4 * cell.width;
  const height = 3 * cell.height;
  return (
    <div class="states">
      <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path d="M0 0L8 4L0 8z" />
        </marker>
        {edgesOf(transitions).map(([from, to]) => (
          <Line from={from} to={to} />
        ))}
        {possible.map(({ leads_to }) => (
          <Line from={status} to={leads_to} isPossible />
        ))}
      </svg>
      {statuses.map((each) => {
        const change = possible.find(({ leads_to }) => leads_to === each);
        const kind = each === status ? " current" : change ? " possible" : "";
        return (
          <div class={`node ${each}${kind}`}>
            {change ? (
              <Action to={pathTo(`/cards/${id}/${change.by}`)} with={{ action: change.action }}>
                <span class="unseen">{actionNames[change.action]}: </span>
                {each}
              </Action>
            ) : (
              <span {...(each === status && { "aria-current": "true" })}>{each}</span>
            )}
          </div>
        );
      })}
    </div>
  );
}

/** Each pair of statuses that some change connects, once for both directions. */
function edgesOf(transitions: Transitions): (readonly [CardStatus, CardStatus])[] {
  const edges = new Map<string, readonly [CardStatus, CardStatus]>();
  for (const { to } of Object.values(transitions)) {
    for (const [from, next] of Object.entries(to) as [CardStatus, CardStatus | "previous"][]) {
      // A lifted hold leads back along the line of the hold.
      if (next !== "previous" && next !== from) edges.set([from, next].toSorted().join(), [from, next]);
    }
  }
  return [...edges.values()];
}

interface LineProps {
  readonly from: CardStatus;
  readonly to: CardStatus;
  readonly isPossible?: boolean;
}

/** A line from the centre of a node to the border of another. */
function Line({ from, to, isPossible }: LineProps) {
  const [x1, y1] = centreOf(from);
  const [x2, y2] = centreOf(to);
  const [dx, dy] = [x2 - x1, y2 - y1];
  const inside = Math.min(halfNode.width / Math.abs(dx), halfNode.height / Math.abs(dy));
  const end = isPossible ? 1 - inside : 1;
  const d = `M${x1} ${y1}L${(x1 + dx * end).toFixed(1)} ${(y1 + dy * end).toFixed(1)}`;
  return isPossible ? <path class="possible" d={d} marker-end="url(#tip)" /> : <path d={d} />;
}

function centreOf(status: CardStatus): [number, number] {
  const [column, row] = places[status];
  return [(column + 0.5) * cell.width, (row + 0.5) * cell.height];
}
