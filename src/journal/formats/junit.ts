import { escapeMarkup } from "./escape.ts";

/** A test case; it passed if it has neither `failure` nor `skipped`. */
export interface JunitCase {
  readonly name: string;
  readonly classname: string;
  readonly failure?: string;
  /** More about the failure, in several lines. */
  readonly details?: string;
  /** The reason; may be empty. */
  readonly skipped?: string;
}

export interface JunitSuite {
  readonly name: string;
  readonly cases: readonly JunitCase[];
}

/** Formats test suites as JUnit XML. */
export function junit(suites: readonly JunitSuite[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
${suites.map(suiteXml).join("\n")}
</testsuites>
`;
}

function suiteXml({ name, cases }: JunitSuite): string {
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  const skipped = cases.filter(({ skipped }) => skipped !== undefined).length;
  return `  <testsuite name="${escapeMarkup(name)}" tests="${cases.length}" failures="${failures}" skipped="${skipped}">
${cases.map((each) => `    ${caseXml(each)}`).join("\n")}
  </testsuite>`;
}

function caseXml({ name, classname, failure, details, skipped }: JunitCase): string {
  const start = `<testcase name="${escapeMarkup(name)}" classname="card-sandbox.${escapeMarkup(classname)}"`;
  if (failure !== undefined) return `${start}>${outcome("failure", failure, details)}</testcase>`;
  return skipped === undefined ? `${start}/>` : `${start}>${outcome("skipped", skipped)}</testcase>`;
}

function outcome(element: "failure" | "skipped", message: string, details?: string): string {
  const start = message === "" ? `<${element}` : `<${element} message="${escapeMarkup(message)}"`;
  return details === undefined ? `${start}/>` : `${start}>${escapeMarkup(details)}</${element}>`;
}
