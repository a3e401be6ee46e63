import type { Snippet } from "@consilium/core/release/views";
import { fileNames } from "./files.js";
import { type ModelInputs, modelSnippet, xgboostSnippet } from "./modelSnippets.js";

/** Code that reads a release, ready to paste. Tests run each as it stands, but for R. */

type Access = "open" | "token";

/**
 * How to read the rows of a release in the tools that analysts use.
 * @param baseUrl - of the release, ending in a slash; it holds no quotes or white space
 * @param access - for `token`, the code takes the token from the environment variable CONSILIUM_TOKEN
 */
export function readingSnippets(baseUrl: string, access: Access): readonly Snippet[] {
  const url = `${baseUrl}${fileNames.parquet}`;
  const isOpen = access === "open";
  return [
    {
      id: "pandas",
      title: "Python, pandas",
      language: "python",
      needs: "pip install pandas pyarrow",
      code: isOpen
        ? `import pandas as pd\n\nrows = pd.read_parquet("${url}")`
        : "import os\nimport pandas as pd\n\n" +
          'headers = {"Authorization": "Bearer " + os.environ["CONSILIUM_TOKEN"]}\n' +
          `rows = pd.read_parquet("${url}", storage_options=headers)`,
    },
    {
      id: "r",
      title: "R, arrow",
      language: "r",
      needs: 'install.packages("arrow")',
      code: isOpen ? `library(arrow)\n\nrows <- read_parquet("${url}")` : rTokenCode(url),
    },
    {
      id: "duckdb",
      title: "DuckDB",
      language: "sql",
      needs: "DuckDB with its extension httpfs; a downloaded file needs no extension",
      code:
        "INSTALL httpfs;\nLOAD httpfs;\n" +
        (isOpen ? "" : "CREATE SECRET consilium (TYPE http, BEARER_TOKEN 'the token');\n") +
        `SELECT * FROM read_parquet('${url}');\n\n` +
        `-- From the downloaded file:\nSELECT * FROM read_parquet('${fileNames.parquet}');`,
    },
  ];
}

function rTokenCode(url: string): string {
  return (
    "library(arrow)\n\n" +
    'token <- paste("Bearer", Sys.getenv("CONSILIUM_TOKEN"))\n' +
    `download.file("${url}", "${fileNames.parquet}",\n  mode = "wb", headers = c(Authorization = token))\n` +
    `rows <- read_parquet("${fileNames.parquet}")`
  );
}

/** Of a release as it is published: for its rows, and for its model where it has one to run. */
export function releaseSnippets(options: {
  readonly url: string;
  readonly access: Access;
  readonly files: ReadonlySet<string>;
  /** Null where the release has no model to run. */
  readonly model: ModelInputs | null;
}): readonly Snippet[] {
  const { url, access, files, model } = options;
  const rows = files.has(fileNames.parquet) ? readingSnippets(url, access) : [];
  if (model === null || !files.has(fileNames.onnx)) return rows;
  const onnx: Snippet = {
    id: "onnxruntime",
    title: "Python, ONNX Runtime",
    language: "python",
    needs: "pip install onnxruntime pandas",
    code: withDownload(modelSnippet(model), `${url}${fileNames.onnx}`, fileNames.onnx, access),
  };
  if (!files.has(fileNames.xgboost)) return [...rows, onnx];
  const xgboost: Snippet = {
    id: "xgboost",
    title: "Python, XGBoost",
    language: "python",
    needs: "pip install xgboost",
    code: withDownload(xgboostSnippet(model), `${url}${fileNames.xgboost}`, fileNames.xgboost, access),
  };
  return [...rows, onnx, xgboost];
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
