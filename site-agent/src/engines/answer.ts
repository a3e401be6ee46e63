import { ConsiliumError } from "@consilium/core/errors";
import type { StageId } from "@consilium/core/ids";
import { nameOf } from "@consilium/core/said";
import { MethodFault } from "@consilium/gate/answer";
import type { Part } from "@consilium/gate/part";
import { z } from "zod";
import { emptySum, mergeSums, type TableSum } from "../data/contentHash.js";
import { fault } from "../data/fault.js";
import type { FoundTable } from "../data/snapshot.js";
import type { ByteReader } from "./byteReader.js";

/**
 * What a fold worker says: lines of JSON, each an object with one key, and after `part` the vector in chunks, each with 4 bytes of
 * length before it. No line holds a record's value, and no vector is noisy yet: it is as secret as the records.
 */
const lines = z.union([
  /** The first line: which software this is, and which job it answers. */
  z.strictObject({ worker: z.string().max(100), job: z.string().max(100) }),
  /** After a pass in which a patient's rows were noted: what the next pass is for. */
  z.strictObject({ next: z.enum(["note", "take"]) }),
  z.strictObject({
    part: z.strictObject({
      /** Rows that came in the last pass, and those of them that the study used. */
      read: z.int().min(0),
      records: z.int().min(0),
      refused: z.int().min(0),
      faults: z.int().min(0),
      outside: z.int().min(0),
      overBound: z.int().min(0),
      unsampled: z.int().min(0),
      /** Of the used rows, where the job asks for it: their keyed hashes, added up. */
      hash: z
        .string()
        .regex(/^[0-9a-f]{1,64}$/)
        .nullable(),
      /** Of a published method: the levels of its map tasks in this share, one bit each. */
      tasks: z
        .string()
        .regex(/^[0-9a-f]{1,300}$/)
        .nullable(),
      entries: z.int().min(0),
    }),
  }),
  /** The worker's last words where it stops early: a code, and a place in its program. */
  z.strictObject({
    fault: z.string().regex(/^[A-Z_]{1,64}$/),
    at: z
      .string()
      .regex(/^[\w.-]{1,80}:\d{1,9}$/)
      .nullable(),
  }),
]);

export type AnswerLine = z.output<typeof lines>;
type PartLine = Extract<AnswerLine, { part: unknown }>["part"];

/** What a worker made of its share. */
export interface SharePart extends Part {
  readonly found: Omit<FoundTable, "malformed">;
  readonly table: TableSum | null;
  /** A bit for each map task that had rows. */
  readonly tasks: bigint | null;
}

const lineMost = 4096;
const chunkBytes = 16 * 1024 ** 2;

export const encodeLine = (line: AnswerLine): Uint8Array => Buffer.from(`${JSON.stringify(line)}\n`);

/** @throws PipeEnded; an Error for what is no such line */
export async function readLine(reader: ByteReader): Promise<AnswerLine> {
  return lines.parse(JSON.parse(await reader.line(lineMost)));
}

export function* encodePart({
  exact,
  records,
  refused,
  found,
  table,
  tasks: own,
}: SharePart): Generator<Uint8Array> {
  const { rows: read, faults, outside, overBound, unsampled } = found;
  const hash = table === null ? null : table.sum.toString(16);
  const counts = { read, records, refused, faults, outside, overBound, unsampled };
  const tasks = own === null ? null : own.toString(16);
  yield encodeLine({ part: { ...counts, hash, tasks, entries: exact.length } });
  const bytes = new Uint8Array(exact.buffer, exact.byteOffset, exact.byteLength);
  for (let from = 0; from < bytes.length; from += chunkBytes) {
    const chunk = bytes.subarray(from, from + chunkBytes);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(chunk.length);
    yield length;
    yield chunk;
  }
}

/**
 * Reads what follows the line.
 * @param entries - that the stage's vector has
 * @throws PipeEnded, RangeError
 */
export async function readPart(line: PartLine, reader: ByteReader, entries: number): Promise<SharePart> {
  if (line.entries !== entries) throw new RangeError(`${line.entries} entries, expected ${entries}`);
  const bytes = new Uint8Array(8 * entries);
  for (let at = 0; at < bytes.length; ) {
    const length = Buffer.from(await reader.exactly(4)).readUInt32LE();
    if (length === 0 || length > bytes.length - at) throw new RangeError(`a chunk of ${length} bytes`);
    bytes.set(await reader.exactly(length), at);
    at += length;
  }
  return { exact: new BigUint64Array(bytes.buffer), ...countsOf(line) };
}

/** What the line says of a share, besides its vector. */
export function countsOf(line: PartLine): Omit<SharePart, "exact"> {
  const { read, records, refused, faults, outside, overBound, unsampled, hash } = line;
  const found = { rows: read, used: records, faults, outside, overBound, unsampled };
  const table = hash === null ? null : mergeSums(emptySum, { rows: records, sum: BigInt(`0x${hash}`) });
  const tasks = line.tasks === null ? null : BigInt(`0x${line.tasks}`);
  return { records, refused, found, table, tasks };
}

/** What is found in shares adds up as their rows do. */
export function addFound(one: SharePart["found"], other: SharePart["found"]): SharePart["found"] {
  return {
    rows: one.rows + other.rows,
    used: one.used + other.used,
    faults: one.faults + other.faults,
    outside: one.outside + other.outside,
    overBound: one.overBound + other.overBound,
    unsampled: one.unsampled + other.unsampled,
  };
}

/** The code of what was thrown, and where in the program: its message may quote a record. */
export function faultLine(thrown: unknown): AnswerLine {
  if (thrown instanceof ConsiliumError) return { fault: thrown.code, at: null };
  const stack = thrown instanceof Error ? (thrown.stack ?? "") : "";
  const at = /\bat (?:.*\()?(?:file:\/\/)?[^\s()]*?([\w.-]{1,80}:\d+):\d+\)?$/m.exec(stack)?.[1] ?? null;
  return { fault: "INTERNAL", at };
}

/** Of what a stage's method ended with, where it answers otherwise than its study says, METHOD_REFUSED. */
export function methodRefused(thrown: unknown, stage: StageId, study: string | null): unknown {
  if (!(thrown instanceof MethodFault)) return thrown;
  const named = study === null ? null : nameOf(study);
  const params = { stage: nameOf(stage), study: named, what: nameOf(thrown.message) };
  return fault("METHOD_REFUSED", "engine.method", params);
}
