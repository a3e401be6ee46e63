import { isWholeRun } from "@consilium/core/testing/wholeRun";
import { it, type TestContext } from "vitest";

/** A test of the whole run alone. */
export function further(name: string, test: (context: TestContext) => Promise<void>): void {
  if (isWholeRun) it(name, test);
}
