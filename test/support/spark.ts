import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isWholeRun } from "@consilium/core/testing/wholeRun";
import {
  type ResolvedCluster,
  type SparkProgram,
  sparkEngine,
} from "@consilium/site-agent/engines/spark/sparkConfig";
import { describe, type TestContext } from "vitest";
import { python } from "./python.js";

const driverPath = fileURLToPath(new URL("../../site-agent/src/engines/spark/driver.py", import.meta.url));

/** Of small tables most of the time goes into compiling. */
export const quickSpark = {
  "spark.driver.memory": "512m",
  "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
  "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
  "spark.sql.codegen.wholeStage": "false",
  "spark.sql.codegen.factoryMode": "NO_CODEGEN",
  "spark.sql.shuffle.partitions": "2",
};

/** A suite of the whole run alone: Spark starts slowly, and keeps two cores busy. */
export function furtherSuite(name: string, suite: () => void): void {
  if (isWholeRun) describe(name, suite);
}

let hasJava: boolean | undefined;

/** Whether the machine has Java and a Python with PySpark; says so loudly where not, and fails with CONSILIUM_FORBID_SKIPS=1. */
export function hasSpark(): boolean {
  hasJava ??= spawnSync("java", ["-version"]).status === 0;
  if (hasJava && python(["pyspark", "pyarrow"]) !== null) return true;
  const message = "needs Java 17 on the path, and CONSILIUM_PYTHON with pyspark and pyarrow";
  if (process.env.CONSILIUM_FORBID_SKIPS === "1")
    throw new Error(`${message}; CONSILIUM_FORBID_SKIPS=1 forbids to skip it`);
  process.stderr.write(`\nSKIPPED: ${message}\n`);
  return false;
}

export function requireSpark(context: Pick<TestContext, "skip">): void {
  if (!hasSpark()) context.skip("needs Java and PySpark");
}

/** A cluster of this machine, as a hospital's configuration names it. @param more - of the entry */
export function smallCluster(
  program: SparkProgram,
  { conf = {}, ...more }: { readonly conf?: object; readonly [key: string]: unknown } = {},
): ResolvedCluster {
  const python = process.env.CONSILIUM_PYTHON!;
  const entry = { kind: "spark", master: "local[2]", python, partitions: 3, ...more };
  return { ...sparkEngine.parse({ ...entry, conf: { ...quickSpark, ...conf } }), program };
}

/** Paths of all files below a folder, which must be there. Spark and its executors remove what is in it meanwhile: that is not listed. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return unlessGone(() => filesBelow(path), []);
    return entry.isFile() ? [path] : [];
  });
}

/** Files below folders that hold one of these words. */
export function filesHolding(folders: readonly string[], ...words: string[]): string[] {
  return folders.flatMap(filesBelow).filter((path) => {
    const content = unlessGone(() => readFileSync(path), Buffer.alloc(0));
    return words.some((word) => content.includes(word));
  });
}

function unlessGone<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "ENOENT") throw thrown;
    return otherwise;
  }
}

/** Processes below one. */
export function below(pid: number): { pid: number; command: string }[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const parent = Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, "utf8"))?.[1]);
        return [{ pid: Number(name), parent, command: readFileSync(`/proc/${name}/cmdline`, "utf8") }];
      } catch {
        return [];
      }
    });
  const found = [{ pid, parent: 0, command: "" }];
  for (const one of found) found.push(...all.filter(({ parent }) => parent === one.pid));
  return found.slice(1);
}

/** A cluster whose driver's program is another in some places. @param folder - where that program is put */
export function changedDriver(
  cluster: ResolvedCluster,
  folder: string,
  ...changes: readonly (readonly [string, string])[]
): ResolvedCluster {
  let text = readFileSync(driverPath, "utf8");
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`the driver has no ${from}`);
    text = text.replaceAll(from, to);
  }
  const driver = join(folder, `driver-${Math.random().toString(36).slice(2)}.py`);
  writeFileSync(driver, text);
  return { ...cluster, program: { ...cluster.program!, driver } };
}
