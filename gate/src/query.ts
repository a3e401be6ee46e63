import { rootOf } from "./root.js";

/**
 * A stage of a sound study as data: what one record may add to the stage's vector of integers. Everything that privacy
 * depends on follows from it and is computed here, never stated by a method: how much one record changes the vector,
 * entry by entry and as a whole, and how large an entry can become. `contributions.ts` holds every record to it.
 *
 * Sensitivities are under add-remove of one record, in the method's integers, before weights and scale.
 */
export type Query = HistogramQuery | VectorQuery | GramQuery | ProductQuery | BlocksQuery;

/** What a method says before a record is read: its query, and what its integers are multiplied with, a power of two from 1. */
export type Terms = { readonly query: Query; readonly scale: number };

/** A record adds to a few cells of a table of counts, or of other small integers. */
export interface HistogramQuery {
  readonly kind: "histogram";
  /** Cells of the table; the vector has as many entries for each channel, cell by cell. */
  readonly cells: number;
  /** m: cells that one record adds to, at most, each once. */
  readonly touches: number;
  /** What a record may add to a cell, in each of its channels. */
  readonly channels: readonly Channel[];
  /** L: Σ over a touched cell's channels of the squares of what a record adds to it; left out: as the channels allow. */
  readonly cellLimit?: number;
  /**
   * Into which the cells fall, one after another, where the table is several: what a record adds is bounded in each by itself.
   * There is one channel then, and as many touches as the sections have together. Left out: a record adds to any cells.
   */
  readonly sections?: readonly Section[];
  /**
   * Set where the integers are so fine that those of a row are divided by how many rows its patient has, and cut towards zero.
   * Left out where they are counts: then a row of k weighs ⌊U/k⌋ of U.
   */
  readonly divisible?: true;
}

export interface Section {
  readonly cells: number;
  /** What a record adds to a cell of it, at most. */
  readonly most: number;
  /** The same, at least: 0 or below; 0 where left out. */
  readonly least?: number;
  /** Cells of it that a record adds to, at most; 1 where left out. */
  readonly touches?: number;
  /** Left out: sums leave as they are. A section with a root has one touch and nothing below 0. */
  readonly root?: Root;
}

/**
 * The exact sums of all records, run by run, are multiplied with the matrix of `rootOf` before noise is added to them. Once
 * more the matrix, of what is opened, is prefix sums with far less noise than sums of noisy cells have. Flat sections beside it
 * count in its units, 2^exponent for 1, as one size of noise serves all entries.
 */
export interface Root {
  /** Cells of a run, from 1 to 4,096; the section consists of whole runs. */
  readonly run: number;
  /** From 0 to 24. */
  readonly exponent: number;
}

export interface Channel {
  /** Integers, least ≤ 0 ≤ most. */
  readonly least: number;
  readonly most: number;
}

/** A record adds a vector q with |q|² ≤ `limit` to one of the parts that the stage's vector consists of. */
export interface VectorQuery {
  readonly kind: "vector";
  readonly parts: number;
  /** Entries of q. */
  readonly length: number;
  /** Below 2^53. */
  readonly limit: number;
}

/** A record adds aa', |a|² ≤ `limit`, to one of the parts: upper triangles, row by row, of symmetric matrices. */
export interface GramQuery {
  readonly kind: "gram";
  readonly parts: number;
  /** Entries of a. */
  readonly order: number;
  /** A, below 2^53. */
  readonly limit: number;
}

/** A record adds ab', |a|² and |b|² ≤ `limit`: a matrix, row by row. */
export interface ProductQuery {
  readonly kind: "product";
  /** Entries of a, and of b. */
  readonly rows: number;
  readonly columns: number;
  /** Below 2^53. */
  readonly limit: number;
}

/**
 * Records are dealt to blocks, each by lot or by a hash of itself, never by its place; each block answers with one
 * vector a part, made of its own records in that part alone. So a record changes one answer.
 */
export interface BlocksQuery {
  readonly kind: "blocks";
  readonly blocks: number;
  readonly parts: number;
  /**
   * `lot`: the gate draws each record's block, and the method says the part. `record`: the method says block · parts + part, from
   * the record alone.
   */
  readonly deal: "lot" | "record";
  /** Records that a block keeps in a part, at most; of more those with the least keyed hashes. Left out with `counts`. */
  readonly rowsMost?: number;
  /** Kept of all of its records in place of them. */
  readonly counts?: BlockCounts;
  readonly answer: Answer;
}

/** How many of a block's records in a part count in each of `cells`; every record counts in `touches` of them. */
export interface BlockCounts {
  readonly cells: number;
  readonly touches: number;
}

/**
 * What a block may answer in a part: integers from 0 on, either of limited length as a whole, or of groups of entries of
 * which few are not 0.
 */
export type Answer =
  | { readonly kind: "length"; readonly entries: number; readonly limit: number }
  | { readonly kind: "groups"; readonly most: number; readonly groups: readonly AnswerGroup[] };

export interface AnswerGroup {
  readonly entries: number;
  /** Entries that are not 0, at most. */
  readonly taken: number;
}

/**
 * Whether the k rows of a patient who counts once are each divided by k in the query's own integers: exactly, entry by entry, and
 * for products by √k in each factor, so that all bounds hold for the patient. Otherwise each weighs ⌊U/k⌋ of U.
 */
export function isDivisible(query: Query): boolean {
  return query.kind === "histogram" ? query.divisible === true : query.kind !== "blocks";
}

/** Entries of the stage's vector. */
export function lengthOf(query: Query): number {
  switch (query.kind) {
    case "histogram":
      return query.cells * query.channels.length;
    case "vector":
      return query.parts * query.length;
    case "gram":
      return (query.parts * query.order * (query.order + 1)) / 2;
    case "product":
      return query.rows * query.columns;
    case "blocks":
      return query.parts * answerLength(query.answer);
  }
}

export function answerLength(answer: Answer): number {
  return answer.kind === "length"
    ? answer.entries
    : answer.groups.reduce((sum, group) => sum + group.entries, 0);
}

/**
 * Δ², an integer: Σ w_j·q_j² of what one record changes is at most this, with the weights of `weightsOf`.
 *
 * - histogram: m cells, in each at most L; of sections Σ m·w²·K, m and w = max(most, -least) of each. K is 1, or Σ C_i² under a
 *   root: a record that adds v ≥ 0 to cell b changes cell j ≥ b of its run by v·C_{j-b}, so by |v|²·Σ_{i < run-b} C_i², greatest
 *   at b = 0. That needs its one touch: every C_i ≥ 0, so two touches v, v' of one run would change |Cv|² + |Cv'|² + 2(Cv)'Cv'.
 *   Proof: docs/methods/describe.md#sections.
 * - vector: |q|².
 * - gram: |aa'|² = |a|⁴ ≤ A², the triangle's entries off the diagonal counted twice.
 * - product: |ab'|² = |a|²·|b|² ≤ A².
 * - blocks: the difference of two answers v, v' without negative entries. |v - v'|² = |v|² + |v'|² - 2v'v ≤ 2·limit; or,
 *   in each group, at most min(entries, 2·taken) entries that differ by at most `most`.
 */
export function sensitivitySquared(query: Query): number {
  switch (query.kind) {
    case "histogram":
      return (
        query.sections?.reduce((sum, section) => sum + sectionSquared(section), 0) ??
        query.touches * cellLimit(query)
      );
    case "vector":
      return query.limit;
    case "gram":
    case "product":
      return squareRoundedUp(query.limit);
    case "blocks":
      return query.answer.kind === "length"
        ? 2 * query.answer.limit
        : changedEntries(query.answer.groups) * query.answer.most ** 2;
  }
}

function sectionSquared({ most, least = 0, touches = 1, root }: Section): number {
  const squares =
    root === undefined ? 1 : rootOf(root.run, root.exponent).reduce((sum, entry) => sum + entry ** 2, 0);
  return touches * largest({ least, most }) ** 2 * squares;
}

/** The least double that is at least limit². */
function squareRoundedUp(limit: number): number {
  const exact = BigInt(limit) ** 2n;
  let square = Number(exact);
  while (BigInt(square) < exact) square *= 1 + Number.EPSILON;
  return square;
}

/** L of a histogram. */
export function cellLimit({ channels, cellLimit: given }: HistogramQuery): number {
  const allowed = channels.reduce((sum, channel) => sum + largest(channel) ** 2, 0);
  return given === undefined ? allowed : Math.min(given, allowed);
}

/** The magnitude of what a record adds to a cell, at most. */
export const largest = ({ least = 0, most }: { readonly least?: number; readonly most: number }) =>
  Math.max(-least, most);

/** Of a block's answer that one record changes. */
export const changedEntries = (groups: readonly AnswerGroup[]) =>
  groups.reduce((sum, { entries, taken }) => sum + Math.min(entries, 2 * taken), 0);

/** The most that one record changes one entry by. */
export function entryMost(query: Query): number {
  switch (query.kind) {
    case "histogram":
      return Math.max(
        ...(query.sections?.map((section) => largest(section) * 2 ** (section.root?.exponent ?? 0)) ??
          query.channels.map(largest)),
      );
    case "vector":
      return Math.floor(Math.sqrt(query.limit));
    case "gram":
    case "product":
      return query.limit;
    case "blocks":
      return query.answer.kind === "length" ? Math.floor(Math.sqrt(query.answer.limit)) : query.answer.most;
  }
}
