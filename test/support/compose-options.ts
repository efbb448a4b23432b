/** A service of compose.yaml. `composeOptions` refuses all other keys, so that none goes untested. */
export interface ComposeService {
  readonly build?: string;
  readonly image?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly restart?: string;
}

/** The arguments of `docker run` that start a service like Compose does; the last one is the image. */
export function composeOptions(service: ComposeService, env: Readonly<Record<string, string>>): string[] {
  const { build, image, environment = {}, ports = [], volumes = [], ...rest } = service;
  const { read_only, cap_drop = [], security_opt = [], restart, ...unknown } = rest;
  if (Object.keys(unknown).length > 0) throw new Error(`no option is known for ${Object.keys(unknown)}`);
  if (build !== "." || image === undefined)
    throw new Error("the service needs build: . and the name of its image");
  return [
    ...Object.entries(environment).flatMap(([name, value]) => [
      "--env",
      `${name}=${interpolated(value, env)}`,
    ]),
    ...ports.flatMap((port) => ["--publish", interpolated(port, env)]),
    ...volumes.flatMap((volume) => ["--volume", interpolated(volume, env)]),
    ...(read_only ? ["--read-only"] : []),
    ...cap_drop.flatMap((capability) => ["--cap-drop", capability]),
    ...security_opt.flatMap((option) => ["--security-opt", option]),
    ...(restart ? ["--restart", restart] : []),
    image,
  ];
}

/** Replaces `${NAME:-default}` and `${NAME:?error}`. */
function interpolated(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_all, name: string, kind: string, rest: string) => {
    const value = env[name] || (kind === "-" ? rest : undefined);
    if (value === undefined) throw new Error(`set ${name}: ${rest}`);
    return value;
  });
}
