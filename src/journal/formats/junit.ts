import { escapeMarkup } from "./escape.ts";

/** A test case; it passed if it has neither `failure` nor `skipped`. */
export interface JunitCase {
  readonly name: string;
  readonly classname: string;
  readonly failure?: string;
  /** More about the case, in several lines; may be empty. That of a passed case is its output. */
  readonly details?: string;
  /** The reason; may be empty. */
  readonly skipped?: string;
}

export interface JunitSuite {
  readonly name: string;
  readonly cases: readonly JunitCase[];
}

/**
 * Formats test suites as JUnit XML.
 * @param note - a sentence about the whole report, as a skipped case; empty: none
 */
export function junit(suites: readonly JunitSuite[], note = ""): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
${[...suites, ...noted(note)].map(suiteXml).join("\n")}
</testsuites>
`;
}

function noted(note: string): JunitSuite[] {
  if (note === "") return [];
  return [{ name: "report", cases: [{ name: "size", classname: "report", skipped: note }] }];
}

function suiteXml({ name, cases }: JunitSuite): string {
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  const skipped = cases.filter(({ skipped }) => skipped !== undefined).length;
  return `  <testsuite name="${escapeMarkup(name)}" tests="${cases.length}" failures="${failures}" skipped="${skipped}">
${cases.map((each) => `    ${caseXml(each)}`).join("\n")}
  </testsuite>`;
}

export function caseXml({ name, classname, failure, details, skipped }: JunitCase): string {
  const start = `<testcase name="${escapeMarkup(name)}" classname="card-sandbox.${escapeMarkup(classname)}"`;
  if (failure !== undefined) return `${start}>${outcome("failure", failure, details)}</testcase>`;
  if (skipped !== undefined) return `${start}>${outcome("skipped", skipped, details)}</testcase>`;
  return details ? `${start}><system-out>${escapeMarkup(details)}</system-out></testcase>` : `${start}/>`;
}

function outcome(element: "failure" | "skipped", message: string, details = ""): string {
  const start = message === "" ? `<${element}` : `<${element} message="${escapeMarkup(message)}"`;
  return details === "" ? `${start}/>` : `${start}>${escapeMarkup(details)}</${element}>`;
}
