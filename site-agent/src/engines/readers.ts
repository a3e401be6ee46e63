import type { Writable } from "node:stream";
import { ConsiliumError } from "@consilium/core/errors";
import { hidesTables } from "@consilium/core/study/hidesTables";
import { softwareBuild } from "@consilium/core/version";
import type { Division } from "./pieces.js";
import {
  encodeReaderLine,
  errorOf,
  peerDescriptor,
  type ReaderAnswer,
  type ReaderJob,
  readReaderAnswer,
} from "./reader/protocol.js";
import { within } from "./silence.js";
import type { TableStage } from "./stage.js";
import { WorkerProcess, type WorkerProgram } from "./workerProcess.js";

interface ReadersOptions {
  readonly stage: TableStage;
  readonly division: Division;
  readonly program: WorkerProgram;
  /** Of the shares that are still to be computed. Their inputs belong to the readers from now on. */
  readonly workers: ReadonlyMap<number, WorkerProcess>;
  readonly silenceMs: number;
}

/** What a reader made of a pass; null where it ended early or was silent. */
export type PassResult = Extract<ReaderAnswer, { read: unknown }>["read"] | null;

/**
 * Processes that read a table, each its pieces, and write to fold workers directly. Where a patient's rows are kept together all
 * pieces are read, whichever shares are to be computed, and the readers are joined by sockets, each with each.
 */
export class Readers {
  readonly #readers = new Map<number, WorkerProcess>();
  readonly #silenceMs: number;
  readonly #isJoined: boolean;

  constructor({ stage, division, program, workers, silenceMs }: ReadersOptions) {
    this.#silenceMs = silenceMs;
    const { config, bounded, keys } = stage;
    const { features, label, columns, patient } = bounded;
    const count = division.pieces.length;
    const isJoined = patient !== undefined;
    this.#isJoined = isJoined;
    for (const [own, pieces] of division.pieces.entries()) {
      const worker = workers.get(own);
      // Of a worker that is gone the agent has heard already.
      const input = worker === undefined || worker.input.destroyed ? null : worker.input;
      if (input === null && !isJoined) continue;
      const peers = Array.from({ length: isJoined ? count : 0 }, (_, peer) => peer).filter(
        (peer) => peer !== own,
      );
      const descriptors: (Writable | "pipe" | "ignore")[] = [
        input ?? "ignore",
        ...peers.map((peer) =>
          peer > own ? "pipe" : this.#readers.get(peer)!.pipe(peerDescriptor(peer, own)),
        ),
      ];
      const { args, argsFor = () => args } = program;
      const reader = new WorkerProcess(
        { ...program, args: argsFor(pieces.map(({ file }) => file)) },
        descriptors,
      );
      this.#readers.set(own, reader);
      const job: ReaderJob = {
        software: softwareBuild,
        own,
        count,
        table: config,
        format: division.format,
        pieces,
        database: division.database?.job ?? null,
        study: { features, label, columns, patient },
        patients: isJoined ? keys.patients : null,
        anyRows: hidesTables(bounded),
        feeds: input !== null,
      };
      void reader.send([encodeReaderLine(job)]);
    }
    // A process that holds an end of a pipe hides from the other end that its owner has ended.
    for (const worker of workers.values()) worker.input.destroy();
    for (const [own, reader] of this.#readers)
      if (isJoined)
        for (let peer = own + 1; peer < count; peer++) reader.pipe(peerDescriptor(own, peer)).destroy();
  }

  /**
   * Reads the table once for these shares. A reader that is silent is ended; of those that are joined all, for who is silent may wait
   * for another.
   * @param onLate - told whose reader was silent
   * @throws ConsiliumError for what is wrong with the table
   */
  async pass(open: readonly number[], onLate: (reader: number) => void): Promise<Map<number, PassResult>> {
    const results = await Promise.all(
      [...this.#readers].map(async ([own, reader]) => {
        const late = () => {
          onLate(own);
          void (this.#isJoined ? this.end() : reader.kill());
        };
        return [own, await this.#passOf(reader, open, late)] as const;
      }),
    );
    return new Map(results);
  }

  async end(): Promise<void> {
    await Promise.all([...this.#readers.values()].map((reader) => reader.kill()));
  }

  async #passOf(reader: WorkerProcess, open: readonly number[], onLate: () => void): Promise<PassResult> {
    void reader.send([encodeReaderLine({ open })]);
    try {
      for (;;) {
        const answer = await within(this.#silenceMs, readReaderAnswer(reader.answer), onLate);
        if ("fault" in answer) throw errorOf(answer);
        if ("read" in answer) return answer.read;
      }
    } catch (thrown) {
      if (thrown instanceof ConsiliumError) throw thrown;
      return null;
    }
  }
}
