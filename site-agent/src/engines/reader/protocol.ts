import { ConsiliumError, isErrorCode } from "@consilium/core/errors";
import type { Study } from "@consilium/core/study/study";
import { z } from "zod";
import type { Piece } from "../../data/decode.js";
import type { SharedDatabaseJob } from "../../data/sources/postgres/sharedDatabase.js";
import type { TableConfig } from "../../data/tableConfig.js";
import type { ByteReader } from "../byteReader.js";
import type { Division } from "../pieces.js";

/**
 * What the agent and a reader say to each other, in lines of JSON: the agent what to read, then for each pass over it which
 * shares its rows are for; the reader that rows move, and what a pass came to. Rows go elsewhere.
 */

/** Descriptors of a reader: its worker's input, and sockets to the other readers in their order. */
export const workerDescriptor = 3;
export const peerDescriptor = (own: number, peer: number) => workerDescriptor + (peer < own ? 1 : 0) + peer;

export interface ReaderJob {
  readonly software: string;
  /** Its number, which is that of the share whose worker it writes to. */
  readonly own: number;
  /** Of readers and of shares. */
  readonly count: number;
  readonly table: TableConfig;
  readonly format: Division["format"];
  readonly pieces: readonly Piece[];
  /** Of a table in a database, its share by `own` and `count`; null for files. */
  readonly database: SharedDatabaseJob | null;
  readonly study: Pick<Study, "features" | "label" | "columns" | "patient">;
  /** What patients are hashed under; null where the study has none. */
  readonly patients: string | null;
  readonly anyRows: boolean;
  /** Whether there is a worker behind it. */
  readonly feeds: boolean;
}

/** One pass: the shares whose rows are sent. */
export interface PassCommand {
  readonly open: readonly number[];
}

const answers = z.union([
  /** Rows have moved since it said so last. */
  z.strictObject({ moves: z.literal(true) }),
  z.strictObject({
    read: z.strictObject({
      /** Rows sent, by share. */
      rows: z.array(z.int().min(0)),
      malformed: z.int().min(0),
      /** Of a database's rows, before they are dealt. */
      sum: z.strictObject({ rows: z.int().min(0), hashes: z.int() }),
      /** Why there is none, where every file is empty: a fault if that is so at every reader. */
      empty: z.string().max(4096).nullable(),
    }),
  }),
  z.strictObject({ fault: z.string().refine(isErrorCode), message: z.string(), remedy: z.string() }),
]);
export type ReaderAnswer = z.output<typeof answers>;

const lineMost = 64 * 1024 ** 2;

export const encodeReaderLine = (line: ReaderJob | PassCommand | ReaderAnswer): Uint8Array =>
  Buffer.from(`${JSON.stringify(line)}\n`);

export const readCommand = async <Command extends ReaderJob | PassCommand>(
  reader: ByteReader,
): Promise<Command> => JSON.parse(await reader.line(lineMost)) as Command;

/** @throws PipeEnded; an Error for what is no such line */
export async function readReaderAnswer(reader: ByteReader): Promise<ReaderAnswer> {
  return answers.parse(JSON.parse(await reader.line(lineMost)));
}

/** A fault as it is told: of the data layer's errors none quotes a record. */
export const faultOf = ({ code, message, remedy }: ConsiliumError): ReaderAnswer => ({
  fault: code,
  message,
  remedy,
});

export const errorOf = ({ fault, message, remedy }: Extract<ReaderAnswer, { fault: unknown }>) =>
  new ConsiliumError(fault, message, { remedy });
