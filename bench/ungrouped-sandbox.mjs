// Starts the command line of a build in which every request is committed by itself, even if it arrived together with
// others: the base for the gain of committing them as a batch.
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
      // A transaction that is still open is the one that the batch shares.
      if (depth === 0 && this.inTransaction) this.exec("COMMIT; BEGIN");
    }
  };
  return Object.assign((/** @type {unknown[]} */ ...args) => made(...args), { immediate: commitAlone });
};
process.argv.splice(1, 1);
await import(pathToFileURL(cli).href);
