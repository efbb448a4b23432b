import { listAt, unknownPath } from "../controls.ts";
import { CannotProbe, type ProbeReply, probe, type Target } from "../probe.ts";
import { isSuccess, rowsIn } from "../replies.ts";

/** Lists that may have two rows. */
const paths = ["/developer/accounts", "/developer/cards", "/developer/transactions"];

const get = (target: Target, path: string) => target.send({ method: "GET", path });

const idsIn = ({ json }: ProbeReply) => rowsIn(json).map(({ id }) => id);

/** A list with at least two rows, and its first two ids. */
async function listOfTwo(target: Target) {
  await unknownPath(target);
  for (const path of paths) {
    const [first, second] = idsIn(await get(target, path));
    if (second !== undefined) return { path, first, second };
  }
  throw new CannotProbe("no list has two rows");
}

/** The parameter that limits the rows of a page. */
async function limitOf(target: Target, path: string) {
  for (const name of ["limit", "per_page", "page_size"]) {
    const reply = await get(target, `${path}?${name}=1`);
    if (isSuccess(reply) && idsIn(reply).length === 1) return { name, reply };
  }
  throw new CannotProbe("no parameter limits the rows of a page");
}

/** Whether a page mentions a cursor, in its body or in its header Link. */
function hasCursor({ text, headers }: ProbeReply): boolean {
  return /cursor/i.test(text) || /cursor=/i.test(headers.get("Link") ?? "");
}

/** How lists are asked for and shown. */
export const listProbes = [
  probe("lists.envelope", "read", async (target) => {
    const { json } = await listAt(target, "/developer/accounts");
    if (Array.isArray(json)) return "array";
    if (Array.isArray(json?.data)) return "data";
    if (Array.isArray(json?.items)) return "items";
    if (Array.isArray(json?.accounts)) return "named";
    return { unexplained: "the list is another member" };
  }),

  probe("lists.paging", "read", async (target) => {
    const { path, second } = await listOfTwo(target);
    if (idsIn(await get(target, `${path}?per_page=1&page=2`))[0] === second) return "page";
    if (idsIn(await get(target, `${path}?limit=1&offset=1`))[0] === second) return "offset";
    const { reply } = await limitOf(target, path);
    return hasCursor(reply) ? "cursor" : { unexplained: "no position for the second page is found" };
  }),

  probe("lists.limit_over_maximum", "read", async (target) => {
    const { path } = await listOfTwo(target);
    const { name } = await limitOf(target, path);
    return isSuccess(await get(target, `${path}?${name}=100000`)) ? "clamped" : "refused";
  }),

  probe("lists.unknown_parameter", "read", async (target) => {
    await listAt(target, "/developer/accounts");
    return isSuccess(await get(target, "/developer/accounts?unknown_parameter=1")) ? "ignored" : "refused";
  }),

  probe("lists.bad_cursor", "read", async (target) => {
    const { path, first } = await listOfTwo(target);
    if (!hasCursor((await limitOf(target, path)).reply)) throw new CannotProbe("lists have no cursor");
    const reply = await get(target, `${path}?cursor=no-such-cursor`);
    if (!isSuccess(reply)) return "refused";
    return idsIn(reply)[0] === first ? "first_page" : { unexplained: "a page that is not the first one" };
  }),

  probe("lists.order", "write", async (target) => {
    const { card: older } = await target.sharedOrder();
    if (!idsIn(await get(target, `/developer/cards?tokens=${older.token}`)).includes(older.id)) {
      throw new CannotProbe("the list of cards lacks an active card");
    }
    const newer = await target.newCard();
    const ids = idsIn(await get(target, `/developer/cards?tokens=${older.token},${newer.token}`));
    if (![newer, older].every(({ id }) => ids.includes(id)))
      throw new CannotProbe("the new cards are not listed");
    return ids.indexOf(newer.id) < ids.indexOf(older.id) ? "newest_first" : "oldest_first";
  }),
];
