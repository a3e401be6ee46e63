import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import type { StudyTemplate } from "../cli/src/study/newStudy.js";
import { projectRoot, readProjectFile } from "./repository.js";

/**
 * Writes `cli/src/study/generated/templates.ts`: of every example study what `consilium study new` begins with, so that the
 * command needs no files beside it.
 */
export const templatesFile = "cli/src/study/generated/templates.ts";
const folder = "examples/studies";

/** Methods that a study of any columns does not fit. */
const ofOwnColumns = new Set(["survival", "synthetic-table"]);

export function studyTemplates(): Record<string, StudyTemplate> {
  const found = new Map<string, StudyTemplate>();
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
    const columns = ofOwnColumns.has(study.method) ? { columns: columnsOf(text) } : {};
    found.set(study.method, { analysis, variant, privacy, parameters: parameters.trimEnd(), ...columns });
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Of a method whose parameters name columns: those for the columns of `study new`, which the example has in a comment. */
function ownParameters(text: string): string | undefined {
  const comment = /^# `consilium study new` begins with:\n((?:# {3}.*\n)+)/m.exec(text)?.[1];
  return comment?.replaceAll(/^# /gm, "");
}

/** From the label, or from the features where there is none, to the file's end, with the comments before it. */
function columnsOf(text: string): string {
  const columns = /^(?:#.*\n)*(?:label|features):\n(?:.*\n)*/m.exec(text)?.[0];
  if (columns === undefined) throw new Error("the example declares no columns");
  return `${columns.trimEnd()}\n`;
}

export function renderTemplates(): string {
  return `// Made from examples/studies by scripts/studyTemplates.ts; a test compares the two.

/** What an example study of each method says that is not about its columns. */
export const studyTemplates = ${JSON.stringify(studyTemplates(), null, 2)} as const;
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(renderTemplates());
