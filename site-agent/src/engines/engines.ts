import { nameOf } from "@consilium/core/said";
import type { Study } from "@consilium/core/study/study";
import type { Part } from "@consilium/gate/part";
import { fault } from "../data/fault.js";
import { shown, tablePlace } from "../data/place.js";
import type { TableConfig } from "../data/tableConfig.js";
import { isAdditive } from "./additive.js";
import type { EnginesConfig } from "./engineConfig.js";
import type { Processes, ProcessesOptions } from "./processes.js";
import type { TableStage } from "./stage.js";
import { isLarge, type Machine, thisMachine, usualWorkers } from "./usual.js";

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
 * The engines of a site's configuration. A table has the one that its entry names. Where it names none, a large table has worker
 * processes on a machine of many cores, and every other the agent itself (docs/HOSPITAL.md#engines).
 */
export class Engines {
  readonly #byName: ReadonlyMap<string, Engine>;
  /** Null on a machine where the agent is as fast by itself. */
  readonly #usual: Engine | null;
  readonly #largeBytes: number | undefined;

  constructor(
    config: EnginesConfig,
    { machine = thisMachine(), largeBytes, ...options }: EnginesOptions = {},
  ) {
    this.#byName = new Map(
      Object.entries(config).map(([name, engine]) => [
        name,
        engine.kind === "spark"
          ? spark
          : new LentProcesses({ ...options, workers: engine.workers ?? machine.cores }),
      ]),
    );
    const workers = usualWorkers(machine);
    this.#usual = workers === 0 ? null : new LentProcesses({ ...options, workers });
    this.#largeBytes = largeBytes;
  }

  /**
   * What computes a study's stages over a table; null for the agent itself.
   * @throws ConsiliumError ENGINE_UNSUITABLE for a study that cannot be computed in shares by the engine that the table's entry
   *   names; as `tableFiles`
   */
  async engineOf(config: TableConfig, study: Study): Promise<Engine | null> {
    const engine = await this.#of(config);
    if (engine === null || isAdditive(study)) return engine;
    if (config.engine === undefined) return null;
    const params = {
      place: tablePlace(config.name),
      engine: shown(config.engine),
      method: nameOf(study.method),
    };
    throw fault("ENGINE_UNSUITABLE", "engine.unsuitable", params);
  }

  /** @throws ConsiliumError as `tableFiles` */
  async view(config: TableConfig): Promise<EngineView | null> {
    const engine = await this.#of(config);
    return engine && { name: config.engine ?? "processes", workers: engine.workers };
  }

  /** Ends every worker. */
  async close(): Promise<void> {
    const all = [...this.#byName.values(), ...(this.#usual === null ? [] : [this.#usual])];
    await Promise.all(all.map((engine) => engine.close()));
  }

  async #of(config: TableConfig): Promise<Engine | null> {
    if (config.engine !== undefined) return this.#byName.get(config.engine) ?? null;
    return this.#usual !== null && (await isLarge(config, this.#largeBytes)) ? this.#usual : null;
  }
}

interface EnginesOptions extends Omit<ProcessesOptions, "workers"> {
  readonly machine?: Machine;
  /** From how many bytes a table of files is large. */
  readonly largeBytes?: number;
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
