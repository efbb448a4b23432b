/** Where the dashboard's pages lie. */
export const base = "/_sandbox/ui";

/** Whether a path, which begins in the URL at `start`, is one of the dashboard's. */
export function isDashboard(url: string, start: number): boolean {
  return /^\/_sandbox\/ui(?![^/?#])/.test(url.slice(start, start + base.length + 1));
}

/** The address of a page, with what is given of its parameters. */
export function pathTo(page: string, parameters: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(parameters).filter((each): each is [string, string] => Boolean(each[1]));
  const query = new URLSearchParams(given).toString();
  return `${base}${page}${query && `?${query}`}`;
}

/** Whether an address is of the dashboard: what a form asks to be led back to may be anybody's. */
export function isOwnPath(path: string): boolean {
  // What is not ASCII stands escaped in an address, and fits into no header as it is.
  if (!/^\/_sandbox\/ui(?:[/?][!-[\]-~]*)?$/.test(path) || path.includes("//")) return false;
  // A path may lead upwards again.
  return isDashboard(new URL(path, "http://sandbox").pathname, 0);
}
