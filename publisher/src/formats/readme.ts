import { lacks } from "@consilium/core/method/parts";
import type { ReleaseFile } from "@consilium/core/release/certificate";
import { citation } from "@consilium/core/release/citation";
import type { ReleaseContent } from "@consilium/core/release/content";
import { countedTexts } from "@consilium/core/release/countedText";
import type { ResultTable } from "@consilium/core/release/tables";
import { holdingsText } from "@consilium/core/release/wording";
import { saidText } from "@consilium/core/said";
import { english } from "@consilium/runtime/http/spoken";
import { readable } from "./dictionary.js";
import { markdownText, paragraphs, markdownTable as table } from "./escape.js";
import { fileNames, tableFiles } from "./files.js";
import { findingTitle } from "./finding.js";
import { withoutLicence } from "./license.js";
import { figureLine } from "./modelSections.js";
import { shownCells } from "./shownCells.js";
import { readingSnippets } from "./snippets.js";

/** Rows of a table that one page has room for. */
const maxShownRows = 15;

/**
 * README.md, of one page: what was found, how private it is, how to read, verify and cite it. The rest is in DICTIONARY.md.
 * @param files - those that were written
 * @param baseUrl - of the release, ending in a slash
 */
export function readme(content: ReleaseContent, files: readonly ReleaseFile[], baseUrl: string): string {
  const [figure] = content.figures ?? [];
  const sections = [
    `# ${markdownText(content.title)}`,
    ...findingSection(content),
    ...(content.missing === undefined
      ? []
      : [`> **Missing.** ${markdownText(missingText(content.missing))}`]),
    `> **Privacy.** ${markdownText(content.privacyStatement)}`,
    ...paragraphs(content.description),
    ...(content.tables ?? []).filter(({ isShown }) => isShown).flatMap(tableSection),
    ...(figure === undefined ? [] : [figureLine(figure)]),
    ...using(content, files, baseUrl),
    facts(content),
    `[${fileNames.dictionary}](${fileNames.dictionary}) describes every file and column, and says how to read the results${
      content.predictor === undefined ? "" : " and how to run the model"
    }.`,
    verifying(content),
    `## Citation\n\n${markdownText(citation(content))} <${baseUrl}>`,
  ];
  return `${sections.join("\n\n")}\n`;
}

/** Finding, who was counted, and the flow of rows. */
function findingSection(content: ReleaseContent): string[] {
  const { finding } = content;
  const { counted, flow } = countedTexts(content);
  const texts = [...counted, ...flow];
  return [
    ...(finding === undefined
      ? []
      : [`> **${findingTitle(finding)}.** ${markdownText(english(finding.text))}`]),
    ...(texts.length === 0 ? [] : [texts.map((one) => `- ${markdownText(english(one))}`).join("\n")]),
  ];
}

function missingText(missing: NonNullable<ReleaseContent["missing"]>): string {
  return english(saidText({ code: "result.missing", params: { missing: lacks(missing) } }));
}

function tableSection(shown: ResultTable): string[] {
  const { name, title, description, columns, rows } = shown;
  const more = rows.length - maxShownRows;
  return [
    `## ${markdownText(title)}`,
    markdownText(description),
    table(
      columns.map((column) => markdownText(column.name)),
      shownCells(shown, rows.slice(0, maxShownRows)),
    ),
    ...(more > 0 ? [`and ${more} more ${more === 1 ? "row" : "rows"}, in \`${tableFiles(name).csv}\`.`] : []),
  ];
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
  ];
  return table(["", ""], rows);
}

function using(content: ReleaseContent, files: readonly ReleaseFile[], baseUrl: string): string[] {
  const { access } = content;
  const shown = readingSnippets({ url: baseUrl, access, ...readable(content, files) })
    .filter(({ id }) => id !== "duckdb")
    .map(({ title, needs, language, code }) => `${title} (${needs}):\n\n\`\`\`${language}\n${code}\n\`\`\``);
  if (shown.length === 0) return [];
  const before =
    access === "open"
      ? []
      : ["This release needs a token. Ask its publisher for one and put it into `CONSILIUM_TOKEN`."];
  return ["## Read it", ...before, ...shown];
}

function verifying({ id }: ReleaseContent): string {
  return [
    "## Verify it",
    "Offline, with the complete folder and the federation's root certificate, which the federation gives and never a release:",
    `\`\`\`sh\nconsilium release verify ${id} --authority root.pem\n\`\`\``,
  ].join("\n\n");
}
