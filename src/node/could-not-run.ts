import { SetupError } from "../rules/errors.ts";

/** What was asked for is right, and cannot be done here and now: a port is taken, nobody answers. */
export class CouldNotRun extends SetupError {}
