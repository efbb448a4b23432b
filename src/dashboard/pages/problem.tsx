import { pathTo } from "../paths.ts";
import type { Page } from "../visit.ts";

/** What is shown in place of a page that cannot be. */
export function problem(title: string, message: string): Page {
  const body = (
    <>
      <h1>{title}</h1>
      <p>{message}</p>
      <p>
        <a href={pathTo("")}>To the overview</a>
      </p>
    </>
  );
  return { title, body };
}
