import { availableParallelism } from "node:os";
import { ConsiliumError } from "@consilium/core/errors";
import { isAdditive } from "@consilium/core/method/method";
import type { Study } from "@consilium/core/study/study";
import { quoted } from "@consilium/core/text";
import type { TableConfig } from "../data/tableConfig.js";
import { type EnginesConfig, noEngine } from "./engineConfig.js";
import { Processes } from "./processes.js";
import {
  foldWorkerPath,
  nodeProgram,
  readerPath,
  readerProgram,
  type WorkerProgram,
} from "./workerProcess.js";

/** For a person: what computes the stages over a table, with how many workers; null for the agent's own process. */
export interface EngineView {
  readonly name: string;
  readonly workers: number;
}

/**
 * The engines of a site's configuration. A table has the one that its entry names: none is the default, for the agent, which
 * reads the table for its workers, was as fast by itself where it was measured (docs/adr/0051-stages-in-worker-processes.md).
 */
export class Engines {
  readonly #byName: ReadonlyMap<string, Processes>;

  /** @param program - how a worker is started; left out, as it was built */
  constructor(
    config: EnginesConfig,
    {
      cores = availableParallelism(),
      program = nodeProgram(foldWorkerPath),
      reader = readerProgram(readerPath),
      silenceMs,
    }: EnginesOptions = {},
  ) {
    this.#byName = new Map(
      Object.entries(config).map(([name, { workers = cores }]) => [
        name,
        new Processes({ workers, program, reader, silenceMs }),
      ]),
    );
  }

  /**
   * What computes a study's stages over a table; null for the agent itself.
   * @throws ConsiliumError ENGINE_UNSUITABLE for a study that cannot be computed in shares
   */
  engineOf(config: TableConfig, study: Study): Processes | null {
    const engine = this.#named(config);
    if (engine === null || isAdditive(study)) return engine;
    throw new ConsiliumError(
      "ENGINE_UNSUITABLE",
      `table ${quoted(config.name)} is computed by the engine ${quoted(config.engine!)}, and ${study.method} needs all rows in one place`,
    );
  }

  view(config: TableConfig): EngineView | null {
    const engine = this.#named(config);
    return engine && { name: config.engine!, workers: engine.workers };
  }

  /** Ends every worker. */
  async close(): Promise<void> {
    await Promise.all([...this.#byName.values()].map((engine) => engine.close()));
  }

  #named({ engine = noEngine }: TableConfig): Processes | null {
    return this.#byName.get(engine) ?? null;
  }
}

interface EnginesOptions {
  readonly cores?: number;
  readonly program?: WorkerProgram;
  readonly reader?: WorkerProgram;
  readonly silenceMs?: number;
}
