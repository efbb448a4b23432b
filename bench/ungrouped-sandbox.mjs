// A build's command line that commits what each request changes by itself, as if it came alone: what keeping
// together the requests of a turn gains is told beside it.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [cli = ""] = process.argv.slice(2);
const { prototype } = createRequire(cli)("better-sqlite3");
const { transaction } = prototype;

let depth = 0;
prototype.transaction = function (/** @type {(...args: unknown[]) => unknown} */ work) {
  const made = transaction.call(this, work);
  const commitAlone = (/** @type {unknown[]} */ ...args) => {
    depth++;
    try {
      return made.immediate(...args);
    } finally {
      depth--;
      // What is still open is what the turn shares.
      if (depth === 0 && this.inTransaction) this.exec("COMMIT; BEGIN");
    }
  };
  return Object.assign((/** @type {unknown[]} */ ...args) => made(...args), { immediate: commitAlone });
};
process.argv.splice(1, 1);
await import(pathToFileURL(cli).href);
