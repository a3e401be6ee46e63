import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { projectRoot, readProjectFile } from "./repository.js";

/**
 * Writes `cli/src/study/generated/templates.ts`: of every example study what `consilium study new` begins with, so that the
 * command needs no files beside it.
 */
export const templatesFile = "cli/src/study/generated/templates.ts";
const folder = "examples/studies";

interface Template {
  readonly analysis: string;
  readonly variant: string;
  /** Of YAML: one line. */
  readonly privacy: string;
  /** Of YAML: the block below `parameters:`, with its comments. */
  readonly parameters: string;
}

export function studyTemplates(): Record<string, Template> {
  const found = new Map<string, Template>();
  for (const file of readdirSync(`${projectRoot}/${folder}`).sort()) {
    const text = readProjectFile(`${folder}/${file}`);
    const study = parse(text) as { method: string; analysis: string; variant: string; name: string };
    const privacy = /^privacy: .*$/m.exec(text)?.[0];
    const parameters = ownParameters(text) ?? /^parameters:\n((?: +.*\n)+)/m.exec(text)?.[1];
    if (privacy === undefined || parameters === undefined)
      throw new Error(`${file} has no privacy or no parameters`);
    // The same method without privacy is another example of it, and comes after the one with.
    if (found.has(study.method) && privacy === "privacy: none") continue;
    const { analysis, variant } = study;
    found.set(study.method, { analysis, variant, privacy, parameters: parameters.trimEnd() });
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Of a method whose parameters name columns: those for the columns of `study new`, which the example has in a comment. */
function ownParameters(text: string): string | undefined {
  const comment = /^# `consilium study new` begins with:\n((?:# {3}.*\n)+)/m.exec(text)?.[1];
  return comment?.replaceAll(/^# /gm, "");
}

export function renderTemplates(): string {
  return `// Made from examples/studies by scripts/studyTemplates.ts; a test compares the two.

/** What an example study of each method says that is not about its columns. */
export const studyTemplates = ${JSON.stringify(studyTemplates(), null, 2)} as const;
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(renderTemplates());
