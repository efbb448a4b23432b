/** Signals within this time count once: Ctrl-C reaches every process at a terminal, and npm forwards it as well. */
const echoMs = 250;

/** Calls back on each of these signals; a duplicate counts once. */
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
