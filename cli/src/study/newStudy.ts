import { ConsiliumError } from "@consilium/core/errors";
import { maxExpectedRows, maxRowsOfSite } from "@consilium/core/limits";
import { nearest } from "@consilium/core/nearest";
import type { TableView } from "@consilium/core/operator/tableViews";
import { placeholder } from "@consilium/core/study/placeholder";
import { Argument, type Command, InvalidArgumentError } from "commander";
import { exitCodes } from "../exitCodes.js";
import { addOperatorOptions, type OperatorOptions, openOperator } from "../federation/operatorTarget.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { printable } from "../terminal/layout.js";
import { studyTemplates } from "./generated/templates.js";
import { schemaFile } from "./schemaFile.js";
import { columnsFromSites } from "./sharedColumns.js";
import { checkedName, writeStudy } from "./writeStudy.js";

interface NewOptions extends OperatorOptions {
  readonly name?: string;
  readonly table?: string;
  readonly to?: string;
  readonly dictionary?: string;
  readonly label?: string;
  readonly title?: string;
  readonly creator?: string;
  readonly rows?: number;
}

type Method = keyof typeof studyTemplates;
const methods = Object.keys(studyTemplates) as Method[];

export function addNew(program: Program, study: Command): void {
  const command = addOperatorOptions(
    study
      .command("new")
      .summary("write a commented study file to start from")
      .description(
        "Writes a study file for a method, with every required key and a comment on each. What only a person knows is " +
          `\`${placeholder}\`: \`validate\` lists what is left of it, and no study starts with it.\n\n` +
          "The columns are those of a made-up table. With --dictionary the columns and their bounds are those of a data " +
          "dictionary: CSV with the columns name, type (numeric or categorical), unit, min, max, levels (separated by |) " +
          "and description. Otherwise, with --table, the aggregator is asked for the columns that all sites with the " +
          "table share: names and types; their bounds are left for you to declare.\n\n" +
          "`consilium methods` lists the methods, `consilium study schema` every key; editors find them in " +
          `${schemaFile}, which is written next to the study. Existing studies are not overwritten.`,
      )
      .addArgument(new Argument("<method>", "the method").choices(methods))
      .option("--name <name>", "the study's name: a-z, 0-9 and single hyphens (default: the method)")
      .option("--table <table>", "the table's name at the sites (default: patients)")
      .option("--dictionary <file>", "a data dictionary, CSV, whose lines become the features")
      .option("--label <name>", "the line of the dictionary, or the column of the table, that is the outcome")
      .option("--title <text>", "the release's title in the catalogue")
      .option("--creator <text>", "who is responsible for the release")
      .option(
        "--rows <number>",
        "about how many rows all hospitals have together; asked for on a terminal",
        wholeNumber,
      )
      .option("--to <file>", "the file to write, or - for standard output (default: <name>.yaml)"),
  ).addHelpText(
    "after",
    `
Examples:
  $ consilium study new dp-pca
  $ consilium study new dp-histboost --name readmission --table stays --label readmitted
  $ consilium study new dp-additive --dictionary dictionary.csv --label readmitted`,
  );
  program.verb<[Method, NewOptions]>(command, async (session, method, options) => {
    const name = options.name ?? method;
    const { table = "patients" } = options;
    checkedName("--name", name);
    checkedName("--table", table);
    if (options.label !== undefined && options.dictionary === undefined && options.table === undefined) {
      throw new ConsiliumError(
        "USAGE",
        "--label names a line of --dictionary or a column of --table, and neither is given",
      );
    }
    const template: StudyTemplate = studyTemplates[method];
    const { columns, from } = await columnsFor(session, options, template);
    const { analysis, variant } = template;
    const rows = options.rows ?? (options.to === "-" ? null : await askedRows(session));
    const written = options.to ?? `${name}.yaml`;
    const text = studyTemplate(method, {
      name,
      table,
      file: written === "-" ? `${name}.yaml` : written,
      columns,
      rows,
      title: JSON.stringify(options.title ?? `${placeholder}: what this release is about`),
      creator: JSON.stringify(options.creator ?? `${placeholder}: who is responsible for it`),
    });
    const details = { method, analysis, variant, columns: from };
    await writeStudy(session, { to: written, text, details, next: nextSteps[from] });
    return exitCodes.ok;
  });
}

/** Where a study's columns are from. */
type ColumnsFrom = "dictionary" | "sites" | "made up";

const nextSteps: Readonly<Record<ColumnsFrom, string>> = {
  dictionary: `Replace what is marked ${placeholder}, then`,
  sites: `Declare the bounds and levels marked ${placeholder}, then`,
  "made up": "Replace its columns with your own, then",
};

/** Why the sites' columns may be unknown: there is no aggregator to ask, or no site shares the table. */
const unasked: ReadonlySet<string> = new Set(["STATE_MISSING", "UNREACHABLE", "TABLE_UNKNOWN"]);

async function columnsFor(
  session: Session,
  options: NewOptions,
  template: StudyTemplate,
): Promise<{ columns: string; from: ColumnsFrom }> {
  const label = options.label ?? null;
  if (options.dictionary !== undefined) {
    const { dictionaryColumns } = await import("./dictionary.js");
    return {
      columns: await dictionaryColumns(
        session.path(options.dictionary),
        label,
        template.analysis === "regression",
      ),
      from: "dictionary",
    };
  }
  const madeUp = { columns: template.columns ?? madeUpColumns, from: "made up" } as const;
  if (options.table === undefined) return madeUp;
  try {
    const shared = await (await openOperator(session, options)).table(options.table);
    if (label !== null && shared.columns.length > 0) checkLabel(shared, label);
    if (shared.columns.some(({ missingAt }) => missingAt.length === 0))
      return { columns: columnsFromSites(shared, label), from: "sites" };
    session.note(
      shared.columns.length === 0
        ? `The sites with table ${options.table} share no columns: the study has made-up ones.`
        : `No column of table ${options.table} is at all its sites (\`consilium tables ${options.table}\`): the study has made-up ones.`,
    );
  } catch (thrown) {
    if (!(thrown instanceof ConsiliumError) || !unasked.has(thrown.code)) throw thrown;
    session.note(
      `The sites' columns are not known, the study has made-up ones: ${printable(thrown.message)}.`,
    );
  }
  return madeUp;
}

function checkLabel({ name, columns }: TableView, label: string): void {
  if (columns.some((column) => column.name === label)) return;
  const near = nearest(
    label,
    columns.map((column) => column.name),
  );
  throw new ConsiliumError("USAGE", `--label ${label}: no site shares such a column of table ${name}`, {
    remedy:
      near.length > 0
        ? `did you mean ${near.map(printable).join(" or ")}?`
        : `list its columns: consilium tables ${name}`,
  });
}

/** Of a table that nobody has, for a method that any columns fit. */
const madeUpColumns = `# The outcome, with every value that it may have.
label:
  name: outcome
  levels: ["no", "yes"]

# The columns, as they are called in the tables. Bounds are public and declared, never read from the data: round numbers
# that every plausible value lies within; a value outside counts as the bound. docs/recoding.md: how to
# recode columns, count days or ages from dates, and choose rows (where: age >= 18).
features:
  - { name: age, type: numeric, min: 0, max: 110, unit: years }
  - { name: body_mass_index, type: numeric, min: 10, max: 70, unit: kg/m2 }
  - { name: systolic, type: numeric, min: 50, max: 260, unit: mmHg, description: first reading }
  - { name: glucose, type: numeric, min: 1, max: 40, unit: mmol/l }
  - { name: creatinine, type: numeric, min: 10, max: 1500, unit: umol/l }
`;

/** @throws InvalidArgumentError for what is no number of rows */
function wholeNumber(text: string): number {
  const rows = Number(text);
  if (/^\d+$/.test(text) && rows >= 2 && rows <= maxExpectedRows) return rows;
  throw new InvalidArgumentError(`a whole number from 2 to ${maxExpectedRows}.`);
}

/** Rows of all hospitals together as a person at the terminal says them; null without a person or an answer. */
async function askedRows(session: Session): Promise<number | null> {
  const answer = session.json
    ? null
    : await session.io.ask("About how many rows have all hospitals together? (Enter: not known) ");
  if (answer === null || answer.trim() === "") return null;
  try {
    return wholeNumber(answer.trim());
  } catch {
    throw new ConsiliumError("USAGE", "the number of rows is not a whole number", { remedy: "give --rows" });
  }
}

/**
 * Privacy of a new study of a proven method: an ε that [PHK23] calls strong and that a hospital's policy as `site enroll` writes
 * it takes three times and more; δ below one in the rows of most tables.
 */
const soundPrivacy = "privacy: { epsilon: 1, delta: 1e-7 }";

/** Rows of a study of which nobody has said how many there are. */
const maxRowsUnknown = 100_000;

/** `participation.maxRowsPerSite` and `expectedRows`: no hospital has more rows than all of them. */
function rowsText(rows: number | null): string {
  const most = `  # At least the rows of the largest site. One with more draws a sample, where its configuration says how long its table
  # is; elsewhere sums may wrap around, and studies that are not sound refuse the table.`;
  return rows === null
    ? `${most}
  maxRowsPerSite: ${maxRowsUnknown}
  # The rows of all sites together: plans and warnings rest on them, and assume half of the most that there may be until
  # they are given.
  # expectedRows: 5000`
    : `${most}
  maxRowsPerSite: ${Math.min(rows, maxRowsOfSite)}
  # The rows of all sites together: plans and warnings rest on them.
  expectedRows: ${rows}`;
}

/** The text of a study, valid once its placeholders are replaced. @param columns - `label:` and `features:` */
function studyTemplate(
  method: Method,
  {
    name,
    table,
    file,
    columns,
    rows,
    title,
    creator,
  }: {
    readonly name: string;
    readonly table: string;
    readonly file: string;
    readonly columns: string;
    /** Rows of all hospitals together; null where nobody has said. */
    readonly rows: number | null;
    /** YAML, as the creator. */
    readonly title: string;
    readonly creator: string;
  },
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
${variant === "sound" ? soundPrivacy : privacy}
parameters:
${parameters}

participation:
  # The study needs at least this many sites.
  minimumSites: 3
  # Number of sites that may collude with the aggregator without exposing another site's data.
  tolerateColluding: 1
${rowsText(rows)}
  # How long hospitals may take to decide: people have to read the study.
  joinDeadline: 3d
  # A step that waits longer stops the study; it can be resumed.
  phaseDeadline: 10m
  # Remove this to invite every site.
  # sites: [st-mary, mercy, harbour]

# What readers see in the catalogue.
release:
  title: ${title}
  # description: Where the records come from, and what was done with them.
  license: CC-BY-4.0
  creator: ${creator}${variant === "sound" ? publicSums : ""}

${columns}`;
}

/** Proposed where every stage is a proven sum with noise, as in every form that is proven. */
const publicSums = `
  # The noisy sums become public too, so that anybody can compute the result from them: consilium release replay.
  sums: true`;

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
