import { randomUUID } from "node:crypto";
import { ConsiliumError } from "@consilium/core/errors";
import type { Sha256, SiteId, StageId } from "@consilium/core/ids";
import type { Broadcasts } from "@consilium/core/study/broadcast";
import { hidesTables } from "@consilium/core/study/hidesTables";
import type { Study, StudyDocument } from "@consilium/core/study/study";
import { quoted } from "@consilium/core/text";
import { softwareVersion } from "@consilium/core/version";
import type { Part } from "@consilium/gate/part";
import { type CellRequest, MissingValues } from "../data/cells.js";
import { requestsFor } from "../data/columns.js";
import { contentHash, emptySum, mergeSums } from "../data/contentHash.js";
import { readCells } from "../data/decode.js";
import { safeError } from "../data/fault.js";
import { filesSignature } from "../data/heldBlocks.js";
import { openSource } from "../data/openSource.js";
import { patientParts } from "../data/patientHash.js";
import type { LentKeys, TableKeys } from "../data/rowHash.js";
import type { FoundTable } from "../data/snapshot.js";
import type { MalformedRows } from "../data/source.js";
import type { TableConfig } from "../data/tableConfig.js";
import { omopUnit, orderByOf } from "../data/tableUnit.js";
import { Slots } from "../studies/slots.js";
import { type AnswerLine, addFound, readLine, readPart, type SharePart } from "./answer.js";
import { CellStream } from "./arrowCells.js";
import { type ByteReader, PipeEnded } from "./byteReader.js";
import { type Batch, Dealer } from "./dealer.js";
import { encodeJob, type Job } from "./job.js";
import { WorkerProcess, type WorkerProgram } from "./workerProcess.js";

/** A stage that is computed in shares of the table. */
export interface SharedStage {
  readonly document: StudyDocument;
  readonly stage: StageId;
  readonly site: SiteId;
  readonly broadcasts: Broadcasts;
  /** Of the stage's vector. */
  readonly entries: number;
  /** What was approved, of a study that does not hide its tables; else null. */
  readonly approval: { readonly rows: number; readonly contentHash: Sha256 } | null;
  /** Told what was found in a study that hides its tables. */
  readonly found: (table: FoundTable) => void;
  /** Aborted when the study is over. */
  readonly signal: AbortSignal;
}

/** The same with the table. */
export interface TableStage extends SharedStage {
  readonly config: TableConfig;
  /** The study as this site runs it; see `boundedStudy`. */
  readonly bounded: Study;
  readonly keys: TableKeys;
}

/** A share that fails more often is a fault of the site. */
const failuresMost = 1;

/**
 * Computes stages in as many processes as the machine has cores. The agent reads the table and deals its rows out; each worker
 * answers with what its rows add up to. A share whose worker ends early, or answers what cannot be, is computed once more.
 */
export class Processes {
  readonly workers: number;
  readonly #program: WorkerProgram;
  /** One stage at a time: two would have twice as many processes as cores. */
  readonly #turns = new Slots(1);
  readonly #running = new Set<WorkerProcess>();

  constructor(workers: number, program: WorkerProgram) {
    this.workers = workers;
    this.#program = program;
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

  /** Ends every worker. */
  async close(): Promise<void> {
    await Promise.all([...this.#running].map((worker) => worker.kill()));
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
    const all = Array.from({ length: this.workers }, (_, share) => share);
    const failures = new Map<number, number>();
    const total = new Totals(stage);
    for (let open = all; open.length > 0; ) {
      const workers = new Map(open.map((share) => [share, this.#start()]));
      // Shares add up to a table where it was the same table that they were dealt from. Of a source that does not show whether it is,
      // all shares are of one reading, and none is handed out before all are complete.
      const complete: SharePart[] = [];
      const failed = new Map<number, string>();
      try {
        const reading = new Reading(stage, workers, this.workers);
        await reading.feed();
        total.malformed = reading.malformed;
        for (const share of open) {
          const answered = await reading.answer(share);
          if ("fault" in answered) failed.set(share, answered.fault);
          else if (before === null) complete.push(answered);
          else yield total.add(answered);
        }
      } finally {
        await this.#end([...workers.values()]);
      }
      for (const [share, fault] of failed) {
        const count = (failures.get(share) ?? 0) + 1;
        failures.set(share, count);
        if (count > failuresMost) throw failedTwice(config, fault);
      }
      if (failed.size === 0) for (const part of complete) yield total.add(part);
      else if (before !== null && (await signature()) !== before)
        throw changed(config, "its files have changed while a share of it was computed again");
      open = before === null && failed.size > 0 ? all : [...failed.keys()];
    }
    total.check();
  }

  #start(): WorkerProcess {
    const worker = new WorkerProcess(this.#program);
    this.#running.add(worker);
    return worker;
  }

  async #end(workers: readonly WorkerProcess[]): Promise<void> {
    await Promise.all(workers.map((worker) => worker.kill()));
    for (const worker of workers) this.#running.delete(worker);
  }
}

export const changed = (config: TableConfig, what: string) =>
  new ConsiliumError("TABLE_CHANGED", `table ${quoted(config.name)}: ${what}`);

const failedTwice = ({ name }: TableConfig, what: string) =>
  new ConsiliumError("ENGINE_FAILED", `table ${quoted(name)}: a share of its rows failed twice: ${what}`);

/** What all shares of a table come to. */
export class Totals {
  malformed = 0;
  readonly #stage: TableStage;
  #found: SharePart["found"] = { rows: 0, used: 0, faults: 0, overBound: 0, unsampled: 0 };
  #table = emptySum;

  constructor(stage: TableStage) {
    this.#stage = stage;
  }

  add(part: SharePart): Part {
    this.#found = addFound(this.#found, part.found);
    if (part.table !== null) this.#table = mergeSums(this.#table, part.table);
    const { exact, records, refused } = part;
    return { exact, records, refused };
  }

  /** @throws ConsiliumError TABLE_CHANGED where the table is not the one that was approved */
  check(): void {
    const { approval, config, keys, found } = this.#stage;
    if (approval === null) {
      found({ ...this.#found, malformed: this.malformed });
      return;
    }
    const since = (what: string) => changed(config, `${what} since it was approved`);
    if (this.#found.faults > 0) throw since("values that no rule covers have come into it");
    if (this.#table.rows > approval.rows) throw since("usable rows have come into it");
    if (this.#table.rows < approval.rows) throw since("usable rows have gone from it");
    if (contentHash(this.#table, keys) !== approval.contentHash) throw since("its values have changed");
  }
}

interface Share {
  readonly worker: WorkerProcess;
  readonly job: Sha256;
  /** Rows that were sent in the last pass. */
  rows: number;
  /** Why it failed; null while it has not. */
  fault: string | null;
}

/** One reading of a table for some of its shares, in several passes where a patient's rows are bounded. */
class Reading {
  /** Rows that could not be taken apart, in the last pass. */
  malformed = 0;
  readonly #stage: TableStage;
  readonly #shares: ReadonlyMap<number, Share>;
  /** In all, of which these are some. */
  readonly #shareCount: number;
  readonly #requests: readonly CellRequest[];

  constructor(stage: TableStage, workers: ReadonlyMap<number, WorkerProcess>, shareCount: number) {
    const { config, bounded, keys, broadcasts } = stage;
    this.#stage = stage;
    this.#shareCount = shareCount;
    const missing = new MissingValues(config.nullValues);
    this.#requests = requestsFor(bounded, missing, { orderBy: orderByOf(config), key: keys.patients });
    this.#shares = new Map(
      [...workers].map(([share, worker]) => {
        const { id, bytes } = encodeJob(jobOf(stage), broadcasts);
        void worker.send(bytes);
        return [share, { worker, job: id, rows: 0, fault: null }];
      }),
    );
  }

  /**
   * Reads the table, as often as the workers need it.
   * @throws ConsiliumError ENGINE_VERSION; as `readCells`
   */
  async feed(): Promise<void> {
    const { signal, bounded } = this.#stage;
    const stop = () => {
      for (const { worker } of this.#shares.values()) void worker.kill();
    };
    signal.addEventListener("abort", stop);
    try {
      const shares = [...this.#shares.values()];
      await Promise.all(shares.map((share) => this.#greet(share)));
      let noting = bounded.patient === undefined ? [] : shares.filter(isGood);
      while (noting.length > 0) {
        await this.#pass(noting);
        const isAgain = await Promise.all(noting.map((share) => this.#notesAgain(share)));
        noting = noting.filter((_, i) => isAgain[i]);
      }
      await this.#pass(shares.filter(isGood));
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** What a share's worker answers, once all rows were sent. */
  async answer(at: number): Promise<SharePart | { readonly fault: string }> {
    const { entries, signal } = this.#stage;
    const share = this.#shares.get(at)!;
    const stop = () => void share.worker.kill();
    signal.addEventListener("abort", stop);
    try {
      const part = await this.#heard(share, async (reader) => {
        const line = await readLine(reader);
        return "part" in line ? readPart(line.part, reader, entries) : line;
      });
      signal.throwIfAborted();
      if (part !== null && "exact" in part && part.found.rows === share.rows) return part;
      if (part !== null)
        share.fault ??=
          "exact" in part ? `its worker counts ${part.found.rows} of ${share.rows} rows` : malformed;
      return { fault: share.fault ?? malformed };
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  async #greet(share: Share): Promise<void> {
    const line = await this.#heard(share, readLine);
    if (line === null) return;
    if (!("worker" in line)) share.fault ??= malformed;
    else if (line.worker !== softwareVersion) throw otherVersion(line.worker);
    else if (line.job !== share.job) share.fault ??= "its worker answers another job";
  }

  /** @returns whether a share's worker must note its rows once more before it can take them */
  async #notesAgain(share: Share): Promise<boolean> {
    const line = await this.#heard(share, readLine);
    if (line === null) return false;
    if (!("next" in line)) share.fault ??= malformed;
    return isGood(share) && "next" in line && line.next === "note";
  }

  /** Reads from a worker; null where the share has failed. */
  async #heard<T extends object>(
    share: Share,
    read: (reader: ByteReader) => Promise<T | AnswerLine>,
  ): Promise<T | AnswerLine | null> {
    if (share.fault !== null) return null;
    try {
      const heard = await read(share.worker.answer);
      if (!("fault" in heard)) return heard;
      const { fault, at } = heard as Extract<AnswerLine, { fault: string }>;
      if (fault === "ENGINE_VERSION") throw otherVersion(null);
      share.fault = `its worker reports ${fault}${at === null ? "" : ` (${at})`}`;
    } catch (thrown) {
      if (thrown instanceof ConsiliumError) throw thrown;
      share.fault = thrown instanceof PipeEnded ? "its worker ended early" : malformed;
    }
    return null;
  }

  /** Sends the rows of these shares, as one Arrow stream each. */
  async #pass(shares: readonly Share[]): Promise<void> {
    const { config, bounded, signal } = this.#stage;
    const requests = this.#requests;
    const columns = requests.reduce(
      (sum, { kind }) => sum + (kind === "patient" ? patientParts.length : 1),
      0,
    );
    const dealer = new Dealer({
      shares: this.#shareCount,
      columns,
      patientAt: bounded.patient === undefined ? null : columns - patientParts.length,
    });
    const streams = new Map(shares.map((share) => [share, new CellStream(columns)]));
    for (const share of shares) share.rows = 0;
    const send = async ({ share: at, rows, columns: cells }: Batch) => {
      const share = this.#shares.get(at);
      const stream = share === undefined ? undefined : streams.get(share);
      if (share === undefined || stream === undefined) return;
      share.rows += rows;
      await share.worker.send(stream.batch(cells, rows));
    };
    const anyRows = hidesTables(bounded);
    const left: MalformedRows = { rows: 0 };
    const options = { anyRows, signal, malformed: anyRows ? left : undefined };
    for await (const { chunk } of readCells(await openSource(config, bounded), requests, options))
      for (const batch of dealer.deal(chunk)) await send(batch);
    for (const batch of dealer.rest()) await send(batch);
    for (const [{ worker }, stream] of streams) await worker.send(stream.end());
    this.malformed = left.rows;
  }
}

const isGood = ({ fault }: Share) => fault === null;
const malformed = "its worker's answer is malformed";

export function otherVersion(worker: string | null): ConsiliumError {
  const its = worker === null ? "another version" : `version ${quoted(worker)}`;
  return new ConsiliumError(
    "ENGINE_VERSION",
    `the fold worker is of ${its}, the agent of ${softwareVersion}`,
  );
}

export function jobOf({ document, stage, site, config, bounded, keys, approval }: TableStage): Job {
  const { name, nullValues, expectedRows } = config;
  const unit = config.omop === undefined ? config.unit : omopUnit;
  const needed: (keyof LentKeys)[] = [
    ...(bounded.patient === undefined ? [] : (["choice"] as const)),
    ...(approval === null ? [] : (["content"] as const)),
  ];
  return {
    software: softwareVersion,
    study: document.text,
    studyHash: document.hash,
    rosterSites: document.study.rosterSites ?? null,
    stage,
    site,
    table: {
      name,
      nullValues,
      ...(unit === undefined ? {} : { unit }),
      ...(expectedRows === undefined ? {} : { expectedRows }),
    },
    keys: keys.lend(needed),
    anyRows: hidesTables(bounded),
    hashesRows: approval !== null,
    nonce: randomUUID(),
  };
}
