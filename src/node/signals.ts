/** How soon a signal is the same one again: what Ctrl-C tells everybody at a terminal npm also passes on. */
const echoMs = 250;

/** Calls back at each of these signals, and once where one comes twice at once. */
export function onSignals<Name extends NodeJS.Signals>(
  names: readonly Name[],
  listener: (signal: Name) => void,
): void {
  let latest: { readonly name: Name; readonly atMs: number } | undefined;
  for (const name of names) {
    process.on(name, () => {
      const atMs = performance.now();
      if (latest?.name === name && atMs - latest.atMs < echoMs) return;
      latest = { name, atMs };
      listener(name);
    });
  }
}
