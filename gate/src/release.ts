import { addMasks, type MaskKey } from "@consilium/secure-sum/masks";
import type { SumParameters } from "@consilium/secure-sum/parameters";
import type { RandomSource } from "@consilium/secure-sum/random";
import type { RingBits, RingVector } from "@consilium/secure-sum/ring";
import type { Contributor } from "./contributions.js";
import { chargedEvent, holdsCharge, type Noise, type Patients, readEvent, weightOfEntry } from "./cost.js";
import { foldRecords } from "./fold.js";
import type { GramKernel } from "./gramSums.js";
import { addNoiseShare } from "./noise/noiseShare.js";
import { RandomWords } from "./noise/randomWords.js";
import { type Part, sumOfParts } from "./part.js";
import { lengthOf, type Query } from "./query.js";
import type { RecordBlock, RecordDomain } from "./record.js";
import { rehearse } from "./rehearsal.js";

/** What a method answers a stage with: never a vector, but what each record may add, and how it is asked what it does. */
export interface Proposal {
  readonly query: Query;
  /** What its integers are multiplied with: a power of two from 1. */
  readonly scale: number;
  readonly contributor: () => Contributor;
  /** Waits a moment, in long computations, so that others come to their turn. */
  readonly pause?: () => Promise<void>;
}

/** What the hospital reads its table by: from the study that it approved, and from nothing that a method says. */
export interface StageTable {
  readonly records: AsyncIterable<RecordBlock>;
  /** In place of `records`: what other processes made of shares of the table, each by `answerOf`. */
  readonly parts?: AsyncIterable<Part>;
  /** What the study declares of records. */
  readonly domain: RecordDomain;
  readonly patients: Patients | null;
  /** Records that may come at most. */
  readonly rowsAtMost: number;
  readonly kernel: GramKernel;
  readonly random: RandomSource;
  /** Of where records are asked for again, and of the numbers that products are checked with. */
  readonly checks: RandomSource;
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
  const { query, contributor } = proposal;
  const { domain, patients, checks } = table;
  const words = new RandomWords(checks);
  const fault = await rehearse({ query, contributor, domain, uniform: () => words.next() / 2 ** 32 });
  if (fault !== null) throw new MethodFault(fault);
  const sum = { ...proposal, length: lengthOf(query) };
  return sumOfParts(sum, patients?.unit ?? null, table.parts ?? asked(proposal, table));
}

/** The whole table as one part. */
async function* asked(proposal: Proposal, { domain, patients, ...table }: StageTable): AsyncGenerator<Part> {
  const counted = patients === null || patients.unit === null ? null : { ...patients, unit: patients.unit };
  const features = domain.features.length;
  yield await foldRecords({ ...proposal, ...table, features, patients: counted });
}

/** What the hospital has set aside for a stage, and what is known of the sum that its vector goes into. */
export interface StageCharge {
  /** As the ledger holds it. */
  readonly event: unknown;
  /** ρ that the ledger books; null where nothing is proved. */
  readonly rho: number | null;
  /** How many times the event's ρ is booked: the event is of the study's unit of privacy, the charge of the hospital's. */
  readonly factor: number;
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
  { query, scale }: Pick<Proposal, "query" | "scale">,
  patients: Patients | null,
  charge: StageCharge,
): void {
  const { noise, sum, tolerateColluding } = charge;
  const event = chargedEvent({ query, scale, patients, noise });
  if (textOf(event) !== textOf(charge.event))
    throw new RangeError(
      "the ledger has set aside another event than what the stage's query and noise come to",
    );
  if (!holdsCharge(event, charge)) throw new RangeError("the ledger books less than the stage costs");
  if (noise === null) return;
  // A sum is opened for T survivors whom the hospital trusts, or for none; t of them may tell what noise they added.
  if (noise.shares > sum.threshold - tolerateColluding || noise.sites < sum.sites)
    throw new RangeError("a sum of this study may be opened with less noise than is charged for");
}

/** The fields that an event has, in one order. */
const fields = [
  ...["kind", "reason", "event", "records", "l2SensitivitySquared", "shareVariance"],
  ...["groups", "entries", "weight", "sites", "noiseShares"],
];
const textOf = (event: unknown) => JSON.stringify(event, fields);

export interface Release<T> extends Sending<T> {
  readonly proposal: Proposal;
  readonly table: StageTable;
  readonly charge: StageCharge;
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
 * @throws MethodFault, RangeError as `demandCharge`: both before a record is read
 */
export async function release<T>(
  options: Release<T>,
): Promise<{ readonly made: T; readonly refused: number }> {
  const { proposal, table, charge, ringBits, masks, keep, commit } = options;
  demandCharge(proposal, table.patients, charge);
  const { exact, refused } = await answerOf(proposal, table);
  if (charge.noise !== null) {
    const { shareVariance } = charge.noise;
    const weightOf = weightOfEntry(proposal.query);
    addNoiseShare({ vector: exact, shareVariance, weightOf, random: table.random });
  }
  return { made: await send(exact, { ringBits, masks, keep, commit }), refused };
}

/**
 * The same for a vector that a method made itself, of which nothing is proved: it leaves where the ledger has counted it so.
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
  const low = isLittleEndian ? 0 : 1;
  const narrow = new Uint32Array(vector.length);
  for (let i = 0; i < narrow.length; i++) narrow[i] = halves[2 * i + low]!;
  return narrow;
}

/** As it travels: little-endian, 4 or 8 bytes for each entry. */
function bytesOf(vector: RingVector): Uint8Array {
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
  if (isLittleEndian) return bytes;
  const width = vector.BYTES_PER_ELEMENT;
  for (let at = 0; at < bytes.length; at += width) bytes.subarray(at, at + width).reverse();
  return bytes;
}

const isLittleEndian = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;
