import { lacks } from "@consilium/core/method/parts";
import type { ReleaseFile } from "@consilium/core/release/certificate";
import { citation } from "@consilium/core/release/citation";
import type { ReleaseColumn, ReleaseContent } from "@consilium/core/release/content";
import type { ResultTable } from "@consilium/core/release/tables";
import { holdingsText } from "@consilium/core/release/wording";
import { saidText } from "@consilium/core/said";
import { english } from "@consilium/runtime/http/spoken";
import { fileDescription } from "./descriptions.js";
import { markdownText, markdownTable as table } from "./escape.js";
import { fileNames } from "./files.js";
import { withoutLicence } from "./license.js";
import { cardSection, figuresSection, runSection } from "./modelSections.js";
import { privacyRows } from "./privacyRows.js";
import { readingSnippets } from "./snippets.js";

/** More levels than these are left to datapackage.json. */
const maxShownLevels = 12;

/**
 * README.md: what the release is, how private it is, its data dictionary, how to read and to verify it.
 * @param files - every other file of the release but the certificate and its signature
 * @param baseUrl - of the release, ending in a slash
 */
export function readme(content: ReleaseContent, files: readonly ReleaseFile[], baseUrl: string): string {
  const sections = [
    `# ${markdownText(content.title)}`,
    ...(content.caution === undefined ? [] : [`> **Caution.** ${markdownText(english(content.caution))}`]),
    ...(content.missing === undefined
      ? []
      : [`> **Missing.** ${markdownText(missingText(content.missing))}`]),
    `> **Privacy.** ${markdownText(content.privacyStatement)}`,
    privacyTable(content),
    ...paragraphs(content.description),
    facts(content),
    `## Files\n\n${fileTable(files)}`,
    ...(hasRows(files) ? [dictionary(content.columns)] : []),
    ...tableSections(content.tables ?? []),
    ...reading(content, files, baseUrl),
    ...(content.notes.length === 0
      ? []
      : ["## How to read it", ...content.notes.flatMap((note) => paragraphs(english(note)))]),
    ...(content.card === undefined ? [] : [cardSection(content.card)]),
    ...(content.predictor === undefined ? [] : [runSection(content.predictor)]),
    ...figuresSection(content.figures ?? []),
    verifying(content),
    `## Citation\n\n${markdownText(citation(content))} <${baseUrl}>`,
  ];
  return `${sections.join("\n\n")}\n`;
}

function missingText(missing: NonNullable<ReleaseContent["missing"]>): string {
  return english(saidText({ code: "result.missing", params: { missing: lacks(missing) } }));
}

/** The tables that people read, as they are; the others are named. */
function tableSections(tables: readonly ResultTable[]): string[] {
  if (tables.length === 0) return [];
  const shown = tables
    .filter(({ isShown }) => isShown)
    .flatMap(({ title, description, columns, rows }) => [
      `### ${markdownText(title)}`,
      markdownText(description),
      table(
        columns.map(({ name }) => markdownText(name)),
        rows.slice(0, maxShownRows).map((cells) => cells.map(cellShown)),
      ),
      ...(rows.length > maxShownRows ? [`and ${rows.length - maxShownRows} more rows.`] : []),
    ]);
  const files = tables.map(({ name, title, columns }) => [
    `\`${name}.csv\`, \`${name}.parquet\``,
    markdownText(title),
    columns.map((column) => `\`${column.name}\``).join(", "),
  ]);
  return ["## Results", ...shown, table(["files", "what they hold", "columns"], files)];
}

const maxShownRows = 200;

const cellShown = (cell: string | number | null) =>
  cell === null ? "" : typeof cell === "number" ? String(cell) : markdownText(cell);

function hasRows(files: readonly ReleaseFile[]): boolean {
  return files.some((file) => file.name === fileNames.parquet);
}

function paragraphs(text: string): string[] {
  return text
    .split(/\n\s*\n/)
    .map(markdownText)
    .filter((paragraph) => paragraph !== "");
}

function privacyTable({ privacy }: ReleaseContent): string {
  return table(
    ["privacy", ""],
    privacyRows(privacy).map(([what, text]) => [what, markdownText(text)]),
  );
}

function facts(content: ReleaseContent): string {
  const { study } = content;
  const rows: [string, string][] = [
    ["Release", `\`${content.id}\``],
    ["Study", `${markdownText(study.name)} (SHA-256 \`${study.hash}\`)`],
    ["Method", markdownText(`${study.analysis}, ${study.method}, variant ${study.variant}`)],
    ["Holds", holdingsText({ ...content, columns: content.columns.length })],
    ["Finished", content.createdAt],
    ["License", markdownText(content.license ?? withoutLicence(content))],
    ["Creator", content.creator === null ? "not stated" : markdownText(content.creator)],
    ...(content.contact === undefined
      ? []
      : [["Contact", markdownText(content.contact)] satisfies [string, string]]),
    ["Access", content.access === "open" ? "open" : "with a token from the publisher"],
  ];
  return table(["", ""], rows);
}

function fileTable(files: readonly ReleaseFile[]): string {
  const rows = files.map((file) => [`\`${file.name}\``, fileDescription(file.name)]);
  return table(
    ["file", "description"],
    [
      ...rows,
      [`\`${fileNames.readme}\``, "This file."],
      ["`certificate.json`", "What was computed, at what privacy cost, and the SHA-256 of every file."],
      ["`certificate.jws`", "The aggregator's signature on the certificate; those of the sites are in it."],
    ],
  );
}

function dictionary(columns: readonly ReleaseColumn[]): string {
  const rows = columns.map((column) => [
    markdownText(column.name),
    typeText(column),
    column.type === "number" && column.unit !== undefined ? markdownText(column.unit) : "",
    markdownText(column.description),
    column.type === "level" ? levels(column.levels) : "",
  ]);
  return `## Data dictionary\n\n${table(["column", "type", "unit", "description", "levels"], rows)}`;
}

function typeText(column: ReleaseColumn): string {
  if (column.type === "level") return "text";
  return column.mayBeMissing === true ? "number (float64), or empty" : "number (float64)";
}

function levels(all: readonly string[]): string {
  if (all.length > maxShownLevels) return `${all.length}, listed in \`${fileNames.datapackage}\``;
  return all.map((level) => (level === "" ? "(empty)" : markdownText(level))).join(", ");
}

function reading(content: ReleaseContent, files: readonly ReleaseFile[], baseUrl: string): string[] {
  const snippets = readingSnippets({
    url: baseUrl,
    access: content.access,
    hasRows: hasRows(files),
    tables: (content.tables ?? []).map(({ name }) => name),
  }).map(({ title, language, code }) => `${title}:\n\n\`\`\`${language}\n${code}\n\`\`\``);
  if (snippets.length === 0) return [];
  const before =
    content.access === "open"
      ? []
      : ["This release needs a token. Ask its publisher for one and put it into `CONSILIUM_TOKEN`."];
  const csv = hasRows(files)
    ? [
        `\`${fileNames.csv}\` holds the same values: numbers in the shortest form that gives the same float64, ` +
          "no missing values. With pandas, pass `keep_default_na=False` so that a level called NA stays text.",
      ]
    : ["The CSV files hold the same values: numbers in the shortest form that gives the same float64."];
  return ["## Use it", ...before, ...snippets, ...csv];
}

function verifying(content: ReleaseContent): string {
  return [
    "## Verify it",
    "The certificate lists the SHA-256 of every file and every step on the records. The federation's " +
      "aggregator signs it; the sites sign its statements about the study, the participants and privacy. With the complete " +
      "folder and the federation's root certificate (obtained from the federation, never from a release):",
    `\`\`\`sh\nconsilium release verify ${content.id} --authority root.pem\n\`\`\``,
    "It works offline. It fails for any changed, missing or added file, for an epsilon that does not match the listed " +
      "events, and for invalid or too few signatures of the sites.",
  ].join("\n\n");
}
