import { execFile } from "node:child_process";
import { existsSync } from "node:fs";

/** The Python interpreter with numpy that `CONSILIUM_PYTHON` names, or null: then say so and skip. */
export function oraclePython(): string | null {
  const python = process.env.CONSILIUM_PYTHON;
  if (python !== undefined && python !== "") return python;
  if (process.env.CONSILIUM_FORBID_SKIPS === "1") {
    throw new Error("CONSILIUM_FORBID_SKIPS is set and CONSILIUM_PYTHON names no interpreter with numpy");
  }
  console.warn("SKIPPED: comparisons with numpy, because CONSILIUM_PYTHON names no interpreter with numpy");
  return null;
}

/** The folder of a data set that is not bundled, or null: then say so and skip. */
export function datasetFolder(name: string): string | null {
  const root = process.env.CONSILIUM_DATASETS;
  const folder = root === undefined || root === "" ? null : `${root}/${name}`;
  if (folder !== null && existsSync(folder)) return folder;
  if (process.env.CONSILIUM_FORBID_SKIPS === "1" && root !== undefined && root !== "") {
    throw new Error(`CONSILIUM_FORBID_SKIPS is set and CONSILIUM_DATASETS has no ${name}`);
  }
  console.warn(`SKIPPED: comparisons on ${name}, because CONSILIUM_DATASETS does not lead to it`);
  return null;
}

/** Runs a script with a JSON request on standard input and reads its JSON answer. */
export function ask(python: string, script: string, request: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      python,
      [script],
      { maxBuffer: 256 * 2 ** 20, env: { ...process.env, OPENBLAS_NUM_THREADS: "1" } },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`${script} failed: ${stderr.slice(-2000)}`, { cause: error }));
        else resolve(JSON.parse(stdout));
      },
    );
    child.stdin?.end(JSON.stringify(request));
  });
}
