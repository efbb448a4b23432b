import QuickLRU from "quick-lru";
import { fieldsOf, type ObservedRequest } from "../request.ts";
import { latestEntry, type Rule } from "../rule.ts";

/** The PINs of one program. */
interface Habit {
  numbers: number;
  strings: number;
  /** At least one number had fewer than four digits: a leading zero was lost. */
  isShort: boolean;
  readonly requests: ObservedRequest[];
}

const minForHigh = 2;
const maxShown = 5;

export const pinAsNumber: Rule = {
  severity: "high",
  title: "PIN sent as a number",
  why: "A number has no leading zeros, so one PIN in ten changes: 0821 becomes 821. The service refuses a PIN that is not a string.",
  fix: "Store and send the PIN as a string of four digits.",
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
          if (habit.requests.length < maxShown) habit.requests.push(request);
        }
      },
      summarise(_moment, report) {
        for (const [, { numbers, strings, isShort, requests }] of habits.entries()) {
          // A test may send a number to get the 400; otherwise the program sends strings.
          if (numbers <= strings) continue;
          report({
            observed: `${numbers === 1 ? "1 PIN was" : `${numbers} PINs were`} sent as a JSON number and ${strings} as a string${isShort ? "; a leading zero was lost" : ""}`,
            requests,
            severity: numbers < minForHigh ? "info" : "high",
          });
        }
      },
    };
  },
};

function noPins(): Habit {
  return { numbers: 0, strings: 0, isShort: false, requests: [] };
}
