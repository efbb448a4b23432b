#!/usr/bin/env node
import module from "node:module";

const { enableCompileCache } = module as { enableCompileCache?: () => void };
// From Node 22.8 on, Node caches compiled code in the folder for temporary files.
enableCompileCache?.();
await import("./command-line.ts");
