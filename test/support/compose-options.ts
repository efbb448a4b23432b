/** What compose.yaml says of a service; `composeOptions` knows these keys alone, so that no other goes untested. */
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

/** The options of `docker run` that do as Compose does with a service, and its image last. */
export function composeOptions(service: ComposeService, env: Readonly<Record<string, string>>): string[] {
  const { build, image, environment = {}, ports = [], volumes = [], ...rest } = service;
  const { read_only, cap_drop = [], security_opt = [], restart, ...unknown } = rest;
  if (Object.keys(unknown).length > 0) throw new Error(`no option is known for ${Object.keys(unknown)}`);
  if (build !== "." || image === undefined) throw new Error("the image is to be built here, and named");
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

/** `${NAME:-default}` and `${NAME:?what it is for}`. */
function interpolated(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_all, name: string, kind: string, rest: string) => {
    const value = env[name] || (kind === "-" ? rest : undefined);
    if (value === undefined) throw new Error(`${name} is to be set: ${rest}`);
    return value;
  });
}
