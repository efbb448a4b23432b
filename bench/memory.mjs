// Prints how much memory each further sandbox of the build in the first argument holds, in KB; needs --expose-gc.
const { createSandbox } = await import(process.argv[2] ?? "");
/** @type {unknown[]} */
const kept = [];
/** @type {(more: number) => number} the resident memory once there are so many more sandboxes */
const residentKb = (more) => {
  for (let n = 0; n < more; n++) kept.push(createSandbox());
  globalThis.gc?.();
  return process.memoryUsage.rss() / 1024;
};

const counted = 50;
const before = residentKb(10);
process.stdout.write(String((residentKb(counted) - before) / counted));
