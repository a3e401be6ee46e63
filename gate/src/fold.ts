import type { RandomSource } from "@consilium/secure-sum/random";
import { checkQuery } from "./checkQuery.js";
import {
  askBlock,
  CellsContribution,
  type Contribution,
  type Contributor,
  contributionFor,
  PlaceContribution,
  ProductContribution,
  VectorContribution,
} from "./contributions.js";
import { type Patients, weightOf } from "./cost.js";
import { type GramKernel, GramSums } from "./gramSums.js";
import { heldRecords } from "./heldRecords.js";
import { RandomWords } from "./noise/randomWords.js";
import type { Part } from "./part.js";
import {
  answerLength,
  type BlocksQuery,
  entryMost,
  type GramQuery,
  type HistogramQuery,
  isDivisible,
  lengthOf,
  type Query,
  type Terms,
} from "./query.js";
import { type OneRecord, type RecordBlock, RecordReader } from "./record.js";
import { rootOf } from "./root.js";
import { multiplyByRoot } from "./rootProduct.js";
import { ExactSums } from "./sums.js";

/** What a method answers a stage with: never a vector, but what each record may add, and how it is asked what it does. */
export interface Proposal extends Terms {
  /** Makes what a method answers with, from public inputs alone. Made anew wherever a record is asked for again. */
  readonly contributor: () => Contributor;
  /** Waits a moment, in long computations between two blocks of rows, so that others come to their turn. */
  readonly pause?: () => Promise<void>;
}

/** The records of a stage, and what they are added up with. */
export interface StageRecords {
  readonly records: AsyncIterable<RecordBlock>;
  /** Whose privacy is counted, where it is not a row's. */
  readonly patients: Patients | null;
  /** Records that may come at most. */
  readonly rowsAtMost: number;
  readonly kernel: GramKernel;
  /** Of the lots that records are dealt to blocks by. */
  readonly random: RandomSource;
  /** Of where records are asked for again, of the numbers that products are checked with, and of which rows a full block keeps. */
  readonly checks: RandomSource;
}

interface FoldOptions extends Proposal, StageRecords {
  /** Entries of a record. */
  readonly features: number;
}

/**
 * What a method proposes for each record, held to the query and added up. A contribution that breaks the query, or comes out
 * differently when it is asked for again, counts as absent. The result is that of the multiset of records: neither their order nor
 * how they are cut into blocks matters, but for what is drawn by lot.
 * @throws RangeError for an invalid query or contributor, or blocks that do not say how many rows their patients have
 */
export async function foldRecords(options: FoldOptions): Promise<Part> {
  const { query, contributor, features, patients } = options;
  checkQuery(query);
  const contribution = contributionFor(query, contributor());
  const again = contributionFor(query, contributor());
  const words = new RandomWords(options.checks);
  const taker = takerFor(options, contribution, words.next());
  const reader = new RecordReader(features);
  const { record } = reader;
  const isDivided = isDivisible(query);
  const unit = patients?.unit ?? null;
  let [asked, refused] = [0, 0];
  let untilAgain = gap(words);
  for await (const block of options.records) {
    asked += block.rows;
    const counts = unit === null ? null : countsOf(block);
    reader.open(block);
    for (let r = 0; r < block.rows; r++) {
      reader.load(r);
      const rows = counts?.[r] ?? 1;
      if (!(rows >= 1 && rows <= (patients?.rowsMost ?? 1)) || !contribution.ask(record)) {
        refused++;
        continue;
      }
      if (untilAgain-- === 0) {
        untilAgain = gap(words);
        reader.load(r);
        if (!again.ask(record) || !isSame(contribution.words, again.words)) {
          refused++;
          continue;
        }
      }
      let weight = 1;
      if (counts !== null) {
        if (!isDivided) weight = Math.floor(unit! / rows);
        else if (rows !== 1) contribution.divide(rows);
      }
      const wait = taker.take(weight, record);
      if (wait !== null) await wait;
    }
  }
  const exact = taker.room?.() ?? new BigUint64Array(lengthOf(query));
  const refusedBlocks = await taker.finish(exact, options.scale);
  if (query.kind === "histogram") takeRoots(query, exact);
  return { exact, records: asked, refused, ...(refusedBlocks === 0 ? {} : { refusedBlocks }) };
}

/** Linear modulo 2^64: roots of parts add up to the root of their sum, and scale and weights may come before. */
function takeRoots({ sections = [] }: HistogramQuery, exact: BigUint64Array): void {
  let from = 0;
  for (const { cells, root } of sections) {
    if (root !== undefined)
      multiplyByRoot(exact.subarray(from, from + cells), rootOf(root.run, root.exponent));
    from += cells;
  }
}

/** One record in so many, on average, is asked for again: of a method with a memory, which is wrong. */
const askedAgain = 256;

const gap = (words: RandomWords) => words.below(2 * askedAgain);

const isSame = (one: Int32Array, other: Int32Array) => one.every((word, i) => word === other[i]);

/** A block that does not say whose rows it holds would let a patient count for as many as there are. */
function countsOf({ rows, patientRows }: RecordBlock): Uint16Array {
  if (patientRows === undefined || patientRows.counts.length < rows || patientRows.draws.length < rows)
    throw new RangeError("a study that weighs patients needs to know how many rows each patient has");
  return patientRows.counts;
}

/** Adds up contributions. */
interface Taker {
  /** @returns null, or what must be awaited before the next record */
  take(weight: number, record: OneRecord): Promise<void> | null;
  /** The memory of what has been added up, where the sums may be written there. */
  room?(): BigUint64Array;
  /** @returns blocks whose answers it refused */
  finish(vector: BigUint64Array, scale: number): Promise<number>;
}

function takerFor(options: FoldOptions, contribution: Contribution, key: number): Taker {
  const { query, patients } = options;
  if (query.kind === "gram" && contribution instanceof VectorContribution)
    return gramTaker(options, query, contribution);
  if (query.kind === "blocks" && contribution instanceof PlaceContribution)
    return blocksTaker(options, { query, contribution, key });
  const add = adderFor(query, contribution);
  const sums = new ExactSums(lengthOf(query), entryMost(query) * weightOf(query, patients));
  return {
    take(weight) {
      add(sums.open, weight);
      sums.added(1);
      return null;
    },
    room: () => new BigUint64Array(sums.open.buffer),
    async finish(vector, scale) {
      sums.writeTo(vector, scale);
      return 0;
    },
  };
}

/** What adds a contribution, times its weight, to the entries of the stage's vector. */
function adderFor(query: Query, contribution: Contribution): (sums: Float64Array, weight: number) => void {
  if (query.kind === "histogram" && contribution instanceof CellsContribution) {
    const { cells, values } = contribution;
    const channels = query.channels.length;
    return (sums, weight) => {
      const { touched } = contribution;
      for (let i = 0, v = 0; i < touched; i++) {
        const at = cells[i]! * channels;
        for (let c = 0; c < channels; c++, v++) sums[at + c] = sums[at + c]! + values[v]! * weight;
      }
    };
  }
  if (query.kind === "vector" && contribution instanceof VectorContribution) {
    const { out } = contribution;
    return (sums, weight) => {
      if (contribution.part === -1) return;
      const at = contribution.part * out.length;
      for (let j = 0; j < out.length; j++) sums[at + j] = sums[at + j]! + out[j]! * weight;
    };
  }
  if (query.kind === "product" && contribution instanceof ProductContribution) {
    const { left, right } = contribution;
    return (sums) => {
      for (let i = 0, p = 0; i < left.length; i++) {
        const factor = left[i]!;
        for (let j = 0; j < right.length; j++, p++) sums[p] = sums[p]! + factor * right[j]!;
      }
    };
  }
  throw new RangeError(`nobody adds up a query of kind ${query.kind}`);
}

function gramTaker(
  { kernel, rowsAtMost, checks }: FoldOptions,
  query: GramQuery,
  contribution: VectorContribution,
): Taker {
  const words = new RandomWords(checks);
  const sums = new GramSums({ ...query, kernel, rowsAtMost, random: () => words.below(2 ** 16) });
  return {
    take: () => (contribution.part === -1 ? null : sums.add(contribution.part, contribution.out)),
    async finish(vector, scale) {
      await sums.writeTo(vector, scale);
      return 0;
    },
  };
}

interface Dealt {
  readonly query: BlocksQuery;
  readonly contribution: PlaceContribution;
  /** As of `heldRecords`. */
  readonly key: number;
}

/** Deals records to blocks, keeps what they count or them, and asks each block for its answers when all have come. */
function blocksTaker(options: FoldOptions, { query, contribution, key }: Dealt): Taker {
  const { contributor, features, pause } = options;
  const { blocks, parts, deal } = query;
  if ((options.patients?.unit ?? null) !== null)
    throw new RangeError("blocks are drawn of rows: patients cannot count once in them");
  const words = new RandomWords(options.random);
  const held = heldRecords(query, features, key);
  const waited = async () => {
    await pause?.();
    return contributor();
  };
  return {
    /** Where a record stands in the table decides nothing, and no other record's block changes with it. */
    take(_weight, record) {
      const { place, counted } = contribution;
      if (place !== -1)
        held.add(deal === "lot" ? words.below(blocks) * parts + place : place, record, counted);
      return null;
    },
    async finish(vector, scale) {
      const out = new Int32Array(answerLength(query.answer));
      const factor = BigInt(scale);
      let refused = 0;
      for (const [place, records] of held.records()) {
        if (!(await askBlock(query, waited, records, out))) refused++;
        const at = (place % parts) * out.length;
        for (let j = 0; j < out.length; j++) vector[at + j] = vector[at + j]! + BigInt(out[j]!) * factor;
      }
      return refused;
    },
  };
}
