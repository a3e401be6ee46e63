import { randomUUID } from "node:crypto";
import { ConsiliumError } from "@consilium/core/errors";
import type { Sha256 } from "@consilium/core/ids";
import { nameOf, sentences } from "@consilium/core/said";
import { hidesTables } from "@consilium/core/study/hidesTables";
import { sourceOf } from "@consilium/core/study/recoding";
import type { Study } from "@consilium/core/study/study";
import { isOtherBuild, softwareBuild } from "@consilium/core/version";
import type { AnySaid } from "@consilium/words/said";
import type { EngineSays } from "@consilium/words/says/engines";
import type { CellRequest } from "../data/cells.js";
import { requestsFor } from "../data/columns.js";
import { readCells } from "../data/decode.js";
import { fault } from "../data/fault.js";
import { Meanings } from "../data/meanings.js";
import { openSource } from "../data/openSource.js";
import { patientParts } from "../data/patientHash.js";
import { shown } from "../data/place.js";
import type { LentKeys } from "../data/rowHash.js";
import type { MalformedRows } from "../data/source.js";
import { omopUnit, orderByOf } from "../data/tableUnit.js";
import { togetherBy } from "./additive.js";
import { type AnswerLine, readLine, readPart, type SharePart } from "./answer.js";
import { CellStream } from "./arrowCells.js";
import { type ByteReader, PipeEnded } from "./byteReader.js";
import { type Batch, Dealer } from "./dealer.js";
import { encodeJob, type Job } from "./job.js";
import type { Division } from "./pieces.js";
import { Readers } from "./readers.js";
import { within } from "./silence.js";
import type { TableStage } from "./stage.js";
import type { WorkerProcess, WorkerProgram } from "./workerProcess.js";

interface Share {
  readonly worker: WorkerProcess;
  readonly job: Sha256;
  /** Rows that were sent in the last pass. */
  rows: number;
  /** Why it failed; null while it has not. */
  fault: AnySaid | null;
}

interface ReadingOptions {
  readonly stage: TableStage;
  /** Of the shares that are to be computed. */
  readonly workers: ReadonlyMap<number, WorkerProcess>;
  /** In all. */
  readonly shares: number;
  /** Null where the agent reads the table for all workers. */
  readonly division: Division | null;
  readonly reader: WorkerProgram;
  readonly silenceMs: number;
}

/** One reading of a table for some of its shares, in several passes where a patient's rows are bounded. */
export class Reading {
  /** Rows that could not be taken apart, by reader, in the last pass. */
  readonly malformed = new Map<number, number>();
  readonly #options: ReadingOptions;
  readonly #stage: TableStage;
  readonly #shares: ReadonlyMap<number, Share>;
  readonly #requests: readonly CellRequest[];
  #readers: Readers | null = null;

  constructor(options: ReadingOptions) {
    const { stage, workers } = options;
    const { config, bounded, keys, broadcasts } = stage;
    this.#options = options;
    this.#stage = stage;
    const meanings = new Meanings(config);
    this.#requests = requestsFor(bounded, meanings, { orderBy: orderByOf(config), key: keys.patients });
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
    signal.throwIfAborted();
    const stop = () => void this.end();
    signal.addEventListener("abort", stop);
    try {
      const shares = [...this.#shares.values()];
      await Promise.all(shares.map((share) => this.#greet(share)));
      signal.throwIfAborted();
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
  async answer(at: number): Promise<SharePart | { readonly fault: AnySaid }> {
    const { entries, signal } = this.#stage;
    signal.throwIfAborted();
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
          "exact" in part ? said("share.counts", { counted: part.found.rows, sent: share.rows }) : malformed;
      return { fault: share.fault ?? malformed };
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** Ends all processes. */
  async end(): Promise<void> {
    const workers = [...this.#shares.values()].map(({ worker }) => worker.kill());
    await Promise.all([...workers, this.#readers?.end()]);
  }

  async #greet(share: Share): Promise<void> {
    const line = await this.#heard(share, readLine);
    if (line === null) return;
    if (!("worker" in line)) share.fault ??= malformed;
    else if (isOtherBuild(line.worker)) throw otherVersion(line.worker);
    else if (line.job !== share.job) share.fault ??= said("share.other-job", {});
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
      const heard = await this.#within(read(share.worker.answer), share);
      if (!("fault" in heard)) return heard;
      const { fault: code, at } = heard as Extract<AnswerLine, { fault: string }>;
      if (code === "ENGINE_VERSION") throw otherVersion(null);
      share.fault = said("share.reports", reported({ fault: code, at }));
    } catch (thrown) {
      if (thrown instanceof ConsiliumError) throw thrown;
      share.fault ??= thrown instanceof PipeEnded ? said("share.ended", {}) : malformed;
    }
    return null;
  }

  /** Waits for a share's worker, which is ended where it is silent. */
  #within<T>(waited: Promise<T>, share: Share): Promise<T> {
    return within(this.#options.silenceMs, waited, () => this.#giveUp(share));
  }

  #giveUp(share: Share): void {
    share.fault ??= said("share.silent", { seconds: this.#options.silenceMs / 1000 });
    void share.worker.kill();
  }

  /** Sends the rows of these shares, as one Arrow stream each. */
  async #pass(shares: readonly Share[]): Promise<void> {
    for (const share of shares) share.rows = 0;
    const { division } = this.#options;
    if (division === null) await this.#ownPass(shares);
    else if (shares.length > 0) await this.#readersPass(shares, division);
  }

  /** The readers do. */
  async #readersPass(shares: readonly Share[], division: Division): Promise<void> {
    const { stage, workers, reader: program, silenceMs } = this.#options;
    this.#readers ??= new Readers({ stage, division, program, silenceMs, workers });
    const open = [...this.#shares].filter(([, share]) => shares.includes(share)).map(([at]) => at);
    /** Whose rows a reader's loss takes: its share's, or all where a patient's rows are kept together. */
    const lostWith = (reader: number) =>
      stage.bounded.patient === undefined ? [this.#shares.get(reader)!] : shares;
    const results = await this.#readers.pass(open, (reader) => {
      for (const share of lostWith(reader)) this.#giveUp(share);
    });
    stage.signal.throwIfAborted();
    for (const [reader, result] of results) {
      if (result === null)
        for (const share of lostWith(reader)) share.fault ??= said("share.reader-ended", {});
      else this.malformed.set(reader, result.malformed);
      for (const [at, rows] of (result?.rows ?? []).entries()) {
        const share = this.#shares.get(at);
        if (share !== undefined) share.rows += rows;
      }
    }
    for (const [reader, result] of results)
      if (result !== null) await division.database?.check(reader, result.sum);
    const empty = [...results.values()].map((result) => result?.empty ?? null);
    if (empty.length === division.pieces.length && empty.every((message) => message !== null))
      throw new ConsiliumError("TABLE_EMPTY", empty[0]!);
  }

  /** Of the columns that travel, the one that rows are dealt by. */
  #togetherAt(columns: number): number | null {
    const { bounded } = this.#options.stage;
    if (bounded.patient !== undefined) return columns - patientParts.length;
    const name = columnTogether(bounded);
    if (name === null) return null;
    return this.#requests.findIndex((request) => request.kind === "level" && request.name === name);
  }

  /** The agent itself does. */
  async #ownPass(shares: readonly Share[]): Promise<void> {
    const { config, bounded, signal } = this.#stage;
    const requests = this.#requests;
    const columns = requests.reduce(
      (sum, { kind }) => sum + (kind === "patient" ? patientParts.length : 1),
      0,
    );
    const dealer = new Dealer({
      shares: this.#options.shares,
      columns,
      togetherAt: this.#togetherAt(columns),
    });
    const streams = new Map(shares.map((share) => [share, new CellStream(columns)]));
    for (const [{ worker }, stream] of streams) await worker.send(stream.begin());
    const send = async ({ share: at, rows, columns: cells, release }: Batch) => {
      const share = this.#shares.get(at);
      const stream = share === undefined ? undefined : streams.get(share);
      if (share === undefined || stream === undefined) return release();
      share.rows += rows;
      await this.#within(share.worker.send(stream.batch(cells, rows), release), share);
    };
    const anyRows = hidesTables(bounded);
    const left: MalformedRows = { rows: 0 };
    const options = { anyRows, signal, malformed: anyRows ? left : undefined };
    const opened = await openSource(config, bounded);
    const files = opened.files.map((file) => ({ file }));
    for await (const { chunk } of readCells(opened, files, requests, options))
      for (const batch of dealer.deal(chunk)) await send(batch);
    for (const batch of dealer.rest()) await send(batch);
    for (const [{ worker }, stream] of streams) await worker.send(stream.end());
    this.malformed.set(0, left.rows);
  }
}

/** The column whose equal values a published method's map tasks are; null where rows add up by themselves. */
export function columnTogether(study: Study): string | null {
  const own = study.features.find(({ name }) => name === togetherBy(study));
  return own === undefined ? null : sourceOf(own);
}

const isGood = ({ fault }: Share) => fault === null;
const said = sentences<EngineSays>();
const malformed = said("share.malformed", {});

/** What a fold worker reports of its fault. */
export const reported = ({ fault: code, at }: Extract<AnswerLine, { fault: string }>) => ({
  code: nameOf(code),
  at: at === null ? null : nameOf(at),
});

export function otherVersion(worker: string | null): ConsiliumError {
  const versions = { worker: worker === null ? null : shown(worker), agent: nameOf(softwareBuild) };
  return fault("ENGINE_VERSION", "engine.worker-version", versions);
}

export function jobOf({ document, stage, site, config, bounded, keys, approval }: TableStage): Job {
  const { name, nullValues, meanings, timeZone, expectedRows } = config;
  const unit = config.omop === undefined ? config.unit : omopUnit;
  const needed: (keyof LentKeys)[] = [
    ...(bounded.patient === undefined ? [] : (["choice"] as const)),
    ...(approval === null ? [] : (["content"] as const)),
  ];
  return {
    software: softwareBuild,
    study: document.text,
    studyHash: document.hash,
    rosterSites: document.study.rosterSites ?? null,
    stage,
    site,
    table: {
      name,
      nullValues,
      ...(meanings === undefined ? {} : { meanings }),
      ...(timeZone === undefined ? {} : { timeZone }),
      ...(unit === undefined ? {} : { unit }),
      ...(expectedRows === undefined ? {} : { expectedRows }),
    },
    keys: keys.lend(needed),
    anyRows: hidesTables(bounded),
    hashesRows: approval !== null,
    nonce: randomUUID(),
  };
}
