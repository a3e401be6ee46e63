import { fileNames } from "./files.js";

/** Code that reads a release, ready to paste. */
export interface Snippet {
  readonly title: string;
  /** As a fenced code block calls it. */
  readonly language: string;
  readonly code: string;
}

/**
 * How to read the rows of a release in the tools that analysts use.
 * @param baseUrl - of the release, ending in a slash; it holds no quotes or white space
 * @param access - for `token`, the code takes the token from the environment variable CONSILIUM_TOKEN
 */
export function readingSnippets(baseUrl: string, access: "open" | "token"): readonly Snippet[] {
  const url = `${baseUrl}${fileNames.parquet}`;
  return access === "open" ? openSnippets(url) : tokenSnippets(url);
}

function openSnippets(url: string): readonly Snippet[] {
  return [
    {
      title: "Python, pandas",
      language: "python",
      code: `import pandas as pd\n\nrows = pd.read_parquet("${url}")`,
    },
    {
      title: "R, arrow",
      language: "r",
      code: `library(arrow)\n\nrows <- read_parquet("${url}")`,
    },
    {
      title: "DuckDB",
      language: "sql",
      code: `INSTALL httpfs;\nLOAD httpfs;\nSELECT * FROM read_parquet('${url}');`,
    },
  ];
}

function tokenSnippets(url: string): readonly Snippet[] {
  return [
    {
      title: "Python, pandas",
      language: "python",
      code:
        "import os\nimport pandas as pd\n\n" +
        'headers = {"Authorization": "Bearer " + os.environ["CONSILIUM_TOKEN"]}\n' +
        `rows = pd.read_parquet("${url}", storage_options=headers)`,
    },
    {
      title: "R, arrow",
      language: "r",
      code:
        "library(arrow)\n\n" +
        'token <- paste("Bearer", Sys.getenv("CONSILIUM_TOKEN"))\n' +
        `download.file("${url}", "${fileNames.parquet}",\n  mode = "wb", headers = c(Authorization = token))\n` +
        `rows <- read_parquet("${fileNames.parquet}")`,
    },
    {
      title: "DuckDB",
      language: "sql",
      code:
        "INSTALL httpfs;\nLOAD httpfs;\n" +
        "CREATE SECRET consilium (TYPE http, BEARER_TOKEN 'the token');\n" +
        `SELECT * FROM read_parquet('${url}');`,
    },
  ];
}
