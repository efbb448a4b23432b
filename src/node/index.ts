export * from "../index.ts";
export { createSandbox, type Sandbox, type SandboxOptions } from "./create-sandbox.ts";
export type { Tls } from "./listen.ts";
export { type StartedSandbox, type StartOptions, startSandbox } from "./start-sandbox.ts";
