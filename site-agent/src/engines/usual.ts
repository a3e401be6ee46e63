import { readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { TableConfig } from "../data/tableConfig.js";
import { tableFiles } from "../data/tableFiles.js";
import { usableMemory } from "../memory.js";
import { coresLeast } from "./configuredEngines.js";

/** What a process of this machine may use. */
export interface Machine {
  readonly cores: number;
  readonly memoryBytes: number;
}

/** Of a worker and its reader. */
const pairBytes = 512 * 1024 ** 2;
/** A table of fewer bytes is read in the time that workers take to start. */
const largeLeast = 256 * 1024 ** 2;

/** This machine, or what its container may use of it. */
export function thisMachine(folder = "/sys/fs/cgroup"): Machine {
  const [quota, period] = limits(join(folder, "cpu.max"));
  return {
    cores: Math.min(availableParallelism(), Math.ceil(quota! / (period ?? 1))),
    memoryBytes: usableMemory({ mounts: folder }),
  };
}

/** Workers that a large table has where its entry names no engine, in half of the memory: a quarter is for tables that are held. 0 for none. */
export function usualWorkers({ cores, memoryBytes }: Machine): number {
  const workers = Math.min(cores, Math.floor(memoryBytes / 2 / pairBytes));
  return cores < coresLeast || workers < 2 ? 0 : workers;
}

/**
 * Whether readers can share a table's files, and there is so much in them that workers are worth their start.
 * @throws ConsiliumError as `tableFiles`
 */
export async function isLarge(config: TableConfig, leastBytes = largeLeast): Promise<boolean> {
  if (config.path === undefined) return false;
  const { format, files } = await tableFiles(config);
  const isShared = format === "parquet" || ((format === "csv" || format === "jsonl") && files.length > 1);
  if (!isShared) return false;
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return sizes.reduce((sum, size) => sum + size, 0) >= leastBytes;
}

/** The numbers of a file; infinity where it says `max`, or cannot be read. */
function limits(path: string): number[] {
  try {
    const numbers = readFileSync(path, "utf8").trim().split(/\s+/);
    return numbers.map((text) => (text === "max" ? Number.POSITIVE_INFINITY : Number(text)));
  } catch {
    return [Number.POSITIVE_INFINITY];
  }
}
