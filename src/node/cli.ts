#!/usr/bin/env node
import module from "node:module";

const { enableCompileCache } = module as { enableCompileCache?: () => void };
// From Node 22.8 on, Node caches compiled code in the folder for temporary files.
enableCompileCache?.();
const { runCommandLine } = await import("./command-line.ts");
// The process keeps running when the reader of its output is gone.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});
await runCommandLine(process.argv.slice(2));
