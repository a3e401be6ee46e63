import { canonicalJson } from "@consilium/core/canonicalJson";
import { ConsiliumError } from "@consilium/core/errors";
import {
  checkedTablesSchema,
  type LeftOutRows,
  type SeenColumn,
  type TableExamination,
  tableExaminationSchema,
} from "@consilium/core/hospital/tableExamination";
import { defaultBudgetYaml } from "@consilium/core/privacy/defaultBudget";
import { readSaid } from "@consilium/core/readSaid";
import { counted } from "@consilium/core/words";
import { english, spoken } from "@consilium/runtime/http/spoken";
import type { Command } from "commander";
import { stringify } from "yaml";
import { doctorFault, runSiteDoctor } from "../doctor/siteDoctor.js";
import { type ExitCode, exitCodes } from "../exitCodes.js";
import { collect } from "../options.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { paragraph, printable, table } from "../terminal/layout.js";
import { tableOption, unitOptions, writeTable, writeTableKeys, writeTablesOf } from "./siteConfig.js";
import { addStateOptions, type SiteStateOptions, siteState } from "./siteState.js";

interface AddOptions extends SiteStateOptions {
  readonly file: string;
  readonly unit?: string;
  readonly nullValue?: readonly string[];
  readonly replace?: boolean;
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

interface TestOptions extends SiteStateOptions {
  readonly write?: boolean;
}

interface SetOptions extends SiteStateOptions {
  readonly dryRun?: boolean;
}

/** Every row of a large table is counted. */
const timeoutMs = 60 * 60_000;

/** The hospital's tables: entries of its config.yaml. */
export function addTable(program: Program, site: Command): void {
  const group = site
    .command("table")
    .summary("add a table to the configuration, take all of them from a file, or test one")
    .description("The tables that studies may name: entries under `tables:` in the site's config.yaml.")
    .addHelpText(
      "after",
      "\nExample:\n  $ consilium site table add stays --file /data/stays.csv --unit patient:patient_id:5",
    );
  const add = addStateOptions(
    group
      .command("add")
      .summary("add a file as a table to the configuration")
      .description(
        "Looks at a file's first rows, proposes how it is read (delimiter, encoding, decimal mark, header) and writes the " +
          "entry into config.yaml, whose other lines and comments stay. Columns and types are shown here and sent " +
          "nowhere; no value is shown. A running agent serves the table a few seconds later.",
      )
      .argument("<name>", "what studies call the table")
      .requiredOption(
        "--file <path>",
        "CSV, Parquet, JSON lines or SQLite (path#table), or a folder of such files",
      )
      .option("--unit <unit>", "its unit of privacy: rows, or patient:<column>:<rows>")
      .option("--null-value <text>", "a text that stands for a missing value; repeatable", collect)
      .option("--replace", "replace a table of this name")
      .option("--force", "add it even if the policy then refuses every study")
      .option("--dry-run", "show the entry; write nothing"),
  ).addHelpText(
    "after",
    `
Examples:
  $ consilium site table add stays --file /data/stays.csv --unit patient:patient_id:5
  $ consilium site table add labs --file /data/labs.sqlite#results --unit rows --null-value NA --dry-run`,
  );
  program.verb<[string, AddOptions]>(add, addOne);
  const test = addStateOptions(
    group
      .command("test")
      .summary("open a table and read it")
      .description(
        "Opens a table of the configuration as the agent would, reads every row, and shows its columns, types, number of " +
          "rows and how it is written; rows that cannot be taken apart, by cause and with the line of the first; texts " +
          "among numbers, dates and codes for missing values, each with the key that says what it means; levels and years " +
          "of dates as they are written; and how rows with a cell that cannot be read differ from the others. A text that " +
          "fewer than five cells have is not shown, and nothing is sent. Exit code 1 if it cannot be read as it is configured, or rows are left out.",
      )
      .argument("<name>", "the table")
      .option("--write", "write the keys that are proposed into the table's entry, and test it again"),
  ).addHelpText(
    "after",
    "\nExamples:\n  $ consilium site table test stays\n  $ consilium site table test stays --write\n  $ consilium site table test stays --json | jq .rows",
  );
  program.verb<[string, TestOptions]>(test, testOne);
  const set = addStateOptions(
    group
      .command("set")
      .summary("take the tables of the configuration from a file")
      .description(
        "Checks a YAML file with `tables:`, and `engines:` if they are needed, as config.yaml has them, and puts them in " +
          "place of those in config.yaml, whose other lines stay. Every kind of table can be in it. Paths should be " +
          "absolute: others are relative to the state folder. No table is opened. A running agent serves them a few seconds later. The " +
          "hospital's image does this at each start with /config/tables.yaml, if that exists.",
      )
      .argument("<file>", "the file")
      .option("--dry-run", "check the file; write nothing"),
  ).addHelpText(
    "after",
    "\nExamples:\n  $ consilium site table set tables.yaml --dry-run\n  $ consilium site table set tables.yaml --site st-mary",
  );
  program.verb<[string, SetOptions]>(set, setAll);
}

async function setAll(session: Session, file: string, options: SetOptions): Promise<ExitCode> {
  const state = await siteState(session, options);
  const path = session.path(file);
  const answer = await runSiteDoctor(session, ["--state", state, "--tables", path], timeoutMs);
  const checked = checkedTablesSchema.safeParse(answer);
  if (!checked.success) throw doctorFault(answer);
  const { tables } = checked.data;
  const config = options.dryRun === true ? null : await writeTablesOf(state, path);
  if (session.json) session.printJson({ tables, config });
  else {
    const listed = tables.map(printable).join(", ");
    session.print(
      config === null
        ? `${listed}: no problem was found. Nothing was written.`
        : `${session.style.good("Written")} to ${printable(config)}: ${listed}. A running agent serves them within seconds.`,
    );
  }
  return exitCodes.ok;
}

async function examine(session: Session, state: string, which: readonly string[]): Promise<TableExamination> {
  const answer = await runSiteDoctor(session, ["--state", state, ...which], timeoutMs);
  const examination = tableExaminationSchema.safeParse(answer);
  if (examination.success) return examination.data;
  throw doctorFault(answer);
}

async function addOne(session: Session, name: string, options: AddOptions): Promise<ExitCode> {
  const state = await siteState(session, options);
  const units = unitOptions(options.unit === undefined ? [] : [`${name}=${options.unit}`], [`${name}=`]);
  const given = await tableOption(session, `${name}=${options.file}`, units);
  const base = {
    path: given.path,
    ...(given.table !== null && { table: given.table }),
    ...(given.unit !== null && { unit: given.unit }),
    ...(options.nullValue !== undefined && { nullValues: options.nullValue }),
  };
  const look = (entry: object) => examine(session, state, ["--entry", JSON.stringify({ name, ...entry })]);
  const first = await look(base);
  const entry = { ...base, ...csvOf(given.isCsv, first) };
  const found = first.csv === null ? first : await look(entry);
  if (found.fault !== null) {
    throw new ConsiliumError("TABLE_UNREADABLE", found.fault.message, { remedy: found.fault.remedy });
  }
  const isDry = options.dryRun === true;
  if (found.policy !== null && options.force !== true && !isDry)
    throw new ConsiliumError("POLICY_INVALID", `with table ${name} every study is refused: ${found.policy}`, {
      remedy: `give it the other tables' unit; or, if none of its patients is in them, first write under populations in policy.yaml: ${name}: { tables: [${name}], ${defaultBudgetYaml} }`,
    });
  const config = isDry ? null : await writeTable(state, name, entry, options.replace === true);
  if (session.json) {
    session.printJson({ name, entry, config, examination: spoken(found) });
    return exitCodes.ok;
  }
  const { good, caution, bad, accent } = session.style;
  session.print(examinationText(session, found));
  session.print(
    `\n${stringify({ tables: { [name]: entry } })
      .split("\n")
      .map(printable)
      .join("\n")}`,
  );
  if (given.unit === null)
    session.note(
      `${caution("No unit of privacy:")} every study of the table needs manual approval. Give --unit.`,
    );
  if (found.format === "jsonl")
    session.note(
      `${caution("No declared columns:")} every study of the table needs manual approval. List the keys that studies may name: columns: [...].`,
    );
  if (found.policy !== null)
    session.note(
      `${bad("With this table every study is refused")} once it is served: ${printable(found.policy)}.`,
    );
  session.print(
    config === null
      ? "Nothing was written."
      : `${good("Added")} to ${printable(config)}. A running agent serves it within seconds. Check it: ${accent(`consilium site table test ${name}`)}`,
  );
  return exitCodes.ok;
}

/** Where the file needs something else than the defaults; the names of a header are declared as names. */
function csvOf(
  isCsv: boolean,
  { csv, columns, problems }: TableExamination,
): { csv?: Readonly<Record<string, unknown>> } {
  if (csv !== null) return { csv };
  const isRecord = problems.some((problem) => readSaid(problem)?.code === "check.first-record");
  return isCsv && columns.length > 0 && !isRecord ? { csv: { header: true } } : {};
}

async function testOne(session: Session, name: string, options: TestOptions): Promise<ExitCode> {
  const state = await siteState(session, options);
  const look = () => examine(session, state, ["--table", name]);
  let found = await look();
  // What a key of `csv:` changes shows in the cells: these are looked at once it is written.
  for (
    let proposed = keysOf(found);
    options.write === true && proposed.length > 0;
    proposed = keysOf(found)
  ) {
    const path = await writeTableKeys(state, name, proposed);
    if (!session.json)
      for (const entry of proposed)
        session.note(
          `${session.style.good("Written")} to ${printable(path)}: ${printable(entryLine(entry))}`,
        );
    const next = await look();
    if (canonicalJson(keysOf(next)) === canonicalJson(proposed)) break;
    found = next;
  }
  if (session.json) session.printJson(spoken(found));
  else session.print(examinationText(session, found));
  return found.fault === null && found.problems.length === 0 && found.malformed === 0
    ? exitCodes.ok
    : exitCodes.failed;
}

/** `utf-8, fields separated by ";", lines end in CRLF, with a header row`. */
function writtenText({
  encoding,
  delimiter,
  lineEnds,
  header,
}: NonNullable<TableExamination["written"]>): string {
  const ends = Object.entries(lineEnds).filter(([, count]) => count > 0);
  const ended = ends.map(([kind]) => kind.toUpperCase()).join(" and ");
  return [
    encoding,
    `fields separated by ${delimiter === "\t" ? "tabs" : JSON.stringify(delimiter)}`,
    ...(ended === "" ? [] : [`lines end in ${ended}`]),
    header ? "with a header row" : "without a header row",
  ].join(", ");
}

/** Keys that the entry should have beside its own. */
const keysOf = ({ csv, remarks }: TableExamination): Readonly<Record<string, unknown>>[] => [
  ...(csv === null ? [] : [{ csv }]),
  ...remarks.flatMap(({ entry }) => (entry === null ? [] : [entry])),
];

/** Keys of a table's entry on one line of YAML. */
const entryLine = (entry: Readonly<Record<string, unknown>>): string =>
  stringify(entry, { collectionStyle: "flow", lineWidth: 0 })
    .trim()
    .replace(/^\{ (.*) \}$/, "$1");

function examinationText(session: Session, found: TableExamination): string {
  const { strong, bad, caution, good } = session.style;
  const { name, format, files, rows, malformed, columns, problems, remarks, csv, written, fault, leftOut } =
    found;
  const lines = [
    fault === null
      ? `${strong(printable(name))}  ${format}, ${files === 1 ? "one file" : `${files} files`}, ${rows === null ? "rows not counted" : counted(rows, "row")}, ${counted(columns.length, "column")}`
      : `${bad("cannot be read:")} ${printable(fault.message)}. ${printable(fault.remedy)}.`,
  ];
  if (written !== null) lines.push(`${" ".repeat(2)}${writtenText(written)}`);
  for (const problem of problems)
    lines.push(paragraph(caution("problem"), printable(english(problem)), { indent: 0, labelWidth: 9 }));
  if (csv !== null) lines.push(`${caution("write")}    csv: ${printable(JSON.stringify(csv))}`);
  for (const { line, entry } of remarks) {
    lines.push(paragraph(caution("look at"), printable(english(line)), { indent: 0, labelWidth: 9 }));
    if (entry !== null) lines.push(`${caution("write")}    ${printable(entryLine(entry))}`);
  }
  if (fault === null && problems.length === 0 && malformed === 0 && remarks.length === 0)
    lines.push(good("No problem was found."));
  if (leftOut !== null && leftOut.columns.length > 0) lines.push("", ...leftOutText(leftOut, session.style));
  if (columns.length > 0) {
    const shown = [
      { title: "COLUMN", cell: (column: SeenColumn) => printable(column.name) },
      { title: "TYPE", cell: (column: SeenColumn) => column.type },
      { title: "SEEN", cell: seenText },
    ];
    lines.push("", table(columns, shown, session.style));
  }
  return lines.join("\n");
}

/** Levels with their cells, or the years of dates. */
function seenText({ levels, others, dates }: SeenColumn): string {
  if (dates !== null)
    return `${dates.first === dates.last ? dates.first : `${dates.first} to ${dates.last}`}, as ${printable(dates.format)}`;
  if (levels.length === 0) return "";
  const shown = levels.map(
    ({ text, cells, declared }) =>
      `${printable(text)} ${cells.toLocaleString("en-US")}${declared === false ? " (not declared)" : ""}`,
  );
  return [...shown, ...(others === 0 ? [] : [`others ${others.toLocaleString("en-US")}`])].join(", ");
}

/** Rows with a cell that cannot be read, beside the others. */
function leftOutText({ rows, others, columns }: LeftOutRows, style: Session["style"]): string[] {
  const head = `${counted(rows, "row")} with a cell that cannot be read, beside ${others.toLocaleString("en-US")} others; shown on this terminal only:`;
  const value = ({ text }: LeftOutColumn, of: number) =>
    text === null ? String(Number(of.toPrecision(4))) : `${Math.round(100 * of)} %`;
  const shown = [
    {
      title: "COLUMN",
      cell: ({ name, text }: LeftOutColumn) =>
        printable(text === null ? `${name}, mean` : `${name}, share of ${text}`),
    },
    { title: "THESE", cell: (one: LeftOutColumn) => value(one, one.left), alignRight: true },
    { title: "OTHERS", cell: (one: LeftOutColumn) => value(one, one.others), alignRight: true },
    { title: "", cell: ({ isApart }: LeftOutColumn) => (isApart ? style.caution("apart") : "") },
  ];
  return [head, "", table(columns, shown, style)];
}

type LeftOutColumn = LeftOutRows["columns"][number];
