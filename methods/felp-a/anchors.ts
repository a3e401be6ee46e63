import { faults } from "@consilium/core/fault";
import type { StageId } from "@consilium/core/ids";
import { quantiseRecord } from "@consilium/core/privacy/quantise";
import { nameOf, sentences } from "@consilium/core/said";
import type { Broadcast } from "@consilium/core/study/broadcast";
import type { Contributor } from "@consilium/gate/contributions";
import type { Proposal } from "@consilium/gate/fold";
import type { AnySaid } from "@consilium/words/said";
import { featureOfColumn, unitRowsOf } from "../shared/local-learning/unitRows.js";
import { noStage } from "../shared/plans/broadcastFaults.js";
import { proposed, type ToldInput } from "../shared/records/proposal.js";
import type { FelpASays } from "./says.js";
import {
  anchorExponent,
  type FelpAStudy,
  felpALayout,
  felpANames,
  felpAStages,
  felpGridExponent,
} from "./study.js";

const said = sentences<FelpASays>();

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
 * @throws ConsiliumError MESSAGE_UNEXPECTED for another stage; BROADCAST_INVALID before a record is read
 */
export function felpAProposal(study: FelpAStudy, id: StageId, input: ToldInput): Proposal {
  const layout = felpALayout(study);
  if (id === felpAStages.prototypes) {
    const contributor = () => prototypeContributor(study);
    return proposed(study, layout.prototypes, contributor);
  }
  const round = layout.margins.findIndex((stage) => stage.id === id);
  if (round < 0) throw noStage("felp-a", id);
  const anchors = checkedAnchors(study, round + 1, input.broadcasts.get(id));
  const contributor = () => marginContributor(study, anchors);
  return proposed(study, layout.margins[round]!, contributor);
}

/** (trunc(2^h·clip_1((u - c0)/R)), K) in the part of the record's class: |q|² ≤ 4^h + K². */
function prototypeContributor(study: FelpAStudy): Contributor {
  const { columns, centre, radius, kappaUnits } = felpALayout(study);
  const unitRows = unitRowsOf(study.features);
  const unit = new Float64Array(columns);
  return {
    kind: "vector",
    write({ values, label }, out) {
      unitRows.write(values, unit);
      for (let j = 0; j < columns; j++) unit[j] = (unit[j]! - centre[j]!) / radius;
      writeClipped(unit, out);
      out[columns] = kappaUnits;
      return label;
    },
  };
}

/** trunc(2^h·clip_1(z/C)), z the record's margins against the anchors: |q|² ≤ 4^h. */
function marginContributor(study: FelpAStudy, anchors: Anchors): Contributor {
  const { columns, features, clip } = felpALayout(study);
  const unitRows = unitRowsOf(study.features);
  const featureOf = featureOfColumn(study.features);
  const row = new Float64Array(columns);
  const margins = new Float64Array(features);
  return {
    kind: "vector",
    write({ values, label }, out) {
      unitRows.write(values, row);
      if (!anchoredMargins({ row, label, anchors, featureOf, out: margins })) return -1;
      let length = 0;
      for (let j = 0; j < margins.length; j++) {
        margins[j] = margins[j]! / clip;
        length += margins[j]! * margins[j]!;
      }
      const { weights } = anchors;
      if (weights !== null) pull(margins, { weights, clip, length: Math.max(1, Math.sqrt(length)) });
      writeClipped(margins, out);
      return 0;
    },
  };
}

/** A gradient's part: sigm(-w'z̃)·z̃ with z̃ = clip_C(z). */
function pull(
  margins: Float64Array,
  by: { readonly weights: Float64Array; readonly clip: number; readonly length: number },
): void {
  const { weights, clip, length } = by;
  let margin = 0;
  for (let j = 0; j < margins.length; j++) margin += (weights[j]! * margins[j]! * clip) / length;
  const factor = 1 / (1 + Math.exp(margin)) / length;
  for (let j = 0; j < margins.length; j++) margins[j] = margins[j]! * factor;
}

const scale = 2 ** felpGridExponent;
const limit = 4 ** felpGridExponent;

/** Writes trunc(2^h·v), v shortened to length 1 where it is longer. */
function writeClipped(values: Float64Array, out: Int32Array): void {
  let squares = 0;
  for (let j = 0; j < values.length; j++) squares += values[j]! * values[j]!;
  // A little inside of the ball, so that the check hardly ever has work to do.
  const factor = squares > 1 ? scale * ((1 - 2 ** -40) / Math.sqrt(squares)) : scale;
  let norm = 0;
  for (let j = 0; j < values.length; j++) {
    // At most 2^20, and cut as Math.trunc does.
    const integer = (values[j]! * factor) | 0;
    out[j] = integer;
    norm += integer * integer;
  }
  // Exact below 2^53, and the limit is 2^40.
  if (norm <= limit && Number.isFinite(squares)) return;
  const integers = new Float64Array(values.length);
  quantiseRecord({ values, gridExponent: felpGridExponent, squaredNormLimit: limit, out: integers });
  out.set(integers);
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
    for (let j = 0; j < d; j++) {
      const difference = row[j]! - prototypes[c * d + j]!;
      distance += difference * difference;
    }
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
    if (values?.length !== length) refuse(said("felp-a.length", { name: nameOf(name), length }));
    return values!;
  };
  const prototypes = given(felpANames.prototypes, classes * columns);
  if (!prototypes.every((value, p) => onGrid(value) && value >= 0 && value <= most[p % columns]!)) {
    refuse(said("felp-a.prototype-values", {}));
  }
  const present = Array.from(given(felpANames.present, classes), (value) => {
    if (value !== 0 && value !== 1) refuse(said("felp-a.presence", {}));
    return value === 1;
  });
  if (round === 1) return { prototypes, present, weights: null };
  const weights = given(felpANames.weights, features);
  const largest = weightsMost(study);
  if (!weights.every((value) => onGrid(value) && Math.abs(value) <= largest)) {
    refuse(said("felp-a.weight-values", {}));
  }
  return { prototypes, present, weights };
}

function refuse(what: AnySaid): never {
  throw faults<FelpASays>()("BROADCAST_INVALID", "felp-a.broadcast", { what });
}

const onGrid = (value: number) => Number.isInteger(value * 2 ** anchorExponent);

/** To the next multiple of 2^-24 towards zero, so that no bound is crossed. */
export function toGrid(value: number): number {
  return Math.trunc(value * 2 ** anchorExponent) / 2 ** anchorExponent + 0;
}
