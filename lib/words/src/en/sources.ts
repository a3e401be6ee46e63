import { at } from "../at.js";
import type { Words } from "../said.js";
import type { SourceSays } from "../says/sources.js";

const names = (all: readonly string[]) => all.map((name) => `"${name}"`).join(", ");
const coded = (code: string | null) => (code === null ? "" : ` (${code})`);
const listed = (endings: readonly string[]) => coded(endings.length === 0 ? null : endings.join(", "));

const line =
  (fault: string): Words<SourceSays>["line.cut"] =>
  ({ place, line }, { say }) =>
    `${say(place)}: ${line === null ? "the first row" : `line ${line}`} ${fault}`;

const cell =
  (fault: string): Words<SourceSays>["cell.no-number"] =>
  ({ place, column, row, same, others }, { say }) => {
    const counts = [
      ...(same > 1 ? [`${same} such values in this column`] : []),
      ...(others > 0 ? [`${others} more ${others === 1 ? "fault" : "faults"} in the table`] : []),
    ];
    const more = counts.length > 0 ? ` (${counts.join(", ")}; \`consilium site profile\` lists them)` : "";
    return `${say(place)}, column "${column}", row ${row}: ${fault}${more}`;
  };

export const sources: Words<SourceSays> = {
  "place.table": ({ table }) => `table "${table}"`,
  "place.file": ({ table, file }) => `table "${table}", file "${file}"`,
  "place.column": ({ place, column }, { say }) => `${say(place)}, column "${column}"`,
  "place.cdm": ({ table, cdm }) => `table "${table}", OMOP table ${cdm}`,

  "source.system-code": ({ place, code }, { say }) => `${say(place)}: ${code}`,
  "source.unexpected": ({ place, what }, { say }) => `${say(place)}: while it was read: unexpected ${what}`,
  "source.duckdb-interface": at("DuckDB's interface is not the expected one"),
  "source.memory": ({ place, megabytes }, { say }) => `${say(place)}: reading needs over ${megabytes} MB`,
  "source.more-memory": () =>
    "raise the site's memory limit for reading, or write the table in smaller row groups",
  "source.foreign-text": at("text that is not UTF-8"),
  "source.write-utf8": () => "write the file again with its text in UTF-8",
  "source.not-opened": at("the file cannot be opened or read"),
  "source.format": ({ place, kind }, { say }) =>
    `${say(place)}: the file cannot be read in its format${kind === null ? "" : ` (${kind} error)`}`,
  "source.end-missing": at("the file is not complete: its end is missing"),
  "source.checksum": at("the file is not complete: its checksum is wrong"),
  "source.copy-whole": () => "copy the file anew, and put it in its place when it is whole",
  "source.not-packed": at("the file is not packed with gzip"),
  "source.unreadable": ({ place, code }, { say }) => `${say(place)}: the file cannot be read (${code})`,
  "source.empty": at("the file is empty"),
  "source.one-empty": at("a file is empty"),

  "file.code": ({ place, code, path }, { say }) => `${say(place)}: ${code ?? "unknown fault"} at ${path}`,
  "file.none": ({ place, path }, { say }) => `${say(place)}: there is no such file or folder: ${path}`,
  "file.neither": ({ place, path }, { say }) => `${say(place)}: neither a file nor a folder: ${path}`,
  "file.empty-folder": ({ place, path, endings }, { say }) =>
    `${say(place)}: the folder holds no data file${listed(endings)}: ${path}`,
  "file.no-match": ({ place, path, endings }, { say }) =>
    `${say(place)}: no file fits the pattern${listed(endings)}: ${path}`,
  "file.many": ({ place, path, most }, { say }) => `${say(place)}: more than ${most} files: ${path}`,
  "file.replaced": at("a file was replaced while it was read"),
  "file.move-here": () => "write files elsewhere and move them here while no study reads them",
  "file.gone": ({ place, path }, { say }) =>
    `${say(place)}: a link leads nowhere, or a file is gone: ${path}`,
  "file.mount": () => "mount what it leads to, or remove it from the table's folder",
  "file.no-format": ({ place, file }, { say }) => `${say(place)}: the ending of "${file}" tells no format`,
  "file.set-format": ({ formats }) => `set the table's format: ${formats.join(", ")}`,
  "file.formats": ({ place, formats }, { say }) =>
    `${say(place)}: files of several formats: ${formats.join(", ")}`,
  "file.choose-format": () => "set the table's format to the one that is meant",

  "line.fields": line("has more or fewer fields than the header"),
  "line.cut": line("is cut off at the file's end"),
  "line.quote": line("opens a quotation mark and does not close it"),
  "line.behind-quote": line("has text behind a closing quotation mark"),
  "line.long": line("is longer than 16 MiB"),
  "line.no-object": line("is not a JSON object"),
  "line.write-objects": () => "write one JSON object per line",
  "line.correct": () => "correct that line, or the table's csv keys in the site's configuration",
  "line.correct-header": () => "correct the header row, or the table's csv keys in the site's configuration",
  "header.empty": at("the first row holds no column names"),
  "header.begin-with": () => "begin the file with its header row, or set csv.header: false and csv.names",
  "header.numbers": at("the first row holds numbers where names are due"),
  "header.say-which": () =>
    "set csv.header: false and csv.names if it is a record, csv.header: true if numbers are the names",

  "cell.no-number": cell("no number, where one is declared"),
  "cell.not-finite": cell("NaN or infinite, where a finite number is declared"),
  "cell.undeclared": cell("none of the declared levels"),

  "columns.missing": ({ place, columns, more, of }, { say }) => {
    const all = [...columns.map(say), ...(more > 0 ? [`${more} more`] : [])];
    return `${say(place)}: no column ${all.join(", ")} among its ${of}`;
  },
  "columns.no": ({ column, nearest }) =>
    `"${column}"${nearest.length > 0 ? ` (nearest: ${names(nearest)})` : ""}`,
  "columns.check-header": () =>
    "correct the columns' names; for a CSV file check csv.delimiter and, where lines such as sep= stand before the header, csv.skipRows; without a header row set csv.header: false and csv.names",
  "columns.same-name": ({ place, column, columns }, { say }) =>
    `${say(place)}: ${columns} columns are called "${column}"`,
  "columns.type": ({ place, column, type, declared }, { say }) =>
    `${say(place)}, column "${column}", from row 1 on: the file's type is ${type}, declared is ${say(declared)}`,
  "columns.number": () => "a number",
  "columns.level": () => "a category",
  "columns.date": () => "a date",
  "columns.order": () => "an order of a patient's rows",
  "columns.name-order": () =>
    "name a column of numbers, dates or times in unit.patient.orderBy, or remove it",
  "columns.declare-categorical": () => "declare the column categorical, or export it as a number",
  "columns.leave-out": () => "leave the column out, or export it as a number or text",
  "columns.level-blank": ({ column, level }) => `column "${column}": level ${level} is blank`,
  "columns.level-alike": ({ column, level }) => `column "${column}": level ${level} looks like another level`,

  "rows.many": ({ place, most }, { say }) =>
    `${say(place)}: more than the ${most} usable rows of participation.maxRowsPerSite`,
  "rows.few": ({ place, usable, rows, needs }, { say }) =>
    `${say(place)}: ${usable} usable of ${rows} rows, the study needs ${needs}`,
  "rows.constant": ({ place, usable, columns, more }, { say }) =>
    `${say(place)}: one value in all ${usable} usable rows of ${names(columns)}${more > 0 ? ` and ${more} more` : ""}`,

  "contents.columns": ({ place, code }, { say }) =>
    `${say(place)}: its columns have changed (${code}) since it was approved`,
  "contents.uncovered": at("values that no rule covers have come into it since it was approved"),
  "contents.more": at("usable rows have come into it since it was approved"),
  "contents.fewer": at("usable rows have gone from it since it was approved"),
  "contents.values": at("its values have changed since it was approved"),
};
