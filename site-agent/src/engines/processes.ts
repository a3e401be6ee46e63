import { ConsiliumError } from "@consilium/core/errors";
import { quoted } from "@consilium/core/text";
import type { Part } from "@consilium/gate/part";
import { Semaphore } from "@consilium/runtime/semaphore";
import { safeError } from "../data/fault.js";
import { replacedFault } from "../data/files.js";
import { filesSignature } from "../data/heldBlocks.js";
import { openSource } from "../data/openSource.js";
import type { TableConfig } from "../data/tableConfig.js";
import type { SharePart } from "./answer.js";
import { type Division, divisionOf } from "./pieces.js";
import { Reading } from "./reading.js";
import { silenceMost } from "./silence.js";
import type { TableStage } from "./stage.js";
import { Totals } from "./totals.js";
import {
  foldWorkerPath,
  nodeProgram,
  publishedWorkerPath,
  readerPath,
  readerProgram,
  WorkerProcess,
  type WorkerProgram,
} from "./workerProcess.js";

/** A share that fails more often is a fault of the site. */
const failuresMost = 1;

export interface ProcessesOptions {
  readonly workers: number;
  /** How fold workers and readers are started; left out, as they were built. */
  readonly program?: WorkerProgram;
  /** The fold worker of published methods. */
  readonly published?: WorkerProgram;
  readonly reader?: WorkerProgram;
  readonly silenceMs?: number;
}

/**
 * Computes stages in as many processes as the machine has cores. Each worker answers with what its share of the rows adds up to.
 * Files that can be divided are read by readers, one beside each worker; other tables the agent reads and deals out. A share whose
 * worker or reader ends early, is silent or answers what cannot be, is computed once more.
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
      silenceMs: silenceMost,
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

  async *#divided(stage: TableStage, { before, signature, division }: DividedTable): AsyncGenerator<Part> {
    const { config } = stage;
    const shares = division?.pieces.length ?? this.workers;
    const all = Array.from({ length: shares }, (_, share) => share);
    const failures = new Map<number, number>();
    const total = new Totals(stage);
    for (let open = all; open.length > 0; ) {
      // Shares add up to a table where it was the same table that they were dealt from. Of a source that does not show whether it is,
      // all shares are of one reading, and none is handed out before all are complete.
      const { program, published, reader, silenceMs } = this.#options;
      const own = stage.bounded.variant === "paper" ? published : program;
      const complete: SharePart[] = [];
      const failed = new Map<number, string>();
      const workers = new Map(open.map((share) => [share, new WorkerProcess(own)]));
      const reading = new Reading({ stage, workers, shares, division, reader, silenceMs });
      this.#readings.add(reading);
      try {
        await reading.feed();
        total.leftOut(reading.malformed);
        for (const share of open) {
          const answered = await reading.answer(share);
          if ("fault" in answered) failed.set(share, answered.fault);
          else if (before === null) complete.push(answered);
          else yield total.add(answered);
        }
      } finally {
        await reading.end();
        this.#readings.delete(reading);
      }
      for (const [share, fault] of failed) {
        const count = (failures.get(share) ?? 0) + 1;
        failures.set(share, count);
        if (count > failuresMost) throw failedTwice(config, fault);
      }
      if (failed.size === 0) for (const part of complete) yield total.add(part);
      if (before !== null && (failed.size > 0 || division !== null) && (await signature()) !== before)
        throw replaced(config);
      open = before === null && failed.size > 0 ? all : [...failed.keys()];
    }
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

const replaced = (config: TableConfig) => replacedFault(`table ${quoted(config.name)}`);

const failedTwice = ({ name }: TableConfig, what: string) =>
  new ConsiliumError("ENGINE_FAILED", `table ${quoted(name)}: a share of its rows failed twice: ${what}`);
