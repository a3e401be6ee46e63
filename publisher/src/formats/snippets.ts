import type { Snippet } from "@consilium/core/release/views";
import { fileNames } from "./files.js";
import { type ModelInputs, modelSnippet, xgboostSnippet } from "./modelSnippets.js";

/** Code that reads a release, ready to paste. Tests run each as it stands. First what needs nothing to be compiled. */

type Access = "open" | "token";

/** What a release has that analysts read. */
export interface Readable {
  /** Of the release, ending in a slash; it holds no quotes or white space. */
  readonly url: string;
  /** For `token`, the code takes the token from the environment variable CONSILIUM_TOKEN. */
  readonly access: Access;
  readonly hasRows: boolean;
  /** Names of its tables of results; their files are `<name>.csv` and `<name>.parquet`. */
  readonly tables: readonly string[];
}

/** How to read the rows and the tables of a release in the tools that analysts use; none where it has neither. */
export function readingSnippets(release: Readable): readonly Snippet[] {
  const names = [...(release.hasRows ? [nameOf(fileNames.parquet)] : []), ...release.tables];
  if (names.length === 0) return [];
  return [
    { id: "r", title: "R", language: "r", needs: "R 4.0 or later, without packages", code: rCode(release) },
    {
      id: "pandas",
      title: "Python, pandas",
      language: "python",
      needs: "pip install pandas pyarrow",
      code: pandasCode(release),
    },
    {
      id: "duckdb",
      title: "SQL, DuckDB",
      language: "sql",
      needs: "DuckDB with its extension httpfs; a downloaded file needs no extension",
      code: duckdbCode(release, names),
    },
  ];
}

const nameOf = (file: string) => file.slice(0, file.lastIndexOf("."));

/** The table that code shows: of a printed one its numbers, each in a line of its own. */
const firstRead = (tables: readonly string[]) => tables.find((name) => name.endsWith("-tidy")) ?? tables[0]!;

function pandasCode({ url, access, hasRows, tables }: Readable): string {
  const isOpen = access === "open";
  const options = isOpen ? "" : ", storage_options=headers";
  const lines = isOpen
    ? ["import pandas as pd", ""]
    : [
        "import os",
        "import pandas as pd",
        "",
        'headers = {"Authorization": "Bearer " + os.environ["CONSILIUM_TOKEN"]}',
      ];
  if (hasRows)
    lines.push(
      `rows = pd.read_parquet("${url}${fileNames.parquet}"${options})`,
      "print(rows.head(10).to_string(index=False))",
    );
  if (tables.length > 0)
    lines.push(
      "tables = {",
      `    name: pd.read_parquet(f"${url}{name}.parquet"${options})`,
      `    for name in [${tables.map((name) => `"${name}"`).join(", ")}]`,
      "}",
      `table = tables["${firstRead(tables)}"]`,
      'print(table.to_string(index=False, na_rep="", float_format="{:.6g}".format, max_rows=40))',
    );
  return lines.join("\n");
}

/** A level called NA stays text, and an empty cell of a column of numbers is missing. */
const csvOptions = 'na.strings = character(), check.names = FALSE, encoding = "UTF-8"';

function rCode({ url, access, hasRows, tables }: Readable): string {
  const lines = [
    ...(access === "token"
      ? [
          'token <- paste("Bearer", Sys.getenv("CONSILIUM_TOKEN"))',
          "read_release <- function(file) {",
          `  download.file(paste0("${url}", file), file, mode = "wb", headers = c(Authorization = token))`,
          `  read.csv(file, ${csvOptions})`,
          "}",
        ]
      : ["read_release <- function(file)", `  read.csv(paste0("${url}", file),\n    ${csvOptions})`]),
    "",
  ];
  if (hasRows) lines.push(`rows <- read_release("${fileNames.csv}")`, "print(head(rows, 10))");
  if (tables.length > 0) {
    const each = tables.map((name) => `  "${name}" = read_release("${name}.csv")`);
    lines.push("tables <- list(", each.join(",\n"), ")", `print(tables[["${firstRead(tables)}"]])`);
  }
  return lines.join("\n");
}

function duckdbCode({ url, access }: Readable, names: readonly string[]): string {
  const selects = (base: string) =>
    names.map((name) => `SELECT * FROM read_parquet('${base}${name}.parquet');`).join("\n");
  return (
    "INSTALL httpfs;\nLOAD httpfs;\n" +
    (access === "open" ? "" : "CREATE SECRET consilium (TYPE http, BEARER_TOKEN 'the token');\n") +
    `${selects(url)}\n\n-- From the downloaded files:\n${selects("")}`
  );
}

/** The names of the tables of results among a release's files. */
export function tableNames(files: Iterable<string>): string[] {
  return [...files].filter((file) => file.endsWith(".parquet") && file !== fileNames.parquet).map(nameOf);
}

/** Of a release as it is published: for its rows and tables, and for its model where it has one to run. */
export function releaseSnippets(options: {
  readonly url: string;
  readonly access: Access;
  readonly files: ReadonlySet<string>;
  /** Null where the release has no model to run. */
  readonly model: ModelInputs | null;
}): readonly Snippet[] {
  const { url, access, files, model } = options;
  const reading = readingSnippets({
    url,
    access,
    hasRows: files.has(fileNames.parquet),
    tables: tableNames(files),
  });
  if (model === null || !files.has(fileNames.onnx)) return reading;
  const onnx: Snippet = {
    id: "onnxruntime",
    title: "Python, ONNX Runtime",
    language: "python",
    needs: "pip install onnxruntime pandas",
    code: withDownload(modelSnippet(model), `${url}${fileNames.onnx}`, fileNames.onnx, access),
  };
  if (!files.has(fileNames.xgboost)) return [...reading, onnx];
  const xgboost: Snippet = {
    id: "xgboost",
    title: "Python, XGBoost",
    language: "python",
    needs: "pip install xgboost",
    code: withDownload(xgboostSnippet(model), `${url}${fileNames.xgboost}`, fileNames.xgboost, access),
  };
  return [...reading, onnx, xgboost];
}

/** Lines that fetch a file beside the code, put behind the code's own imports. */
function withDownload(code: string, url: string, file: string, access: Access): string {
  const [imports, ...rest] = code.split("\n\n");
  const own = imports!.split("\n");
  const fetching =
    access === "open"
      ? [`urllib.request.urlretrieve("${url}", "${file}")`]
      : [
          `request = urllib.request.Request("${url}")`,
          'request.add_header("Authorization", "Bearer " + os.environ["CONSILIUM_TOKEN"])',
          `with urllib.request.urlopen(request) as answer, open("${file}", "wb") as model:`,
          "    model.write(answer.read())",
        ];
  const standard = [...(access === "open" ? [] : ["import os"]), "import urllib.request"];
  return [[...standard, ...own].join("\n"), fetching.join("\n"), ...rest].join("\n\n");
}
