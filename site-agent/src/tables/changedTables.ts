import { canonicalJson } from "@consilium/core/canonicalJson";
import { toConsiliumError } from "@consilium/core/errors";
import { parseConfig } from "@consilium/runtime/config";
import type { Logger } from "@consilium/runtime/log";
import { agentConfigSchema } from "../agentConfig.js";
import type { TableProcess } from "./tableProcess.js";

interface Options {
  readonly path: string;
  /** Of the configuration that the tables are served by. */
  readonly served: string;
  readonly tables: Pick<TableProcess, "isIdle" | "reopen">;
  readonly log: Pick<Logger, "info" | "error">;
}

/**
 * Serves the tables and engines that a changed config.yaml names; its other keys count from the next start. Where it has an error, the tables
 * stay those of before, and the log says why.
 * @returns the text that was dealt with; null where a table is being read, so that it is to be tried again
 */
export async function serveChanged(
  text: string,
  { path, served, tables, log }: Options,
): Promise<Dealt | null> {
  try {
    if (tablesOf(text, path) === tablesOf(served, path)) return { text, served };
    if (!tables.isIdle || !(await tables.reopen(text))) return null;
  } catch (thrown) {
    const { code, message } = toConsiliumError(thrown);
    log.error("config.yaml has changed and cannot be used: the tables stay as they were", {
      code,
      reason: message,
    });
    return { text, served };
  }
  log.info("the tables of the changed config.yaml are served");
  return { text, served: text };
}

interface Dealt {
  readonly text: string;
  readonly served: string;
}

function tablesOf(text: string, path: string): string {
  const { tables = null, engines = null } = parseConfig(text, path, agentConfigSchema);
  return canonicalJson({ tables, engines });
}
