import { execFile } from "node:child_process";

export interface CommandRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end, with any exit code. */
export function command(
  file: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<CommandRun> {
  const env = { ...process.env, ...options.env };
  return new Promise((resolve) => {
    const child = execFile(
      file,
      args,
      { ...options, env, maxBuffer: 64 * 1024 * 1024 },
      (_error, stdout, stderr) => {
        resolve({ code: child.exitCode ?? 1, stdout, stderr });
      },
    );
  });
}

/**
 * Runs a command, and returns its standard output.
 * @throws Error unless the exit code is 0
 */
export async function succeed(
  file: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  const { code, stdout, stderr } = await command(file, args, options);
  if (code !== 0) throw new Error(`${file} ${args.join(" ")} ended with ${code}:\n${stdout}\n${stderr}`);
  return stdout;
}
