import { certificateFile, type ReleaseFile, signatureFile } from "@consilium/core/release/certificate";
import type { ReleaseColumn, ReleaseContent } from "@consilium/core/release/content";
import type { ResultTable } from "@consilium/core/release/tables";
import { english } from "@consilium/runtime/http/spoken";
import { fileDescription } from "./descriptions.js";
import { markdownText, paragraphs, markdownTable as table } from "./escape.js";
import { fileNames, tableFiles } from "./files.js";
import { cardSection, figureLine, runSection } from "./modelSections.js";
import { privacyRows } from "./privacyRows.js";
import { readingSnippets } from "./snippets.js";

/** More levels than these are left to datapackage.json. */
const maxShownLevels = 12;

/**
 * DICTIONARY.md: every file and every column of a release, how to read its results, its model card, and its privacy in figures.
 * @param files - those that were written
 * @param baseUrl - of the release, ending in a slash
 */
export function dictionary(content: ReleaseContent, files: readonly ReleaseFile[], baseUrl: string): string {
  const { access, notes, card, predictor, tables = [], figures = [] } = content;
  const sql = readingSnippets({ url: baseUrl, access, ...readable(content, files) }).find(
    ({ id }) => id === "duckdb",
  );
  const sections = [
    `# Data dictionary: ${markdownText(content.title)}`,
    `## Files\n\n${fileTable(files)}`,
    ...(hasRows(files)
      ? [`## Rows\n\n\`${fileNames.csv}\`, \`${fileNames.parquet}\`\n\n${rowTable(content.columns)}`]
      : []),
    ...tables.map(resultTable),
    "CSV files are UTF-8 with a header; numbers are in the shortest form that gives the same float64, and an empty cell is a missing value. " +
      "With pandas, `keep_default_na=False` keeps a level called NA.",
    ...(sql === undefined ? [] : [`${sql.title} (${sql.needs}):\n\n\`\`\`sql\n${sql.code}\n\`\`\``]),
    ...(notes.length === 0
      ? []
      : ["## How to read the results", ...notes.flatMap((note) => paragraphs(english(note)))]),
    ...(card === undefined ? [] : [cardSection(card)]),
    ...(predictor === undefined ? [] : [runSection(predictor)]),
    ...(figures.length === 0 ? [] : ["## Figures", ...figures.map(figureLine)]),
    `## Privacy\n\n${privacyTable(content)}`,
    "The certificate lists the SHA-256 of every file and every step on the records. The aggregator signs it; the hospitals sign its statements " +
      "about the study, the participants and privacy. `consilium release verify` fails for a changed, missing or added file, for an epsilon that " +
      "does not match the listed events, and for invalid or too few signatures of the hospitals.",
  ];
  return `${sections.join("\n\n")}\n`;
}

/** Parts of a release that analysts read, for the code that reads them. */
export function readable({ tables = [] }: Pick<ReleaseContent, "tables">, files: readonly ReleaseFile[]) {
  return { hasRows: hasRows(files), tables: tables.map(({ name }) => name) };
}

function hasRows(files: readonly ReleaseFile[]): boolean {
  return files.some((file) => file.name === fileNames.parquet);
}

function fileTable(files: readonly ReleaseFile[]): string {
  const names = [
    ...files.map(({ name }) => name),
    fileNames.dictionary,
    fileNames.readme,
    certificateFile,
    signatureFile,
  ];
  return table(
    ["file", "description"],
    names.map((name) => [`\`${name}\``, fileDescription(name)]),
  );
}

function rowTable(columns: readonly ReleaseColumn[]): string {
  const rows = columns.map((column) => [
    markdownText(column.name),
    typeText(column),
    column.type === "number" && column.unit !== undefined ? markdownText(column.unit) : "",
    markdownText(column.description),
    column.type === "level" ? levels(column.levels) : "",
  ]);
  return table(["column", "type", "unit", "description", "levels"], rows);
}

function typeText(column: ReleaseColumn): string {
  if (column.type === "level") return "text";
  return column.mayBeMissing === true ? "number (float64), or empty" : "number (float64)";
}

function levels(all: readonly string[]): string {
  if (all.length > maxShownLevels) return `${all.length}, listed in \`${fileNames.datapackage}\``;
  return all.map((level) => (level === "" ? "(empty)" : markdownText(level))).join(", ");
}

function resultTable({ name, title, description, columns }: ResultTable): string {
  const { csv, parquet } = tableFiles(name);
  return [
    `## ${markdownText(title)}`,
    `\`${csv}\`, \`${parquet}\``,
    markdownText(description),
    table(
      ["column", "type", "description"],
      columns.map((column) => [markdownText(column.name), column.type, markdownText(column.description)]),
    ),
  ].join("\n\n");
}

function privacyTable({ privacy }: ReleaseContent): string {
  return table(
    ["privacy", ""],
    privacyRows(privacy).map(([what, text]) => [what, markdownText(text)]),
  );
}
