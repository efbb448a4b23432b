/** The path of the dashboard's start page. */
export const base = "/_sandbox/ui";

/** Whether the URL's path, which begins at `start`, belongs to the dashboard. */
export function isDashboard(url: string, start: number): boolean {
  return /^\/_sandbox\/ui(?![^/?#])/.test(url.slice(start, start + base.length + 1));
}

/** The path of a page with those query parameters that have a value. */
export function pathTo(page: string, parameters: Readonly<Record<string, string | undefined>> = {}): string {
  const present = Object.entries(parameters).filter((each): each is [string, string] => Boolean(each[1]));
  const query = new URLSearchParams(present).toString();
  return `${base}${page}${query && `?${query}`}`;
}

/** Whether a path belongs to the dashboard. Forms and links can ask to be redirected anywhere. */
export function isOwnPath(path: string): boolean {
  // Characters that are not ASCII are invalid in a header.
  if (!/^\/_sandbox\/ui(?:[/?][!-[\]-~]*)?$/.test(path) || path.includes("//")) return false;
  // `..` may lead out of the dashboard.
  return isDashboard(new URL(path, "http://sandbox").pathname, 0);
}
