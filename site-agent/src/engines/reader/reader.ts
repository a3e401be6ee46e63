import { ConsiliumError } from "@consilium/core/errors";
import { nameOf } from "@consilium/core/said";
import { isOtherBuild, softwareBuild } from "@consilium/core/version";
import type { CellRequest } from "../../data/cells.js";
import { requestsFor } from "../../data/columns.js";
import { readCells } from "../../data/decode.js";
import { fault, safeError } from "../../data/fault.js";
import { Meanings } from "../../data/meanings.js";
import { patientParts } from "../../data/patientHash.js";
import type { RowSum } from "../../data/rowShare.js";
import type { MalformedRows, ReadLimits, TableSource } from "../../data/source.js";
import { orderByOf } from "../../data/tableUnit.js";
import { CellStream } from "../arrowCells.js";
import { type ByteReader, PipeEnded } from "../byteReader.js";
import { type Batch, Dealer } from "../dealer.js";
import type { PipeWriter } from "../pipeWriter.js";
import { faultOf, type PassCommand, type ReaderAnswer, type ReaderJob } from "./protocol.js";

interface ShareOptions {
  readonly limits: ReadLimits;
  /** Of a database's rows: filled while they are read. */
  readonly sum: RowSum;
}

/** What reads a kind of tables. */
export type OpenShare = (job: ReaderJob, options: ShareOptions) => TableSource;

/** There are as many readers as cores: one thread each. */
const limits: ReadLimits = { threads: 1, memoryLimitMb: 192 };

/** How often it says that rows move. */
const movesMs = 1000;

interface ReaderPipes {
  /** The input of the share's worker; null where that share is complete. */
  readonly worker: PipeWriter | null;
  /** By number, null for itself; where patients are kept together. */
  readonly peers: readonly ({ readonly to: PipeWriter; readonly from: ByteReader } | null)[];
  readonly say: (line: ReaderAnswer) => Promise<void>;
}

/**
 * Reads its share of a table, once per pass. Where the study names no patient all rows are for its own worker. Otherwise a patient's
 * rows, which may be in any piece, must come to one worker: each reader passes rows on to the reader of their share, as messages
 * of Arrow that it hands to its worker as they are.
 */
export class Reader {
  readonly #job: ReaderJob;
  readonly #open: OpenShare;
  readonly #pipes: ReaderPipes;
  readonly #requests: readonly CellRequest[];
  readonly #columns: number;
  #saidAt = 0;

  constructor(job: ReaderJob, open: OpenShare, pipes: ReaderPipes) {
    this.#job = job;
    this.#open = open;
    this.#pipes = pipes;
    const { table, study, patients } = job;
    this.#requests = requestsFor(study, new Meanings(table), {
      orderBy: orderByOf(table),
      key: patients,
    });
    this.#columns = this.#requests.reduce(
      (sum, { kind }) => sum + (kind === "patient" ? patientParts.length : 1),
      0,
    );
  }

  /** @returns whether it can do another */
  async pass(command: PassCommand): Promise<boolean> {
    try {
      await this.#pipes.say(await this.#pass(command));
      return true;
    } catch (thrown) {
      // Of a process that is gone the agent hears by itself.
      if (!(thrown instanceof PipeEnded)) await this.#pipes.say(faultOf(safeError(thrown, this.#job.table)));
      return false;
    }
  }

  async #pass({ open }: PassCommand): Promise<ReaderAnswer> {
    const { job, pipes } = { job: this.#job, pipes: this.#pipes };
    if (isOtherBuild(job.software))
      throw fault("ENGINE_VERSION", "engine.reader-version", {
        agent: nameOf(job.software),
        reader: nameOf(softwareBuild),
      });
    const stream = new CellStream(this.#columns);
    const begin = stream.begin();
    if (open.includes(job.own)) await pipes.worker?.send(begin);
    const peers = pipes.peers.filter((peer) => peer !== null);
    const forwarding = Promise.all(peers.map(({ from }) => this.#forward(from)));
    forwarding.catch(() => undefined); // awaited below
    const rows = pipes.peers.map(() => 0);
    const malformed: MalformedRows = { rows: 0 };
    const sum: RowSum = { rows: 0, hashes: 0 };
    const send = async ({ share: dealt, rows: count, columns, release }: Batch) => {
      const share = job.patients === null ? job.own : dealt;
      if (!open.includes(share)) return release();
      rows[share]! += count;
      const bytes = stream.batch(columns, count);
      if (share === job.own) await pipes.worker?.send(bytes, release);
      else await pipes.peers[share]!.to.send(framed(bytes), release);
      if (job.patients === null && pipes.worker?.isOpen !== true) throw new PipeEnded();
      this.#moves();
    };
    const dealer = new Dealer({
      shares: job.patients === null ? 1 : job.count,
      columns: this.#columns,
      togetherAt: job.patients === null ? null : this.#columns - patientParts.length,
    });
    let empty: string | null = null;
    try {
      for await (const chunk of this.#chunks(malformed, sum))
        for (const batch of dealer.deal(chunk)) await send(batch);
    } catch (thrown) {
      if (!(thrown instanceof ConsiliumError) || thrown.code !== "TABLE_EMPTY" || job.format !== "jsonl")
        throw thrown;
      empty = thrown.message;
    }
    for (const batch of dealer.rest()) await send(batch);
    await Promise.all(peers.map(({ to }) => to.send(framed([]))));
    await forwarding;
    if (open.includes(job.own)) await pipes.worker?.send(stream.end());
    await pipes.worker?.flush();
    return { read: { rows, malformed: malformed.rows, empty, sum } };
  }

  async *#chunks(malformed: MalformedRows, sum: RowSum) {
    const { table, format, pieces, anyRows } = this.#job;
    const source = this.#open(this.#job, { limits, sum });
    const options = { anyRows, malformed: anyRows ? malformed : undefined };
    for await (const { chunk } of readCells(
      { config: table, format, source },
      pieces,
      this.#requests,
      options,
    ))
      yield chunk;
  }

  /** Hands a peer's messages to the worker, each in one piece, up to the end of the pass. */
  async #forward(from: ByteReader): Promise<void> {
    for (;;) {
      const length = Buffer.from(await from.exactly(4)).readUInt32LE();
      if (length === 0) return;
      await this.#pipes.worker?.send([await from.exactly(length)]);
      this.#moves();
    }
  }

  #moves(): void {
    const now = Date.now();
    if (now - this.#saidAt < movesMs) return;
    this.#saidAt = now;
    void this.#pipes.say({ moves: true });
  }
}

/** With its length before it; nothing says that the pass is over. */
function framed(pieces: readonly Uint8Array[]): Uint8Array[] {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(pieces.reduce((sum, piece) => sum + piece.length, 0));
  return [length, ...pieces];
}
