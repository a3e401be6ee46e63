import { z } from "zod";
import { sources } from "../site-agent/src/data/sources/places.js";
import { databases, formats } from "../site-agent/src/data/sources/registry.js";
import { tableConfigSchema } from "../site-agent/src/data/tableConfig.js";
import { anchorOf } from "./anchorOf.js";
import { code, formsOf, keyTable, type Row, rowsOf, type Schema } from "./keyTable.js";

type Meanings = Readonly<Record<string, string>>;

const file = "a file, a folder of files, or a pattern with `*` and `?`; relative to `config.yaml`";
const delimiter = "between fields; a comma unless it is stated, a tab for `.tsv`";
const csv: Meanings = {
  csv: "how CSV is written",
  "csv.delimiter": delimiter,
  "csv.header":
    "whether the first row holds names; left out, it is checked to look like names, and none is sent to the aggregator",
  "csv.names": "the columns' names in file order, with `header: false`",
  "csv.decimal": "the decimal mark of numbers",
  "csv.encoding": "of bytes; a byte order mark before the header row is believed in its place",
  "csv.quote": "what fields are quoted with, or `none`; within it a doubled one stands for itself",
  "csv.escape":
    "what stands within quotation marks before a character that is meant as it is, such as `\\\\`",
  "csv.skipRows": "lines before the header row, or the first record, that are neither, such as `sep=;`",
  "csv.multiline":
    "the most lines of one record, whose line ends stand within quotation marks; at 1 a quotation mark that is not closed on its line spoils that line alone",
};

/** Of every entry, beside the place of its records. */
const ofEvery: Meanings = {
  format: "by the file's ending, if left out",
  table: "SQLite alone: the table or view; may be left out of a database with one",
  unit: "whose privacy the ledger counts: [whom an epsilon protects](HOSPITAL.md#whom-an-epsilon-protects); left out, it counts as `rows`, and every study needs a person's approval",
  "unit.patient": "a patient with all their rows",
  "unit.patient.column": "the column that says whose row it is",
  "unit.patient.maxRows": "studies use at most so many rows of each patient",
  "unit.patient.orderBy":
    "of a patient with more rows the first by this column are used: a number, a date or a time; left out, a keyed hash of each row decides",
  missing:
    "texts that stand for a missing value, such as `?` or `-9`, compared without surrounding blanks; the empty text always does",
  nullValues: "former name of `missing`",
  timeZone:
    "where the hospital is, such as `Europe/Berlin`: the day on which an instant falls; left out, days are as written, of instants in UTC",
  ...csv,
  expectedRows:
    "about how many rows the table has, declared by a person. A sound study that takes fewer gets a sample; without this its sums may wrap around",
  engine: "an entry of `engines`, or `none` for the agent itself; left out, the table's size decides",
  columns:
    "[what spellings mean](HOSPITAL.md#what-spellings-mean), by column. JSON lines: its names, or a list of names, are the keys that are columns; only these are sent to the aggregator, and only these can be named",
  "columns.<name>.date": "how the column's dates are written, in place of a study's `format`",
  "columns.<name>.true": "texts that are the level `true`",
  "columns.<name>.false": "texts that are the level `false`",
  "columns.<name>.missing": "further texts that stand for a missing value",
  "columns.<name>.unit": "for people",
  "columns.<name>.bounds":
    "for people: between which values it lies; `announce: described` in the policy tells the aggregator of it, of `unit` and of levels",
  "columns.<name>.bounds.min": "less than `max`",
  "columns.<name>.bounds.max": "more than `min`",
  "columns.<name>.levels": "texts of the table to a study's levels, or to the texts that its `map` names",
  "columns.<name>.below":
    "texts that say a value is below detection, or what stands before the limit in them: `<` is that of `<0.5`",
};

const place: Meanings = {
  url: "the address, without a password; with every check of TLS unless the host is this machine",
  passwordFile: "a file whose first line is the password, relative to `config.yaml`",
};
const query: Meanings = {
  ...place,
  query: "one `SELECT`, whose columns are the table's",
  orderBy:
    "columns that put the rows into one order, best a key: row numbers in messages can then be found again",
};
const memoryMb = "what the query may take, in MiB: nothing is written to disk";

interface Section {
  readonly title: string;
  readonly text: string;
  readonly keys: Meanings;
}

const ofDatabases = Object.fromEntries(
  Object.entries(databases).map(([name, { address }]): [string, Section] => [
    name,
    {
      title: address.product,
      text: "[A query as a table](HOSPITAL.md#a-query-as-a-table).",
      keys: query,
    },
  ]),
) as Readonly<Record<keyof typeof databases, Section>>;

const formatWords = Object.entries(formats)
  .map(([name, { title, endings }]) => `${title} (${code(name)}: ${endings.map(code).join(", ")})`)
  .join("; ");

const sections: Readonly<Record<keyof typeof sources, Section>> = {
  path: { title: "Files", text: `The value is ${file}. Formats are ${formatWords}.`, keys: {} },
  ...ofDatabases,
  duckdb: {
    title: "A query over files",
    text: "[A query over files as a table](HOSPITAL.md#a-query-over-files-as-a-table).",
    keys: {
      files: "what the query calls each of them; the path alone stands for `path`",
      "files.<name>.path": file,
      "files.<name>.format": "by the file's ending, if left out",
      ...Object.fromEntries(Object.entries(csv).map(([key, meaning]) => [`files.<name>.${key}`, meaning])),
      "files.<name>.columns": "JSON lines: the keys that are columns",
      query: "one `SELECT` in DuckDB's SQL, whose columns are the table's",
      memoryMb,
    },
  },
  fhir: {
    title: "FHIR resources",
    text: "[FHIR resources as a table](HOSPITAL.md#fhir-resources-as-a-table).",
    keys: {
      folder: "a bulk export: NDJSON files, each named for the resource type in it",
      files: `in its place, by resource type: ${file}`,
      views:
        "ViewDefinitions of SQL on FHIR 2, by what the query calls them: a JSON file, or the view itself",
      query: "one `SELECT` over the views; may be left out of one view, whose columns are the table's",
      memoryMb,
    },
  },
  omop: {
    title: "An OMOP database",
    text: "[Studies of OMOP databases](omop.md). It names one of `files`, a database and `spark`.",
    keys: {
      files:
        "a folder with the CDM's tables: `person.csv`, `PERSON.parquet`, or a folder `person` of such files",
      ...Object.fromEntries(
        Object.entries(databases).flatMap(([name, { address }]) => [
          [name, `the CDM in ${address.product}`],
          ...Object.entries(place).map(([key, meaning]) => [`${name}.${key}`, meaning]),
        ]),
      ),
      spark:
        "on the cluster of the table's `engine`: `catalog`, or a folder that all executors see, with a folder of Parquet files for each of the CDM's tables",
      schema: "where the CDM's tables are; a catalogue may stand before it",
      vocabularySchema: "where `CONCEPT_ANCESTOR` is, if not in `schema`",
    },
  },
  spark: {
    title: "Spark",
    text: "On the cluster of the table's `engine`: [Spark](HOSPITAL.md#spark). It names one of these.",
    keys: {
      parquet: "a file or folder as executors find it",
      csv: "the same of CSV, which the entry's `csv:` describes",
      table: "a table of the catalogue",
      query: "one `SELECT` of the cluster's SQL, whose columns are the table's",
    },
  },
};

const keysOf = (schema: Schema, meanings: Meanings): Row[] =>
  formsOf(schema)
    .flatMap((form) => rowsOf(form, "", ""))
    .map((row) => ({ ...row, meaning: meanings[row.key] ?? "" }));

const isPlace = ({ key }: Row) =>
  Object.keys(sources).some((name) => key === name || key.startsWith(`${name}.`));
/** What every entry may say. */
const commonRows = (): Row[] =>
  keysOf(z.toJSONSchema(tableConfigSchema, { io: "input" }), ofEvery).filter(
    (row) => row.key !== "name" && !isPlace(row),
  );
const rowsOfSource = (name: keyof typeof sources): Row[] =>
  keysOf(z.toJSONSchema(sources[name].entry, { io: "input" }), sections[name].keys);

/** Keys without a meaning here, and meanings of no key. */
export function unmatchedKeys(): string[] {
  const of = (rows: readonly Row[], meanings: Meanings, path: string) => {
    const keys = new Set(rows.map(({ key }) => key));
    const without = rows.filter(({ meaning }) => meaning === "").map(({ key }) => key);
    return [...without, ...Object.keys(meanings).filter((key) => !keys.has(key))].map((key) => path + key);
  };
  return [
    ...of(commonRows(), ofEvery, ""),
    ...(Object.keys(sources) as (keyof typeof sources)[]).flatMap((name) =>
      of(rowsOfSource(name), sections[name].keys, `${name}.`),
    ),
  ];
}

/**
 * The page of a table's entry, from the schemas that entries of a site's `tables:` are checked with: a section for each place where
 * records can be.
 */
export function renderSources(): string {
  const names = Object.keys(sources) as (keyof typeof sources)[];
  const list = names
    .map((name) => `| ${code(name)} | [${sections[name].title}](#${anchorOf(sections[name].title)}) |`)
    .join("\n");
  const each = names.map((name) => {
    const { title, text } = sections[name];
    const rows = rowsOfSource(name);
    const table = rows.length === 0 ? "" : `\n\n${keyTable(rows)}`;
    return `## ${title}\n\n${code(`tables.<name>.${name}`)}. ${text}${table}`;
  });
  return `# Where a table's records can be

Made from the schemas that entries of \`tables:\` in a site's \`config.yaml\` are checked with. [HOSPITAL.md](HOSPITAL.md#configuration) has the other settings.

An entry has exactly one of:

| key | records |
| --- | --- |
${list}

## Keys of every entry

Below \`tables.<name>\`. \`consilium site table test <name>\` reads a table through and proposes what its entry lacks.

${keyTable(commonRows())}

${each.join("\n\n")}
`;
}
