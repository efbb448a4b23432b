import { Recent } from "../recent.ts";
import type { Rule } from "../rule.ts";
import type { Seen } from "../seen.ts";
import { programOf } from "../senders.ts";
import { fieldsOf } from "../sent-body.ts";

interface Habit {
  numbers: number;
  strings: number;
  /** Some number had fewer than four digits: a leading zero was lost. */
  isShort: boolean;
  readonly requests: Seen[];
}

const fewest = 2;
const shown = 5;

/** PINs are kept as numbers, which lose their leading zeros. */
export const val2: Rule = {
  severity: "high",
  title: "PIN sent as a number",
  why: "A number has no leading zeros: one PIN in ten, such as 0821, becomes another, and a PIN that is no string is refused.",
  mend: "Keep and send the PIN as a string of four digits.",
  spec: "§4",
  watch() {
    const habits = new Recent<string, Habit>(1000);
    return {
      see(request) {
        const { operation } = request.exchange;
        if (operation !== "orderPhysicalCard" && operation !== "replaceCard") return;
        const pin = fieldsOf(request.json)?.pin;
        const isNumber = typeof pin === "number" && Number.isInteger(pin) && pin >= 0 && pin <= 9999;
        if (!isNumber && !(typeof pin === "string" && /^[0-9]{4}$/.test(pin))) return;
        const program = programOf(request);
        const habit = habits.get(program) ?? { numbers: 0, strings: 0, isShort: false, requests: [] };
        habits.set(program, habit);
        if (!isNumber) habit.strings++;
        else if (!request.muted) {
          habit.numbers++;
          habit.isShort ||= pin < 1000;
          if (habit.requests.length < shown) habit.requests.push(request);
        }
      },
      standing(_moment, found) {
        for (const { numbers, strings, isShort, requests } of habits.values()) {
          // A suite tries a number to see the 400, and sends strings otherwise.
          if (numbers <= strings) continue;
          found({
            seen: `A PIN was sent as a JSON number ${numbers} times, and as a string ${strings === 0 ? "never" : strings === 1 ? "once" : `${strings} times`}${isShort ? "; a leading zero was lost" : ""}`,
            requests,
            severity: numbers < fewest ? "info" : "high",
          });
        }
      },
    };
  },
};
