import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { InputFile } from "./create-sandbox.ts";
import { isYaml } from "./input-files.ts";

export interface Watch {
  /** Called with a message for each change that was read or refused. */
  readonly report: (message: string, style: "green" | "red") => void;
  /** The time between two looks at the files, in milliseconds; default 200. */
  readonly pollMs?: number;
}

/**
 * Reads the files of a running sandbox again when they change.
 *
 * Polls instead of using the events of the file system: these are lost on network drives and in folders that a
 * container or WSL shares with its host, and they differ between platforms for a file that an editor replaces.
 * @returns a function that stops it
 */
export function watchInputs(files: readonly InputFile[], { report, pollMs = 200 }: Watch): () => void {
  const polls = files.map((each) => pollOf(each, report));
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const poll = async () => {
    for (const each of polls) await each(() => isStopped);
    if (!isStopped) timer = setTimeout(poll, pollMs).unref();
  };
  void poll();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/** A function that looks for a change, and reads the files when they were the same twice: then they are complete. */
function pollOf(
  { path, read }: InputFile,
  report: Watch["report"],
): (isStopped: () => boolean) => Promise<void> {
  let state: string | undefined;
  // The files may have changed since the sandbox read them.
  let isUnread = true;
  let isInvalid = false;
  return async (isStopped) => {
    const before = state;
    state = await stateOf(path);
    if (state !== before) isUnread = true;
    else if (isUnread && !isStopped()) {
      isUnread = false;
      try {
        const line = read() ?? (isInvalid ? `${path}: valid again` : undefined);
        isInvalid = false;
        if (line !== undefined) report(line, "green");
      } catch (error) {
        isInvalid = true;
        const { message } = error as Error;
        report(`${message} (the last valid version stays in use until you correct it)`, "red");
      }
    }
  };
}

/** A text that differs after a YAML file was changed, replaced, added or removed. */
async function stateOf(path: string): Promise<string> {
  try {
    const files = (await stat(path)).isDirectory()
      ? // The folder may also contain files that change all the time, such as the log of the sandbox.
        (await readdir(path)).filter(isYaml).map((name) => join(path, name))
      : [path];
    return (await Promise.all(files.map(stateOfFile))).join("\n");
  } catch (error) {
    return (error as Error).message;
  }
}

async function stateOfFile(file: string): Promise<string> {
  try {
    const { ino, size, mtimeMs, ctimeMs } = await stat(file);
    return [file, ino, size, mtimeMs, ctimeMs].join(" ");
  } catch (error) {
    return (error as Error).message;
  }
}
