import type { RandomSource } from "@consilium/secure-sum/random";
import {
  askBlock,
  type BlockTally,
  CellsProposal,
  type Contributor,
  PlaceProposal,
  ProductProposal,
  type Proposal,
  proposalFor,
  VectorProposal,
} from "./contributions.js";
import { type GramKernel, GramSums } from "./gramSums.js";
import { HeldRecords } from "./heldRecords.js";
import { RandomWords } from "./noise/randomWords.js";
import type { Part } from "./part.js";
import {
  answerLength,
  type BlocksQuery,
  checkQuery,
  entryMost,
  isDivisible,
  lengthOf,
  type Query,
} from "./query.js";
import { emptyRecord, type OneRecord, type RecordBlock, RecordReader } from "./record.js";
import { ExactSums } from "./sums.js";

export interface FoldOptions {
  readonly query: Query;
  /** Makes what a method answers with, from public inputs alone. Made anew wherever a record is asked for again. */
  readonly contributor: () => Contributor;
  /** Entries of a record. */
  readonly features: number;
  readonly records: AsyncIterable<RecordBlock>;
  /** Whether patients count once, and how; null where each row counts by itself. */
  readonly patients: PatientsOnce | null;
  /** Records that may come at most. */
  readonly rowsAtMost: number;
  /** What the sums are multiplied with: a power of two. */
  readonly scale: number;
  readonly kernel: GramKernel;
  /** Of the lots that records are dealt to blocks by. */
  readonly random: RandomSource;
  /** Of where records are asked for again, and of the numbers that products are checked with. */
  readonly checks: RandomSource;
  /** Waits a moment, in long computations between two blocks of rows, so that others come to their turn. */
  readonly pause?: () => Promise<void>;
}

export interface PatientsOnce {
  /** m: rows of a patient that are used at most. */
  readonly rowsMost: number;
  /** U: what the rows of a patient weigh together where integers are counts. */
  readonly unit: number;
}

/**
 * What a method proposes for each record, held to the query and added up. A contribution that breaks the query, or comes out
 * differently when it is asked for again, counts as absent. The result is that of the multiset of records: neither their order nor
 * how they are cut into blocks matters, but for what is drawn by lot.
 * @throws RangeError for an invalid query or contributor, or rows that do not say how many their patient has
 */
export async function foldRecords(options: FoldOptions): Promise<Part> {
  const { query, contributor, features, patients } = options;
  checkQuery(query);
  const proposal = proposalFor(query, contributor());
  const again = proposalFor(query, contributor());
  const taker = takerFor(options, proposal);
  const words = new RandomWords(options.checks);
  const record = emptyRecord(features);
  const reader = new RecordReader(features);
  const isDivided = isDivisible(query);
  let [asked, refused] = [0, 0];
  let untilAgain = gap(words);
  for await (const block of options.records) {
    asked += block.rows;
    const counts = countsOf(block, patients);
    reader.open(block);
    for (let r = 0; r < block.rows; r++) {
      reader.load(record, r);
      if (!proposal.ask(record)) {
        refused++;
        continue;
      }
      if (untilAgain-- === 0) {
        untilAgain = gap(words);
        reader.load(record, r);
        if (!again.ask(record) || !isSame(proposal.words, again.words)) {
          refused++;
          continue;
        }
      }
      let weight = 1;
      if (counts !== null && patients !== null) {
        if (!isDivided) weight = Math.floor(patients.unit / counts[r]!);
        else if (counts[r] !== 1) proposal.divide(counts[r]!);
      }
      const wait = taker.take(weight, record);
      if (wait !== null) await wait;
    }
  }
  const exact = new BigUint64Array(lengthOf(query));
  refused += await taker.finish(exact, options.scale);
  return { exact, records: asked, refused };
}

/** One record in so many, on average, is asked for again: of a method with a memory, which is wrong. */
const askedAgain = 256;

const gap = (words: RandomWords) => words.below(2 * askedAgain);

function isSame(one: Int32Array, other: Int32Array): boolean {
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false;
  return true;
}

/** A block that does not say whose rows it holds would let a patient count for as many as there are. */
function countsOf({ rows, patientRows }: RecordBlock, patients: PatientsOnce | null): Uint16Array | null {
  if (patients === null) return null;
  if (patientRows === undefined || patientRows.counts.length < rows || patientRows.draws.length < rows)
    throw new RangeError("a study that weighs patients needs to know how many rows each patient has");
  const { counts } = patientRows;
  for (let r = 0; r < rows; r++) {
    if (!(counts[r]! >= 1 && counts[r]! <= patients.rowsMost))
      throw new RangeError("a patient has more used rows than the study takes, or none");
  }
  return counts;
}

/** Adds up what a proposal holds. */
interface Taker {
  /** @returns null, or what must be awaited before the next record */
  take(weight: number, record: OneRecord): Promise<void> | null;
  /** @returns what it refused itself */
  finish(vector: BigUint64Array, scale: number): Promise<number>;
}

function takerFor(options: FoldOptions, proposal: Proposal): Taker {
  const { query, patients } = options;
  const weightMost = patients === null || isDivisible(query) ? 1 : patients.unit;
  const sums = () => new ExactSums(lengthOf(query), entryMost(query) * weightMost);
  if (query.kind === "histogram" && proposal instanceof CellsProposal)
    return new CellsTaker(proposal, query.channels.length, sums());
  if (query.kind === "vector" && proposal instanceof VectorProposal)
    return new VectorTaker(proposal, query.length, sums());
  if (query.kind === "blocks" && patients !== null)
    throw new RangeError("blocks are drawn of rows: patients cannot count once in them");
  if (query.kind === "gram" && proposal instanceof VectorProposal) return gramTaker(options, query, proposal);
  if (query.kind === "product" && proposal instanceof ProductProposal)
    return new ProductTaker(proposal, sums());
  if (query.kind === "blocks" && proposal instanceof PlaceProposal)
    return new BlocksTaker(options, query, proposal);
  throw new RangeError(`nobody adds up a query of kind ${query.kind}`);
}

/** Whose sums are added as they come. */
abstract class SumsTaker implements Taker {
  protected readonly sums: ExactSums;

  constructor(sums: ExactSums) {
    this.sums = sums;
  }

  abstract take(weight: number, record: OneRecord): null;

  async finish(vector: BigUint64Array, scale: number): Promise<number> {
    this.sums.writeTo(vector, scale);
    return 0;
  }
}

class CellsTaker extends SumsTaker {
  readonly #proposal: CellsProposal;
  readonly #channels: number;

  constructor(proposal: CellsProposal, channels: number, sums: ExactSums) {
    super(sums);
    this.#proposal = proposal;
    this.#channels = channels;
  }

  take(weight: number): null {
    const { cells, values, touched } = this.#proposal;
    const { open } = this.sums;
    const channels = this.#channels;
    for (let i = 0, v = 0; i < touched; i++) {
      const at = cells[i]! * channels;
      for (let c = 0; c < channels; c++, v++) open[at + c] = open[at + c]! + values[v]! * weight;
    }
    this.sums.added(1);
    return null;
  }
}

class VectorTaker extends SumsTaker {
  readonly #proposal: VectorProposal;
  readonly #length: number;

  constructor(proposal: VectorProposal, length: number, sums: ExactSums) {
    super(sums);
    this.#proposal = proposal;
    this.#length = length;
  }

  take(weight: number): null {
    const { out, part } = this.#proposal;
    if (part === -1) return null;
    const { open } = this.sums;
    const at = part * this.#length;
    for (let j = 0; j < out.length; j++) open[at + j] = open[at + j]! + out[j]! * weight;
    this.sums.added(1);
    return null;
  }
}

function gramTaker(
  { kernel, rowsAtMost, checks }: FoldOptions,
  query: Extract<Query, { readonly kind: "gram" }>,
  proposal: VectorProposal,
): Taker {
  const words = new RandomWords(checks);
  const sums = new GramSums({ ...query, kernel, rowsAtMost, random: () => words.below(2 ** 16) });
  return {
    take: () => (proposal.part === -1 ? null : sums.add(proposal.part, proposal.out)),
    async finish(vector, scale) {
      await sums.writeTo(vector, scale);
      return 0;
    },
  };
}

class ProductTaker extends SumsTaker {
  readonly #proposal: ProductProposal;

  constructor(proposal: ProductProposal, sums: ExactSums) {
    super(sums);
    this.#proposal = proposal;
  }

  take(): null {
    const { left, right } = this.#proposal;
    const { open } = this.sums;
    for (let i = 0, p = 0; i < left.length; i++) {
      const factor = left[i]!;
      if (factor === 0) {
        p += right.length;
        continue;
      }
      for (let j = 0; j < right.length; j++, p++) open[p] = open[p]! + factor * right[j]!;
    }
    this.sums.added(1);
    return null;
  }
}

/** Deals records to blocks, keeps them, and asks each block for its answers when all have come. */
class BlocksTaker implements Taker {
  readonly #options: FoldOptions;
  readonly #query: BlocksQuery;
  readonly #proposal: PlaceProposal;
  readonly #words: RandomWords;
  readonly #rowsOf: Uint32Array;
  /** By block · parts + part. */
  readonly #held = new Map<number, HeldRecords>();
  readonly #tally: BlockTally | undefined;
  #refused = 0;

  constructor(options: FoldOptions, query: BlocksQuery, proposal: PlaceProposal) {
    this.#options = options;
    this.#query = query;
    this.#proposal = proposal;
    this.#words = new RandomWords(options.random);
    this.#rowsOf = new Uint32Array(query.blocks);
    const own = options.contributor();
    this.#tally = own.kind === "blocks" ? own.tally : undefined;
  }

  /** Where a record stands in the table decides nothing, and no other record's block changes with it. */
  take(_weight: number, record: OneRecord): null {
    const { blocks, parts, rowsMost, deal } = this.#query;
    const { place } = this.#proposal;
    if (place === -1) return null;
    const block = deal === "lot" ? this.#words.below(blocks) : Math.floor(place / parts);
    if (this.#rowsOf[block] === rowsMost) return null;
    this.#rowsOf[block] = this.#rowsOf[block]! + 1;
    const key = block * parts + (place % parts);
    let held = this.#held.get(key);
    if (held === undefined) {
      held = new HeldRecords(record.values.length, this.#tally);
      this.#held.set(key, held);
    }
    if (!held.add(record)) this.#refused++;
    return null;
  }

  async finish(vector: BigUint64Array, scale: number): Promise<number> {
    const { query, contributor, pause } = this.#options;
    if (query.kind !== "blocks") throw new RangeError("no query of blocks");
    const length = answerLength(query.answer);
    const out = new Int32Array(length);
    const factor = BigInt(scale);
    let refused = this.#refused;
    for (const [key, held] of this.#held) {
      const own = contributor();
      if (own.kind !== "blocks") throw new RangeError("no contributor of blocks");
      if (!(await askBlock(query, own.answer, held.records(), out))) refused++;
      const at = (key % query.parts) * length;
      for (let j = 0; j < length; j++) vector[at + j] = vector[at + j]! + BigInt(out[j]!) * factor;
      await pause?.();
    }
    return refused;
  }
}
