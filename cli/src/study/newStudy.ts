import { writeFile } from "node:fs/promises";
import { ConsiliumError } from "@consilium/core/errors";
import { Argument, type Command } from "commander";
import { exitCodes } from "../exitCodes.js";
import { fileFault, systemCode } from "../failure.js";
import type { Program } from "../program.js";
import { dictionaryColumns } from "./dictionary.js";
import { studyTemplates } from "./generated/templates.js";

interface NewOptions {
  readonly name?: string;
  readonly table?: string;
  readonly to?: string;
  readonly dictionary?: string;
  readonly label?: string;
}

type Method = keyof typeof studyTemplates;
const methods = Object.keys(studyTemplates) as Method[];

export function addNew(program: Program, study: Command): void {
  const command = study
    .command("new")
    .summary("write a commented study file to start from")
    .description(
      "Writes a study file for a method, with every required key and a comment on each: a valid study of a made-up " +
        "table, whose columns you then replace. With --dictionary the columns and their bounds are those of a data " +
        "dictionary: CSV with the columns name, type (numeric or categorical), unit, min, max, levels (separated by |) " +
        "and description. docs/METHODS.md describes the methods. Existing files are not overwritten.",
    )
    .addArgument(new Argument("<method>", "the method").choices(methods))
    .option("--name <name>", "the study's name: a-z, 0-9 and single hyphens (default: the method)")
    .option("--table <table>", "the table's name at the sites", "patients")
    .option("--dictionary <file>", "a data dictionary, CSV, whose lines become the features")
    .option("--label <name>", "the line of the dictionary that is the outcome")
    .option("--to <file>", "the file to write, or - for standard output (default: <name>.yaml)")
    .addHelpText(
      "after",
      `
Examples:
  $ consilium study new dp-pca
  $ consilium study new dp-histboost --name readmission --table stays --to readmission.yaml
  $ consilium study new dp-additive --dictionary dictionary.csv --label readmitted`,
    );
  program.verb<[Method, NewOptions]>(command, async (session, method, options) => {
    const name = options.name ?? method;
    const { table = "patients" } = options;
    for (const [option, value, pattern] of [
      ["--name", name, /^[a-z0-9]+(?:-[a-z0-9]+)*$/],
      ["--table", table, /^[A-Za-z0-9_-]{1,64}$/],
    ] as const) {
      if (!pattern.test(value) || value.length > 64)
        throw new ConsiliumError("USAGE", `${option} ${value} is not a valid name`);
    }
    if (options.label !== undefined && options.dictionary === undefined)
      throw new ConsiliumError("USAGE", "--label names a line of --dictionary, which is not given");
    const template: StudyTemplate = studyTemplates[method];
    const columns =
      options.dictionary === undefined
        ? (template.columns ?? madeUpColumns)
        : await dictionaryColumns(session.path(options.dictionary), options.label ?? null);
    const { analysis, variant } = template;
    const written = options.to ?? `${name}.yaml`;
    const text = studyTemplate(method, {
      name,
      table,
      file: written === "-" ? `${name}.yaml` : written,
      columns,
    });
    if (written === "-" && !session.json) {
      session.io.stdout.write(text);
      return exitCodes.ok;
    }
    const file = session.path(written);
    if (written !== "-") await writeNew(file, text);
    if (session.json)
      session.printJson({ file: written === "-" ? null : file, method, analysis, variant, text });
    else {
      const { good, accent } = session.style;
      session.print(`${good("Written")} ${file}
${options.dictionary === undefined ? "Replace its columns with your own, then" : "Next"}: ${accent(`consilium study validate ${written}`)}`);
    }
    return exitCodes.ok;
  });
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

/** Of a table that nobody has, for a method that any columns fit. */
const madeUpColumns = `# The outcome, with every value that it may have.
label:
  name: outcome
  levels: ["no", "yes"]

# The columns, as they are called in the tables. Bounds are public and declared, never read from the data: round numbers
# that every plausible value lies within; a value outside counts as the bound.
features:
  - { name: age, type: numeric, min: 0, max: 110, unit: years }
  - { name: body_mass_index, type: numeric, min: 10, max: 70, unit: kg/m2 }
  - { name: systolic, type: numeric, min: 50, max: 260, unit: mmHg, description: first reading }
  - { name: glucose, type: numeric, min: 1, max: 40, unit: mmol/l }
  - { name: creatinine, type: numeric, min: 10, max: 1500, unit: umol/l }
`;

/** The text of a study, valid if its columns are. @param columns - `label:` and `features:` */
function studyTemplate(
  method: Method,
  {
    name,
    table,
    file,
    columns,
  }: { readonly name: string; readonly table: string; readonly file: string; readonly columns: string },
): string {
  const { analysis, variant, privacy, parameters } = studyTemplates[method];
  const claim =
    variant === "sound"
      ? "proven to be differentially private, at the epsilon below."
      : "as published; its certificate says what is not proven. Sites must allow such studies.";
  return `# ${method}: ${claim}
# Check it:                                   consilium study validate ${file}
# Show the data each hospital sends and cost:  consilium study plan ${file}
name: ${name}
# The table's name at every site. Sites without this table cannot take part.
table: ${table}
analysis: ${analysis}
method: ${method}
variant: ${variant}

# The privacy cost per record; smaller is safer and noisier. It is charged to each site's budget.
${privacy}
parameters:
${parameters}

participation:
  # The study needs at least this many sites.
  minimumSites: 3
  # Number of sites that may collude with the aggregator without exposing another site's data.
  tolerateColluding: 1
  # At least the rows of the largest site: a larger table is refused, not truncated.
  maxRowsPerSite: 100000
  # A step that waits longer stops the study; it can be resumed.
  phaseDeadline: 10m
  # Remove this to invite every site.
  # sites: [st-mary, mercy, harbour]

# What readers see in the catalogue.
release:
  title: What this release is about
  description: Where the records come from, and what was done with them
  license: CC-BY-4.0
  creator: Who is responsible for it

${columns}`;
}

/** What `generated/templates.ts` has of each method. */
export interface StudyTemplate {
  readonly analysis: string;
  readonly variant: string;
  /** Of YAML: one line. */
  readonly privacy: string;
  /** Of YAML: the block below `parameters:`, with its comments. */
  readonly parameters: string;
  /** Of YAML: label and features, of a method whose parameters name a column's level; left out where any columns do. */
  readonly columns?: string;
}
