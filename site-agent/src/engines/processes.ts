import { setTimeout } from "node:timers/promises";
import { ConsiliumError } from "@consilium/core/errors";
import type { Part } from "@consilium/gate/part";
import { Semaphore } from "@consilium/runtime/semaphore";
import type { AnySaid } from "@consilium/words/said";
import { fault, safeError } from "../data/fault.js";
import { replacedFault } from "../data/files.js";
import { filesSignature } from "../data/heldBlocks.js";
import { openSource } from "../data/openSource.js";
import { tablePlace } from "../data/place.js";
import type { SharedDatabase } from "../data/sources/postgres/sharedDatabase.js";
import type { TableConfig } from "../data/tableConfig.js";
import { maxRetries } from "../tables/retries.js";
import type { SharePart } from "./answer.js";
import { type Division, divisionOf, divisionOfDatabase } from "./pieces.js";
import { Reading } from "./reading.js";
import { silenceMost } from "./silence.js";
import type { TableStage } from "./stage.js";
import { Totals } from "./totals.js";
import {
  databaseReaderPath,
  databaseReaderProgram,
  foldWorkerPath,
  nodeProgram,
  publishedWorkerPath,
  readerPath,
  readerProgram,
  WorkerProcess,
  type WorkerProgram,
} from "./workerProcess.js";

/** A server that restarts takes seconds, or a minute where it has to recover. */
const returnMost = 2 * 60_000;

export interface ProcessesOptions {
  readonly workers: number;
  /** How fold workers and readers are started; left out, as they were built. */
  readonly program?: WorkerProgram;
  /** The fold worker of published methods. */
  readonly published?: WorkerProgram;
  readonly reader?: WorkerProgram;
  readonly databaseReader?: WorkerProgram;
  readonly silenceMs?: number;
  /** How long a database that was lost may take to return. */
  readonly returnMs?: number;
}

/**
 * Computes stages in as many processes as the machine has cores. Each worker answers with what its share of the rows adds up to.
 * Files that can be divided are read by readers, one beside each worker; other tables the agent reads and deals out. A share whose
 * worker or reader ends early, is silent or answers what cannot be, is computed again.
 */
export class Processes {
  readonly workers: number;
  readonly #options: Required<ProcessesOptions>;
  /** One stage at a time: two would have twice as many processes as cores. */
  readonly #turns = new Semaphore(1);
  readonly #readings = new Set<Reading>();

  constructor(options: ProcessesOptions) {
    this.workers = options.workers;
    this.#options = {
      program: nodeProgram(foldWorkerPath),
      published: nodeProgram(publishedWorkerPath),
      reader: readerProgram(readerPath),
      databaseReader: databaseReaderProgram(databaseReaderPath),
      silenceMs: silenceMost,
      returnMs: returnMost,
      ...options,
    };
  }

  /**
   * What the shares of a table come to; whatever is made of them counts only once the iteration has ended by itself.
   * @throws ConsiliumError ENGINE_FAILED, ENGINE_VERSION, TABLE_CHANGED; as `anyRows` where the table cannot be read
   */
  async *parts(stage: TableStage): AsyncGenerator<Part> {
    const end = await this.#turn();
    try {
      yield* this.#shares(stage);
    } catch (thrown) {
      stage.signal.throwIfAborted();
      throw safeError(thrown, stage.config);
    } finally {
      end();
    }
  }

  /** Ends every process. */
  async close(): Promise<void> {
    await Promise.all([...this.#readings].map((reading) => reading.end()));
  }

  /** Waits for its turn. @returns what ends it */
  #turn(): Promise<() => void> {
    return new Promise((begin) => {
      void this.#turns.run(() => new Promise<void>((end) => begin(end)));
    });
  }

  async *#shares(stage: TableStage): AsyncGenerator<Part> {
    const { config } = stage;
    const database = stage.bounded.variant === "paper" ? null : await this.#sharedDatabase(stage);
    if (database !== null) return yield* this.#ofDatabase(stage, database);
    const signature = () => filesSignature(config, Date.now());
    const before = await signature();
    // Readers open the files one by one: what they read is of one table where the files show that they have not changed.
    const division =
      before === null || config.path === undefined || stage.bounded.variant === "paper"
        ? null
        : await divisionOf(await openSource(config, stage.bounded), this.workers);
    try {
      yield* this.#divided(stage, { before, signature, division });
    } catch (thrown) {
      stage.signal.throwIfAborted();
      // A file that was written to midway is read with faults of all kinds.
      throw division !== null && (await signature().catch(() => null)) !== before ? replaced(config) : thrown;
    }
  }

  /** Null for a table that only one process can read; its code is loaded where a table is in a database. */
  async #sharedDatabase({ config, bounded, approval }: TableStage): Promise<SharedDatabase | null> {
    if ((config.postgres ?? config.omop?.postgres) === undefined) return null;
    const { SharedDatabase } = await import("../data/sources/postgres/sharedDatabase.js");
    return SharedDatabase.open(config, bounded, { shares: this.workers, isChecked: approval === null });
  }

  /** One state of a database. Where it is lost before all shares are complete, all are computed again, of another one. */
  async *#ofDatabase(stage: TableStage, first: SharedDatabase): AsyncGenerator<Part> {
    const signature = () => Promise.resolve(null);
    for (let database = first; ; ) {
      const division = divisionOfDatabase(stage.config.name, database, this.workers);
      let lost: ConsiliumError;
      try {
        return yield* this.#divided(stage, { before: null, signature, division });
      } catch (thrown) {
        stage.signal.throwIfAborted();
        if (!(thrown instanceof ConsiliumError) || thrown.code !== "DATABASE_LOST") throw thrown;
        if (database.fault instanceof ConsiliumError && database.fault.code !== thrown.code)
          throw database.fault;
        if (!stage.retries.take()) throw thrown;
        lost = thrown;
      } finally {
        await database.close();
      }
      database = await this.#returned(stage, lost);
    }
  }

  /** Waits for a database that was lost. @throws `lost` where it does not return in time */
  async #returned(stage: TableStage, lost: ConsiliumError): Promise<SharedDatabase> {
    const until = Date.now() + this.#options.returnMs;
    for (;;) {
      await setTimeout(1000, undefined, { signal: stage.signal });
      try {
        const database = await this.#sharedDatabase(stage);
        if (database !== null) return database;
      } catch (thrown) {
        if (!(thrown instanceof ConsiliumError) || thrown.code !== "TABLE_AWAY") throw thrown;
      }
      if (Date.now() > until) throw lost;
    }
  }

  async *#divided(stage: TableStage, { before, signature, division }: DividedTable): AsyncGenerator<Part> {
    const { config } = stage;
    const shares = division?.pieces.length ?? this.workers;
    const all = Array.from({ length: shares }, (_, share) => share);
    const total = new Totals(stage);
    // Of a source that does not show whether it changed: what is complete of one reading.
    const complete = new Map<number, SharePart>();
    for (let open = all; open.length > 0; ) {
      // Shares add up to a table where it was the same table that they were dealt from. Of a source that does not show whether it is,
      // all shares are of one reading, and none is handed out before all are complete.
      const { program, published, reader: ofFiles, databaseReader, silenceMs } = this.#options;
      const reader = division?.database == null ? ofFiles : databaseReader;
      const own = stage.bounded.variant === "paper" ? published : program;
      const failed = new Map<number, AnySaid>();
      const workers = new Map(open.map((share) => [share, new WorkerProcess(own)]));
      const reading = new Reading({ stage, workers, shares, division, reader, silenceMs });
      this.#readings.add(reading);
      try {
        await reading.feed();
        total.leftOut(reading.malformed);
        for (const share of open) {
          const answered = await reading.answer(share);
          if ("fault" in answered) failed.set(share, answered.fault);
          else if (before === null) complete.set(share, answered);
          else yield total.add(answered);
        }
      } finally {
        await reading.end();
        this.#readings.delete(reading);
      }
      const [why] = failed.values();
      if (why !== undefined && !stage.retries.take()) throw failedAgain(config, why);
      if (before !== null && (failed.size > 0 || division !== null) && (await signature()) !== before)
        throw replaced(config);
      open = [...failed.keys()];
      // Rows that the agent dealt were of one reading; a database's shares are of one state, which is still there.
      if (open.length === 0 || before !== null || division !== null) continue;
      complete.clear();
      open = all;
    }
    for (const part of complete.values()) yield total.add(part);
    total.check();
  }
}

interface DividedTable {
  /** Of its files; null where they do not show whether they have changed. */
  readonly before: string | null;
  readonly signature: () => Promise<string | null>;
  /** What readers read of it; null where the agent reads for all workers. */
  readonly division: Division | null;
}

const replaced = (config: TableConfig) => replacedFault(tablePlace(config.name));

function failedAgain({ name }: TableConfig, why: AnySaid): ConsiliumError {
  const params = { place: tablePlace(name), readings: maxRetries + 1, why };
  return fault("ENGINE_FAILED", "engine.failed-again", params);
}
