import QuickLRU from "quick-lru";
import { fieldsOf, type ObservedRequest } from "../request.ts";
import { latestEntry, type Rule } from "../rule.ts";

/** The PINs of one program. */
interface Habit {
  numbers: number;
  strings: number;
  /** Some number had fewer than four digits: a leading zero was lost. */
  isShort: boolean;
  readonly requests: ObservedRequest[];
}

const fewest = 2;
const shown = 5;

export const pinAsNumber: Rule = {
  severity: "high",
  title: "PIN sent as a number",
  why: "A number has no leading zeros: one PIN in ten, such as 0821, becomes another, and a PIN that is no string is refused.",
  mend: "Keep and send the PIN as a string of four digits.",
  spec: "§4",
  operations: ["orderPhysicalCard", "replaceCard"],
  watch() {
    const habits = new QuickLRU<string, Habit>({ maxSize: 500 });
    return {
      onRequest(request) {
        const pin = fieldsOf(request.json)?.pin;
        const isNumber = typeof pin === "number" && Number.isInteger(pin) && pin >= 0 && pin <= 9999;
        if (!isNumber && !(typeof pin === "string" && /^[0-9]{4}$/.test(pin))) return;
        const habit = latestEntry(habits, request.program, noPins);
        if (!isNumber) habit.strings++;
        else if (!request.muted) {
          habit.numbers++;
          habit.isShort ||= pin < 1000;
          if (habit.requests.length < shown) habit.requests.push(request);
        }
      },
      summarise(_moment, report) {
        for (const [, { numbers, strings, isShort, requests }] of habits.entries()) {
          // A test may send a number to see the 400; the program sends strings otherwise.
          if (numbers <= strings) continue;
          report({
            seen: `A PIN was sent as a JSON number ${numbers} times, and as a string ${strings === 0 ? "never" : strings === 1 ? "once" : `${strings} times`}${isShort ? "; a leading zero was lost" : ""}`,
            requests,
            severity: numbers < fewest ? "info" : "high",
          });
        }
      },
    };
  },
};

function noPins(): Habit {
  return { numbers: 0, strings: 0, isShort: false, requests: [] };
}
