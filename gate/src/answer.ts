import { foldRecords, type Proposal, type StageRecords } from "./fold.js";
import { RandomWords } from "./noise/randomWords.js";
import { type Part, sumOfParts } from "./part.js";
import type { RecordDomain } from "./record.js";
import { rehearse } from "./rehearsal.js";

/** What the hospital reads its table by: from the study that it approved, and from nothing that a method says. */
export interface StageTable extends StageRecords {
  /** In place of `records`: what other processes made of shares of the table, each by `answerOf`. */
  readonly parts?: AsyncIterable<Part>;
  /** What the study declares of records. */
  readonly domain: RecordDomain;
}

/** A method is wrong in a way that shows before any record is read. */
export class MethodFault extends Error {
  override readonly name = "MethodFault";
}

/**
 * Tries a method on records that are nobody's, then asks it about each record of the table, or adds up what others asked.
 * @throws MethodFault before a record is read; RangeError as `sumOfParts`
 */
export async function answerOf(proposal: Proposal, table: StageTable): Promise<Part> {
  const { domain, patients, parts, checks } = table;
  const words = new RandomWords(checks);
  const fault = await rehearse({ ...proposal, domain, uniform: () => words.next() / 2 ** 32 });
  if (fault !== null) throw new MethodFault(fault);
  const features = domain.features.length;
  return sumOfParts(proposal, patients, parts ?? [await foldRecords({ ...proposal, ...table, features })]);
}
