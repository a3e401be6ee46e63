import { addMasks, type MaskKey } from "@consilium/secure-sum/masks";
import type { SumParameters } from "@consilium/secure-sum/parameters";
import type { RandomSource } from "@consilium/secure-sum/random";
import type { RingBits, RingVector } from "@consilium/secure-sum/ring";
import { isSame, type StageCharge } from "./account.js";
import { chargedEvent, holdsCharge, type Noise, type Patients, readEvent, weightOfEntry } from "./cost.js";
import { lowHalf } from "./halves.js";
import { addNoiseShare } from "./noise/noiseShare.js";
import { type Part, sumOfParts } from "./part.js";
import type { Terms } from "./query.js";

/** What the hospital has set aside for a stage, and what is known of the sum that its vector goes into. */
interface ReleaseCharge extends Pick<StageCharge, "event" | "rho" | "factor"> {
  /** As it is about to be drawn. */
  readonly noise: Noise | null;
  readonly sum: Pick<SumParameters, "sites" | "threshold">;
  readonly tolerateColluding: number;
}

/**
 * Holds what is charged against what is about to be noised: one event, computed here from the query.
 * @throws RangeError where the ledger holds another event, or books less than it costs, or a sum may open with fewer shares of noise
 */
export function demandCharge(
  { query, scale }: Terms,
  patients: Patients | null,
  charge: ReleaseCharge,
): void {
  const { noise, sum, tolerateColluding } = charge;
  const event = chargedEvent({ query, scale, patients, noise });
  // Why there is no bound was a sentence in early entries.
  const isKept = noise === null ? readEvent(charge.event)?.kind === "no-bound" : isSame(event, charge.event);
  if (!isKept)
    throw new RangeError("the ledger has set aside another event than the stage's query and noise come to");
  if (!holdsCharge(event, charge)) throw new RangeError("the ledger books less than the stage costs");
  if (noise === null) return;
  // A sum is opened for T survivors whom the hospital trusts, or for none; t of them may tell what noise they added.
  if (noise.shares > sum.threshold - tolerateColluding || noise.sites < sum.sites)
    throw new RangeError("a sum of this study may be opened with less noise than is charged for");
}

export interface Release<T> extends Sending<T> {
  readonly terms: Terms;
  /** Whose privacy is counted, where it is not a row's: by the study that the hospital approved. */
  readonly patients: Patients | null;
  /** Asks for what the records come to, `answerOf` in the process that reads them. */
  readonly part: () => Promise<Part>;
  /** Of noise. */
  readonly random: RandomSource;
  readonly charge: ReleaseCharge;
}

interface Sending<T> {
  readonly ringBits: RingBits;
  /** Of the secure sum; each for this vector alone. */
  readonly masks: readonly MaskKey[];
  /** Writes down, durably, what is to be sent. */
  readonly keep: (content: Uint8Array) => Promise<void>;
  /** One durable write: the charge, the state that follows, the line in the log. What it returns may leave from then on. */
  readonly commit: (content: Uint8Array) => T;
}

/**
 * The only way for what is computed from records to leave: a method's proposal, held to its query record by record and added up;
 * this site's share of noise; the masks; and then, before a byte is sent, the charge.
 * @returns refused: what was left out, contributions of records and answers of blocks
 * @throws RangeError as `demandCharge`, before a record is read; as `sumOfParts`
 */
export async function release<T>(
  options: Release<T>,
): Promise<{ readonly made: T; readonly refused: number }> {
  const { terms, patients, part, random, charge, ringBits, masks, keep, commit } = options;
  demandCharge(terms, patients, charge);
  const { exact, refused, refusedBlocks = 0 } = await sumOfParts(terms, patients, [await part()]);
  if (charge.noise !== null) {
    const { shareVariance } = charge.noise;
    const weightOf = weightOfEntry(terms.query);
    addNoiseShare({ vector: exact, shareVariance, weightOf, random });
  }
  return { made: await send(exact, { ringBits, masks, keep, commit }), refused: refused + refusedBlocks };
}

/**
 * The same for a vector that a method made itself, of which nothing is proven: it leaves where the ledger has counted it so.
 * @throws RangeError for an event that says that something is
 */
export async function releaseUnproved<T>(
  vector: BigUint64Array,
  options: Pick<StageCharge, "event" | "rho"> & Sending<T>,
): Promise<T> {
  if (readEvent(options.event)?.kind !== "no-bound" || options.rho !== null)
    throw new RangeError("what the gate has not added up is charged as without a bound");
  return send(vector, options);
}

async function send<T>(exact: BigUint64Array, { ringBits, masks, keep, commit }: Sending<T>): Promise<T> {
  const vector = narrowed(exact, ringBits);
  addMasks(vector, masks);
  const content = bytesOf(vector);
  await keep(content);
  return commit(content);
}

/** The entries modulo 2^32, or as they are. */
export function narrowed(vector: BigUint64Array, bits: RingBits): RingVector {
  if (bits === 64) return vector;
  const halves = new Uint32Array(vector.buffer, vector.byteOffset, 2 * vector.length);
  const narrow = new Uint32Array(vector.length);
  for (let i = 0; i < narrow.length; i++) narrow[i] = halves[2 * i + lowHalf]!;
  return narrow;
}

/** As it travels: little-endian, 4 or 8 bytes for each entry. */
function bytesOf(vector: RingVector): Uint8Array {
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
  if (lowHalf === 0) return bytes;
  const width = vector.BYTES_PER_ELEMENT;
  for (let at = 0; at < bytes.length; at += width) bytes.subarray(at, at + width).reverse();
  return bytes;
}
