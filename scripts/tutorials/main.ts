import { tellIsolated } from "./isolated.js";

const usage = `usage: npm run tutorials [-- --write]

Runs every command of docs/tutorials for real and compares what it prints with what the pages show.
--write puts what was printed into the pages, and takes their pictures anew (Chromium is needed).
CONSILIUM_PYTHON names a Python with pandas, pyarrow, duckdb and onnxruntime, for the analyst's page.
`;

const [argument, ...more] = process.argv.slice(2);
if (more.length > 0 || (argument !== undefined && argument !== "--write")) {
  process.stderr.write(usage);
  process.exit(argument === "--help" ? 0 : 2);
}
if (process.env.CONSILIUM_PYTHON === undefined) {
  const lacking = "CONSILIUM_PYTHON is not set";
  if (argument === "--write") {
    process.stderr.write(`${lacking}: without it the analyst's page would keep its old outputs\n`);
    process.exit(2);
  }
  process.stderr.write(`SKIPPED: Python's blocks, because ${lacking}\n`);
}
const child = tellIsolated(argument === undefined ? [] : [argument], { stdio: "inherit" });
child.on("exit", (code) => process.exit(code ?? 1));
