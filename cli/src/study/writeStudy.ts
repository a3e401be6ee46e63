import { writeFile } from "node:fs/promises";
import { ConsiliumError } from "@consilium/core/errors";
import { fileFault, systemCode } from "../failure.js";
import type { Session } from "../session.js";
import { schemaFile, writeSchemaBeside } from "./schemaFile.js";

/**
 * Writes a study's file with the schema next to it, or to standard output for `-`.
 * @throws ConsiliumError CONFIG_INVALID where the file is there already, or cannot be written
 */
export async function writeStudy(
  session: Session,
  study: {
    /** As it was given. */
    readonly to: string;
    readonly text: string;
    /** Of the JSON, beside the file and its text. */
    readonly details: Readonly<Record<string, unknown>>;
    /** What to do before the file is validated. */
    readonly next: string;
  },
): Promise<void> {
  const { to, details, next } = study;
  const isPrinted = to === "-";
  const text = isPrinted ? study.text : `# yaml-language-server: $schema=${schemaFile}\n${study.text}`;
  const file = session.path(to);
  if (!isPrinted) {
    await writeNew(file, text);
    if (!(await writeSchemaBeside(file)))
      session.note(`${schemaFile} in that folder is another file: editors will not find the study's schema.`);
  }
  if (session.json) session.printJson({ file: isPrinted ? null : file, ...details, text });
  else if (isPrinted) session.io.stdout.write(text);
  else {
    const { good, accent } = session.style;
    session.print(`${good("Written")} ${file}\n${next}: ${accent(`consilium study validate ${to}`)}`);
  }
}

async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: "wx" });
  } catch (cause) {
    const isThere = systemCode(cause) === "EEXIST";
    throw new ConsiliumError("CONFIG_INVALID", `${file}: ${fileFault(cause)}`, {
      remedy: isThere ? "give another name with --to, or remove that file" : "check the path",
      cause,
    });
  }
}

const patterns = { "--name": /^[a-z0-9]+(?:-[a-z0-9]+)*$/, "--table": /^[A-Za-z0-9_-]{1,64}$/ };

/** @throws ConsiliumError USAGE where no study or table can have the name */
export function checkedName(option: keyof typeof patterns, value: string): void {
  if (!patterns[option].test(value) || value.length > 64)
    throw new ConsiliumError("USAGE", `${option} ${value} is not a valid name`);
}
