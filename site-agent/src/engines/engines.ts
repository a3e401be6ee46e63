import { availableParallelism } from "node:os";
import { ConsiliumError } from "@consilium/core/errors";
import type { Study } from "@consilium/core/study/study";
import { quoted } from "@consilium/core/text";
import type { Part } from "@consilium/gate/part";
import type { TableConfig } from "../data/tableConfig.js";
import { isAdditive } from "./additive.js";
import { type EnginesConfig, noEngine } from "./engineConfig.js";
import type { Processes, ProcessesOptions } from "./processes.js";
import type { TableStage } from "./stage.js";

/** For a person: what computes the stages over a table, with how many workers; null for the agent's own process. */
export interface EngineView {
  readonly name: string;
  /** Null for the executors of a cluster, of which there are as many as it gives. */
  readonly workers: number | null;
}

/** Computes stages in shares of a table. */
interface Engine {
  readonly workers: number | null;
  /** What the shares of a table come to; whatever is made of them counts only once the iteration has ended by itself. */
  parts(stage: TableStage): AsyncIterable<Part>;
  close(): Promise<void>;
}

/** The executors of a Spark cluster. Its code is loaded where a table is computed there. */
const spark: Engine = {
  workers: null,
  async *parts(stage) {
    const { sparkParts } = await import("./spark/sparkStage.js");
    yield* sparkParts(stage);
  },
  async close() {
    const { applications } = await import("./spark/applications.js");
    await applications.close();
  },
};

/**
 * The engines of a site's configuration. A table has the one that its entry names: none is the default, for on two cores, where it
 * was measured, the agent was as fast by itself with some methods (docs/OPERATIONS.md#engines).
 */
export class Engines {
  readonly #byName: ReadonlyMap<string, Engine>;

  constructor(config: EnginesConfig, { cores = availableParallelism(), ...options }: EnginesOptions = {}) {
    this.#byName = new Map(
      Object.entries(config).map(([name, engine]) => [
        name,
        engine.kind === "spark" ? spark : new LentProcesses({ ...options, workers: engine.workers ?? cores }),
      ]),
    );
  }

  /**
   * What computes a study's stages over a table; null for the agent itself.
   * @throws ConsiliumError ENGINE_UNSUITABLE for a study that cannot be computed in shares
   */
  engineOf(config: TableConfig, study: Study): Engine | null {
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

  #named({ engine = noEngine }: TableConfig): Engine | null {
    return this.#byName.get(engine) ?? null;
  }
}

interface EnginesOptions extends Omit<ProcessesOptions, "workers"> {
  readonly cores?: number;
}

/** Processes, whose program is loaded when a stage is to be computed: most sites never do. */
class LentProcesses implements Engine {
  readonly #options: ProcessesOptions;
  #processes: Promise<Processes> | null = null;

  constructor(options: ProcessesOptions) {
    this.#options = options;
  }

  get workers(): number {
    return this.#options.workers;
  }

  /** As `Processes.parts`. */
  async *parts(stage: TableStage): AsyncGenerator<Part> {
    this.#processes ??= import("./processes.js").then(({ Processes }) => new Processes(this.#options));
    yield* (await this.#processes).parts(stage);
  }

  async close(): Promise<void> {
    await (await this.#processes)?.close();
  }
}
