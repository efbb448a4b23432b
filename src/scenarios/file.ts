import type { Scenario } from "./scenario.ts";

/** The text of a scenario file that defines the same scenario under another name, without what is the default. */
export async function scenarioFile({ on, example, ...scenario }: Scenario, name: string): Promise<string> {
  // Loaded when it is first needed, because no start needs it.
  const { stringify } = await import("yaml");
  const { title, description, spec, points, steps, then } = scenario;
  const requests = example.map(({ key, meanwhile, expect: { connection, ...expect }, ...request }) => ({
    ...request,
    ...(key !== "first" && { key }),
    ...(meanwhile && { meanwhile }),
    expect: { ...(connection !== "answered" && { connection }), ...expect },
  }));
  const file = {
    name,
    title,
    description,
    spec,
    points,
    on,
    steps,
    ...(then && { then }),
    example: requests,
  };
  return `# yaml-language-server: $schema=../node_modules/card-sandbox/schema/scenario.json\n${stringify(file, { lineWidth: 100, aliasDuplicateObjects: false })}`;
}
