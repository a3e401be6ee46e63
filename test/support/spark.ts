import { spawnSync } from "node:child_process";
import type { TestContext } from "vitest";
import { python } from "./python.js";

/** Of small tables most of the time goes into compiling. */
export const quickSpark = {
  "spark.driver.memory": "512m",
  "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
  "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
  "spark.sql.codegen.wholeStage": "false",
  "spark.sql.codegen.factoryMode": "NO_CODEGEN",
};

/** Whether the machine has Java and a Python with PySpark; says so loudly where not, and fails with CONSILIUM_FORBID_SKIPS=1. */
export function hasSpark(): boolean {
  const hasJava = spawnSync("java", ["-version"]).status === 0;
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
