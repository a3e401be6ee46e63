import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import { exitCodes } from "../exitCodes.js";
import { systemCode } from "../failure.js";
import { installedMethods } from "../methods.js";
import type { Program } from "../program.js";

/** The schema's file next to studies, which they name for editors. */
export const schemaFile = "study.schema.json";
/** Tells our file of that name from another. */
const schemaId = "urn:consilium:study-schema";

export function addSchema(program: Program, study: Command): void {
  const command = study
    .command("schema")
    .summary("print the JSON Schema of study files, offline")
    .description(
      "Prints the schema (JSON Schema, draft 2020-12) that study files are validated with: for editors and forms. " +
        "The operator's page /help/STUDY has the same keys in a table.",
    )
    .addHelpText(
      "after",
      `
Examples:
  $ consilium study schema > ${schemaFile}
  $ consilium study schema | jq '[.oneOf[] | .. | .properties?.method?.const? // empty]'

Editors with a YAML language server complete and check a study's keys by it. \`study new\` writes the file
next to the study, and names it in the study's first line:
  # yaml-language-server: $schema=${schemaFile}`,
    );
  program.verb<[]>(command, async (session) => {
    session.io.stdout.write(await schemaText());
    return exitCodes.ok;
  });
}

async function schemaText(): Promise<string> {
  const { $schema, ...rest } = (await installedMethods()).jsonSchema();
  return `${JSON.stringify({ $schema, $id: schemaId, title: "Consilium study", ...rest })}\n`;
}

/**
 * Writes the schema next to a study, over an earlier one of its own.
 * @returns false where the folder has another file of that name
 */
export async function writeSchemaBeside(study: string): Promise<boolean> {
  const path = join(dirname(study), schemaFile);
  const before = await readFile(path, "utf8").catch((cause: unknown) => {
    if (systemCode(cause) === "ENOENT") return null;
    throw cause;
  });
  if (before !== null && !before.includes(`"$id":"${schemaId}"`)) return false;
  const text = await schemaText();
  if (text !== before) await writeFile(path, text);
  return true;
}
