import { ConsiliumError } from "../../errors.js";
import type { StageId } from "../../ids.js";
import { quantiseRecord } from "../../privacy/quantise.js";
import type { Broadcast } from "../../study/broadcast.js";
import type { ColumnBlock } from "../../study/design.js";
import { designColumns } from "../../study/design.js";
import {
  anchorExponent,
  type FelpALayout,
  type FelpAStudy,
  felpALayout,
  felpANames,
  felpAStages,
  felpGridExponent,
} from "../../study/felpA.js";
import type { SoundStage } from "../../study/soundSums.js";
import { checkRows } from "../moments.js";
import { rowsPerSlice } from "../normalise.js";
import { rowDivisors } from "../patientRows.js";
import { type SiteInput, scaledVector } from "../sums.js";
import { featureOfColumn, fillUnitRows } from "./unitRows.js";

/**
 * What a site adds to the stages of felp-a: integers whose length is certain, each a function of one row, of public
 * numbers and of broadcasts (docs/METHODS.md#felp-a-proof). An absent class, or an empty table, is zeros.
 */

/** Prototypes and weights as a site takes them from a broadcast. */
export interface Anchors {
  /** [L × D] in unit coordinates. */
  readonly prototypes: Float64Array;
  /** [L] whether the class takes part. */
  readonly present: readonly boolean[];
  /** [d] null in the first round. */
  readonly weights: Float64Array | null;
}

/** Weights that are broadcast are at most this: beyond C/(2λ) no minimum lies. */
export function weightsMost(study: FelpAStudy): number {
  return study.parameters.clip / (2 * study.parameters.lambda);
}

/**
 * The site's vector of a stage before noise and mask.
 * @throws ConsiliumError MESSAGE_UNEXPECTED for another stage; BROADCAST_INVALID before a row is read; ROWS_TOO_MANY
 *   above `maxRowsPerSite`; VALUE_NOT_FINITE naming the column
 */
export async function felpAVector(
  study: FelpAStudy,
  id: StageId,
  input: Pick<SiteInput, "broadcasts" | "blocks">,
): Promise<BigUint64Array> {
  const layout = felpALayout(study);
  if (id === felpAStages.prototypes) {
    const records = new PrototypeRecords(layout);
    return summed({ study, stage: layout.prototypes, blocks: input.blocks, records });
  }
  const round = layout.margins.findIndex((stage) => stage.id === id);
  if (round < 0) throw new ConsiliumError("MESSAGE_UNEXPECTED", `felp-a has no sum stage ${id}`);
  const anchors = checkedAnchors(study, round + 1, input.broadcasts.get(id));
  const records = new MarginRecords(layout, anchors, featureOfColumn(study.features));
  return summed({ study, stage: layout.margins[round]!, blocks: input.blocks, records });
}

/** What one row adds, by stage. */
interface Records {
  /**
   * Adds the row's integers to the sums, each divided by `divisor` and cut towards zero: k rows of a patient add no more than
   * one could.
   * @param rows - holds it from `at`, D unit coordinates
   */
  add(rows: Float64Array, at: number, label: number, sums: Float64Array, divisor: number): void;
}

/** Sums of integers below 2^23 over at most 10^9 rows stay below 2^53: doubles add them exactly, in any order. */
async function summed(options: {
  readonly study: FelpAStudy;
  readonly stage: SoundStage;
  readonly blocks: AsyncIterable<ColumnBlock>;
  readonly records: Records;
}): Promise<BigUint64Array> {
  const { study, stage, blocks, records } = options;
  const columns = designColumns(study.features);
  const d = columns.length;
  const slice = Math.min(rowsPerSlice(d), study.participation.maxRowsPerSite);
  const unit = new Float64Array(slice * d);
  const sums = new Float64Array(stage.length);
  let seen = 0;
  for await (const block of blocks) {
    seen += block.rows;
    checkRows(seen, study);
    const divisors = rowDivisors(study, block);
    for (let from = 0; from < block.rows; from += slice) {
      const rows = Math.min(slice, block.rows - from);
      fillUnitRows({ block, columns, from, rows, out: unit });
      for (let r = 0; r < rows; r++)
        records.add(unit, r * d, block.labels![from + r]!, sums, divisors?.[from + r] ?? 1);
    }
  }
  return scaledVector(study, stage, sums);
}

/** (trunc(2^h·clip_1((u - c0)/R)), K) in the block of the row's class: |q|² ≤ 4^h + K². */
class PrototypeRecords implements Records {
  readonly #layout: FelpALayout;
  readonly #record: Float64Array;
  readonly #integers: Float64Array;

  constructor(layout: FelpALayout) {
    this.#layout = layout;
    this.#record = new Float64Array(layout.columns);
    this.#integers = new Float64Array(layout.columns);
  }

  add(rows: Float64Array, at: number, label: number, sums: Float64Array, divisor: number): void {
    const { columns, centre, radius, kappaUnits } = this.#layout;
    for (let j = 0; j < columns; j++) this.#record[j] = (rows[at + j]! - centre[j]!) / radius;
    const start = label * (columns + 1);
    addClipped(this.#record, this.#integers, { sums, start, divisor });
    sums[start + columns] = sums[start + columns]! + Math.trunc(kappaUnits / divisor);
  }
}

/** trunc(2^h·clip_1(z/C)), z the row's margins against the anchors: |q|² ≤ 4^h. */
class MarginRecords implements Records {
  readonly #layout: FelpALayout;
  readonly #anchors: Anchors;
  readonly #featureOf: Uint32Array;
  readonly #margins: Float64Array;
  readonly #integers: Float64Array;

  constructor(layout: FelpALayout, anchors: Anchors, featureOf: Uint32Array) {
    this.#layout = layout;
    this.#anchors = anchors;
    this.#featureOf = featureOf;
    this.#margins = new Float64Array(layout.features);
    this.#integers = new Float64Array(layout.features);
  }

  add(rows: Float64Array, at: number, label: number, sums: Float64Array, divisor: number): void {
    const { clip } = this.#layout;
    const margins = this.#margins;
    const row = rows.subarray(at, at + this.#layout.columns);
    if (!anchoredMargins({ row, label, anchors: this.#anchors, featureOf: this.#featureOf, out: margins }))
      return;
    let length = 0;
    for (let j = 0; j < margins.length; j++) {
      margins[j] = margins[j]! / clip;
      length += margins[j]! * margins[j]!;
    }
    const { weights } = this.#anchors;
    if (weights !== null) this.#pull(weights, Math.max(1, Math.sqrt(length)));
    addClipped(margins, this.#integers, { sums, start: 0, divisor });
  }

  /** A gradient's part: sigm(-w'z̃)·z̃ with z̃ = clip_C(z). */
  #pull(weights: Float64Array, length: number): void {
    const { clip } = this.#layout;
    const margins = this.#margins;
    let margin = 0;
    for (let j = 0; j < margins.length; j++) margin += (weights[j]! * margins[j]! * clip) / length;
    const pull = 1 / (1 + Math.exp(margin)) / length;
    for (let j = 0; j < margins.length; j++) margins[j] = margins[j]! * pull;
  }
}

const scale = 2 ** felpGridExponent;
const limit = 4 ** felpGridExponent;

/** Adds trunc(2^h·v), v shortened to length 1 where it is longer, to the sums from `start` on: a part of it, cut towards zero. */
function addClipped(
  values: Float64Array,
  integers: Float64Array,
  to: { readonly sums: Float64Array; readonly start: number; readonly divisor: number },
): void {
  const { sums, start, divisor } = to;
  let squares = 0;
  for (const value of values) squares += value * value;
  // A little inside of the ball, so that the check hardly ever has work to do.
  const factor = squares > 1 ? scale * ((1 - 2 ** -40) / Math.sqrt(squares)) : scale;
  let norm = 0;
  for (let j = 0; j < values.length; j++) {
    const integer = Math.trunc(values[j]! * factor) + 0;
    integers[j] = integer;
    norm += integer * integer;
  }
  // Exact below 2^53, and the limit is 2^40.
  if (!(norm <= limit)) {
    quantiseRecord({ values, gridExponent: felpGridExponent, squaredNormLimit: limit, out: integers });
  }
  for (let j = 0; j < values.length; j++)
    sums[start + j] = sums[start + j]! + Math.trunc(integers[j]! / divisor);
}

/**
 * z = |u - NM| - |u - NH|, NH the prototype of the row's own class and NM the nearest of another one that takes part, the
 * first of those at the same distance; absolute differences of a feature's columns added up.
 * @param out - [d]
 * @returns false where the row's class does not take part, or no other one does: then the row adds nothing
 */
export function anchoredMargins(options: {
  readonly row: Float64Array;
  readonly label: number;
  readonly anchors: Pick<Anchors, "prototypes" | "present">;
  readonly featureOf: Uint32Array;
  readonly out: Float64Array;
}): boolean {
  const { row, label, anchors, featureOf, out } = options;
  const { prototypes, present } = anchors;
  const d = row.length;
  if (present[label] !== true) return false;
  let miss = -1;
  let least = Number.POSITIVE_INFINITY;
  for (let c = 0; c < present.length; c++) {
    if (c === label || present[c] !== true) continue;
    let distance = 0;
    for (let j = 0; j < d; j++) distance += (row[j]! - prototypes[c * d + j]!) ** 2;
    if (distance < least) {
      least = distance;
      miss = c;
    }
  }
  if (miss < 0) return false;
  out.fill(0);
  for (let j = 0; j < d; j++) {
    const feature = featureOf[j]!;
    out[feature] =
      out[feature]! +
      Math.abs(row[j]! - prototypes[miss * d + j]!) -
      Math.abs(row[j]! - prototypes[label * d + j]!);
  }
  return true;
}

/**
 * What is broadcast for a round of margins, checked. The proof of privacy needs none of this, for the length of what is
 * added is checked for every record; but a site answers nothing that the plan does not say.
 * @param round - from 1
 * @throws ConsiliumError BROADCAST_INVALID
 */
function checkedAnchors(study: FelpAStudy, round: number, broadcast: Broadcast | undefined): Anchors {
  const layout = felpALayout(study);
  const { columns, classes, features, most } = layout;
  const given = (name: string, length: number): Float64Array => {
    const values = broadcast?.[name];
    if (values?.length !== length) refuse(`"${name}" does not hold ${length} numbers`);
    return values!;
  };
  const prototypes = given(felpANames.prototypes, classes * columns);
  if (!prototypes.every((value, p) => onGrid(value) && value >= 0 && value <= most[p % columns]!)) {
    refuse("prototypes that are not multiples of 2^-24 within the declared ranges");
  }
  const present = Array.from(given(felpANames.present, classes), (value) => {
    if (value !== 0 && value !== 1) refuse("classes that are neither present nor absent");
    return value === 1;
  });
  if (round === 1) return { prototypes, present, weights: null };
  const weights = given(felpANames.weights, features);
  const largest = weightsMost(study);
  if (!weights.every((value) => onGrid(value) && Math.abs(value) <= largest)) {
    refuse("weights that are not multiples of 2^-24 within their bounds");
  }
  return { prototypes, present, weights };
}

function refuse(what: string): never {
  throw new ConsiliumError("BROADCAST_INVALID", `the broadcast for felp-a: ${what}`);
}

const onGrid = (value: number) => Number.isInteger(value * 2 ** anchorExponent);

/** To the next multiple of 2^-24 towards zero, so that no bound is crossed. */
export function toGrid(value: number): number {
  return Math.trunc(value * 2 ** anchorExponent) / 2 ** anchorExponent + 0;
}
