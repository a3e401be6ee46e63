import type { Words } from "../said.js";
import type { TableCheckSays } from "../says/tableCheck.js";

const delimiter = (text: string) => (text === "\t" ? "a tab" : `"${text}"`);

export const tableCheck: Words<TableCheckSays> = {
  "check.delimiter": ({ found, stated }) =>
    `Fields are separated by ${delimiter(found)}, not by ${delimiter(stated)}: set csv.delimiter.`,
  "check.sep-line": () =>
    "The first line is Excel's `sep=`, which is no header: skip it with csv.skipRows: 1.",
  "check.encoding": ({ found, stated }) => `The text is ${found}, not ${stated}: set csv.encoding.`,
  "check.decimal-comma": () => "Numbers have a decimal comma: set csv.decimal.",
  "check.same-names": ({ first, second }, { number }) =>
    `Columns ${number(first)} and ${number(second)} have the same name: rename one in the export.`,
  "check.first-record": () =>
    "The first row seems to be a record: set csv.header: false, and the columns' names in csv.names.",
  "check.ragged": ({ rows, all, row, fields, width }, { number, count }) =>
    `${number(rows)} of the first ${count(all, "row")} have another number of fields: row ${number(row)} has ${number(fields)}, the first has ${number(width)}. Quote fields that contain the delimiter or a line break.`,
  "check.fields": ({ rows, line }, { number, count }) =>
    `${count(rows, "row")} ${rows === 1 ? "has" : "have"} more or fewer fields than the header and ${rows === 1 ? "is" : "are"} left out, first in line ${number(line)}. If fields hold the delimiter, they need quotation marks: look at csv.quote, csv.escape and csv.delimiter.`,
  "check.cut": ({ line }, { number }) =>
    `The last row, line ${number(line)}, breaks off: the file may be cut. Export it again, and compare the number of rows.`,
  "check.quote": ({ rows, line }, { number, count }) =>
    `${count(rows, "row")} ${rows === 1 ? "opens" : "open"} a quotation mark that the line does not close and ${rows === 1 ? "is" : "are"} left out, first in line ${number(line)}. If fields run over lines, set csv.multiline to the most lines of a row; if the mark means nothing, set csv.quote: none.`,
  "check.behind-quote": ({ rows, line }, { number, count }) =>
    `${count(rows, "row")} ${rows === 1 ? "has" : "have"} text behind a closing quotation mark and ${rows === 1 ? "is" : "are"} left out, first in line ${number(line)}. If a backslash stands before quotation marks within a field, set csv.escape: "\\\\".`,
  "check.long": ({ rows, line }, { number, count }) =>
    `${count(rows, "row")} ${rows === 1 ? "is" : "are"} longer than 16 MiB and left out, first in line ${number(line)}. A quotation mark that is never closed does that: set csv.quote: none if the marks mean nothing.`,
  "check.no-object": ({ rows, line }, { number, count }) =>
    `${count(rows, "line")} ${rows === 1 ? "is no JSON object and is" : "are no JSON objects and are"} left out, first line ${number(line)}.`,
  "check.line-ends": ({ lf, crlf, cr }, { number }) =>
    `Lines end in more than one way (LF ${number(lf)}, CRLF ${number(crlf)}, CR ${number(cr)}). All of them are understood; a file that was put together from several is worth a look.`,
  "check.texts-among-numbers": ({ column, cells, all }, { number, count }) =>
    `${column}: ${number(cells)} of ${count(all, "cell")} hold a text, the others a number. Studies leave their rows out unless the table's entry says what the text means.`,
  "check.known-missing": ({ column, cells, all, spelling }, { number, count }) =>
    `${column}: ${number(cells)} of ${count(all, "cell")} hold ${spelling}. If it stands for a missing value, say so.`,
  "check.below-detection": ({ column, cells, all }, { number, count }) =>
    `${column}: ${number(cells)} of ${count(all, "cell")} begin with "<", as values below detection do. Unless the entry says so, studies leave these rows out, and what is left is too high on average.`,
  "check.no-characters": ({ column, cells }, { count }) =>
    `${column}: ${count(cells, "cell")} ${cells === 1 ? "holds" : "hold"} bytes that are no characters in the encoding of the table's entry. Is csv.encoding right, and was the export whole?`,
  "check.midnights": ({ column }) =>
    `${column}: all times lie on the same one or two full hours, as midnights of another time zone do. If days are meant, state the table's timeZone, such as Europe/Berlin.`,
  "check.left-out": ({ rows, columns }, { count, list }) =>
    `${count(rows, "row")} with a cell that cannot be read ${rows === 1 ? "is" : "are"} no random ${rows === 1 ? "one" : "ones"}: ${rows === 1 ? "it differs" : "they differ"} from the others in ${list(columns)}. Left out, they leave other patients than the table has.`,
  "check.dates": ({ column, format }) => `${column} holds dates written ${format}: say so.`,
  "check.dates-open": ({ column, formats }, { list }) =>
    `${column} holds dates that could be written ${list(formats)}: say which under columns, with the key date.`,
  "check.least-apart": ({ column, cells, all }, { number, count }) =>
    `${column}: the least number stands apart from all others, in ${number(cells)} of ${count(all, "cell")}. If it stands for a missing value, list it under missing of the column.`,
  "check.greatest-apart": ({ column, cells, all }, { number, count }) =>
    `${column}: the greatest number stands apart from all others, in ${number(cells)} of ${count(all, "cell")}. If it stands for a missing value, list it under missing of the column.`,
};
