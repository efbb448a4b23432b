/** Equal signals within this time count once: Ctrl-C reaches each process directly and again through npm. */
const duplicateMs = 250;

/** Calls the listener on each of these signals. A duplicate counts once. */
export function onSignals<Name extends NodeJS.Signals>(
  names: readonly Name[],
  listener: (signal: Name) => void,
): void {
  let latest: { readonly name: Name; readonly atMs: number } | undefined;
  for (const name of names) {
    process.on(name, () => {
      const atMs = performance.now();
      if (latest?.name === name && atMs - latest.atMs < duplicateMs) return;
      latest = { name, atMs };
      listener(name);
    });
  }
}
