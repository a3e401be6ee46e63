import { stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { ConsiliumError } from "@consilium/core/errors";
import { isAdditive } from "@consilium/core/method/method";
import type { Study } from "@consilium/core/study/study";
import { quoted } from "@consilium/core/text";
import { fileTablesOf, type TableConfig } from "../data/tableConfig.js";
import { tableFiles } from "../data/tableFiles.js";
import { defaultEngine, type EnginesConfig, noEngine } from "./engineConfig.js";
import { Processes } from "./processes.js";
import { foldWorkerPath, nodeProgram, type WorkerProgram } from "./workerProcess.js";

/** From here on a table counts as large: files of so many bytes, or rows that its entry states as `expectedRows`. */
export const largeBytes = 256 * 1024 ** 2;
export const largeRows = 2_000_000;
/** With fewer cores the agent, which reads the table, and its workers take them from each other. */
const defaultCores = 4;

/** What computes the stages over a table. */
interface Choice {
  readonly name: string;
  readonly engine: Processes;
  /** Whether the table's entry names it; else it is the default of large tables. */
  readonly isNamed: boolean;
}

/** For a person: which engine, with how many workers; null for the agent's own process. */
export type EngineView = Pick<Choice, "name" | "isNamed"> & { readonly workers: number };

/** The engines of a site's configuration, and the one of large tables. */
export class Engines {
  readonly #byName: ReadonlyMap<string, Processes>;

  /** @param program - how a worker is started; left out, as it was built */
  constructor(
    config: EnginesConfig,
    { cores = availableParallelism(), program = nodeProgram(foldWorkerPath) }: EnginesOptions = {},
  ) {
    const all = { ...(cores >= defaultCores ? { [defaultEngine]: {} } : {}), ...config };
    this.#byName = new Map(
      Object.entries(all).map(
        ([name, { workers = cores }]: [string, { readonly workers?: number | undefined }]) => [
          name,
          new Processes(workers, program),
        ],
      ),
    );
  }

  /**
   * What computes a study's stages over a table; null for the agent itself.
   * @throws ConsiliumError ENGINE_UNSUITABLE for a study that cannot be computed in shares, of a table whose entry names an engine
   */
  async engineOf(config: TableConfig, study: Study): Promise<Processes | null> {
    const choice = await this.#choice(config);
    if (choice === null) return null;
    if (isAdditive(study)) return choice.engine;
    if (!choice.isNamed) return null;
    throw new ConsiliumError(
      "ENGINE_UNSUITABLE",
      `table ${quoted(config.name)} is computed by the engine ${quoted(choice.name)}, and ${study.method} needs all rows in one place`,
    );
  }

  async view(config: TableConfig): Promise<EngineView | null> {
    const choice = await this.#choice(config);
    return choice && { name: choice.name, isNamed: choice.isNamed, workers: choice.engine.workers };
  }

  /** Ends every worker. */
  async close(): Promise<void> {
    await Promise.all([...this.#byName.values()].map((engine) => engine.close()));
  }

  async #choice(config: TableConfig): Promise<Choice | null> {
    const isNamed = config.engine !== undefined;
    const name = config.engine ?? defaultEngine;
    if (name === noEngine || !(isNamed || (await isLarge(config)))) return null;
    const engine = this.#byName.get(name);
    return engine === undefined ? null : { name, engine, isNamed };
  }
}

interface EnginesOptions {
  readonly cores?: number;
  readonly program?: WorkerProgram;
}

async function isLarge(config: TableConfig): Promise<boolean> {
  if (config.expectedRows !== undefined) return config.expectedRows >= largeRows;
  let bytes = 0;
  for (const part of fileTablesOf(config))
    for (const file of (await tableFiles(part)).files) bytes += (await stat(file)).size;
  return bytes >= largeBytes;
}
