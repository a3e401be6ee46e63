import { type ConsiliumError, type ErrorCode, toConsiliumError } from "@consilium/core/errors";
import type { StageId } from "@consilium/core/ids";
import type { Part } from "@consilium/gate/part";
import type { StudySummary } from "./records.js";

/** A stage of a sound study that was answered as of an empty table: for this hospital alone. */
export interface ZeroAnswer {
  readonly step: StageId;
  readonly attempt: number;
  readonly code: ErrorCode;
  readonly reason: string;
}

export const zerosOf = ({ zeros }: Pick<StudySummary, "zeros">): ZeroAnswer[] =>
  zeros === null ? [] : (JSON.parse(zeros) as ZeroAnswer[]);

/**
 * The causes for which a stage of a sound study may fail, each with why no record can bring it about: the list is closed. Every other fault of reading
 * or folding may be a record's doing, and none leaves: the stage is answered with zeros, noised and charged as any answer.
 */
export const causesOfTheWorld = {
  STUDY_CANCELLED: "the study is over",
  INTERRUPTED: "the agent is stopping: nothing is sent, and it is asked again",
  TABLE_AWAY: "the system or the server refuses, before a record is read, what the table's entry names",
  TABLE_UNKNOWN: "config.yaml names no such table",
  CONFIG_INVALID: "config.yaml, or a file that it names, was changed",
  METHOD_REFUSED:
    "the method broke its query with made-up records; a method is believed to have no memory (gate/README.md)",
  ENGINE_UNREACHABLE: "the cluster has started no application",
  ENGINE_INCOMPLETE: "the cluster lacks a program",
  ENGINE_UNSAFE: "the cluster has other settings than records need",
  ENGINE_VERSION: "the fold worker is of another version",
} as const satisfies Partial<Record<ErrorCode, string>>;

/**
 * The sum of a stage's records, or that of an empty table where they cannot be read.
 * @param entries - of the stage's vector
 * @throws what `read` does, of `causesOfTheWorld`
 */
export async function partOrZeros(
  entries: number,
  read: () => Promise<Part>,
): Promise<{ readonly part: Part; readonly fault: ConsiliumError | null }> {
  try {
    return { part: await read(), fault: null };
  } catch (thrown) {
    const fault = toConsiliumError(thrown);
    if (Object.hasOwn(causesOfTheWorld, fault.code)) throw fault;
    return { part: { exact: new BigUint64Array(entries), records: 0, refused: 0 }, fault };
  }
}
