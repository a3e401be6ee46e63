import type { StageId } from "@consilium/core/ids";
import { evaluationForm } from "@consilium/core/study/evaluation";
import type { Contributor } from "@consilium/gate/contributions";
import type { Proposal } from "@consilium/gate/fold";
import type { OneRecord } from "@consilium/gate/record";
import { cutsTold } from "../shared/evaluation/scoreScale.js";
import { noStage } from "../shared/plans/broadcastFaults.js";
import { evaluationContributor } from "../shared/records/evaluationRecords.js";
import { heldOutRecord } from "../shared/records/heldOutRecord.js";
import { proposed, type ToldInput } from "../shared/records/proposal.js";
import { type ModelTold, modelTold } from "./coefficients.js";
import { ColumnWriter } from "./columns.js";
import { type RegressionLayout, type RegressionStudy, regressionLayout } from "./study.js";
import { countOf, followUpOf, type RecordTerms, recordTerms } from "./terms.js";

/**
 * Vector that a record adds to a stage of a regression, with x its columns as integers, |x|² ≤ A (`terms.ts`). It depends on the record and on what
 * was broadcast alone:
 *
 * - gram: (x, y)(x, y)'. squares: aa' with a = trunc(|q|·x).
 * - start: a count and an exposure, or an event and times of follow-up by interval.
 * - sum: trunc(r·x), then trunc(√(k/A)·w·x_i·x_j), √2 times that where i < j; what else a family has after it.
 *
 * Cutting towards zero lengthens no entry. What the squared lengths are at most is proven in docs/methods/regression.md#regression-proof.
 * @throws ConsiliumError MESSAGE_UNEXPECTED for a stage of another method; as `modelTold`, before a record is read
 */
export function regressionProposal(study: RegressionStudy, id: StageId, input: ToldInput): Proposal {
  const layout = regressionLayout(study);
  const { gram, squares, start, sums, informationWeights, evaluation } = layout;
  if (id === evaluation?.id) {
    const form = evaluationForm(2);
    const margin = marginOf(study, layout, modelTold(layout, evaluation, input.broadcasts)!);
    const cuts = cutsTold(form, input.broadcasts);
    const contributor = () => evaluationContributor(study.parameters, { form, cuts, predict: margin });
    return proposed(study, evaluation, contributor);
  }
  if (id === gram?.id) return proposed(study, gram, () => outcomeProducts(study, layout));
  if (id === squares?.id) {
    const told = modelTold(layout, squares, input.broadcasts)!;
    return proposed(study, squares, () => squaredResiduals(study, layout, told));
  }
  if (id === start?.id) return proposed(study, start, () => beginnings(layout));
  const at = sums.findIndex((stage) => stage.id === id);
  if (at < 0) throw noStage("regression", id);
  const told = modelTold(layout, sums[at]!, input.broadcasts);
  return proposed(study, sums[at]!, () => derivatives(study, layout, informationWeights[at]!, told));
}

/** (x, y) of every row: a linear regression holds none out. */
function outcomeProducts(study: RegressionStudy, { design, columns }: RegressionLayout): Contributor {
  const writer = new ColumnWriter(study.features, design);
  return {
    kind: "gram",
    write(record, out) {
      writer.write(record, out);
      out[columns] = writer.outcome(record);
      return 0;
    },
  };
}

/** |q|·x with q the residual over c, cut to [-1, 1]. */
function squaredResiduals(
  study: RegressionStudy,
  { design, columns }: RegressionLayout,
  { coefficients, residualLimit }: ModelTold,
): Contributor {
  const writer = new ColumnWriter(study.features, design);
  const scale = residualLimit * 2 ** design.gridExponent;
  return {
    kind: "gram",
    write(record, out) {
      writer.write(record, out);
      const residual = writer.outcome(record) - dot(coefficients, out);
      const q = Math.min(1, Math.abs(residual) / scale);
      for (let j = 0; j < columns; j++) out[j] = Math.trunc(out[j]! * q);
      return 0;
    },
  };
}

function beginnings(layout: RegressionLayout): Contributor {
  const { design, count, exposure, followUp, intervals } = layout;
  const one = 2 ** design.gridExponent;
  if (followUp === null)
    return {
      kind: "vector",
      write({ values }, out) {
        const { counted, exposed } = countOf(layout, values);
        out[0] = Math.trunc((counted / count!.most) * one);
        out[1] = Math.trunc((exposed / (exposure?.most ?? 1)) * one);
        return 0;
      },
    };
  const { edges } = followUp;
  const horizon = edges[intervals]!;
  return {
    kind: "vector",
    write(record, out) {
      const { time, eventIn } = followUpOf(layout, record);
      if (eventIn >= 0) out[eventIn] = one;
      for (let k = 0; k < intervals && edges[k]! < time; k++)
        out[intervals + k] = Math.trunc(((Math.min(time, edges[k + 1]!) - edges[k]!) / horizon) * one);
      return 0;
    },
  };
}

/** Makes up for what rounding of a product's factors adds: every entry is no longer than the real number that it stands for. */
const roundedDown = 1 - 2 ** -48;

/**
 * Score and information of training rows.
 * @param told - null for coefficients of 0
 */
function derivatives(
  study: RegressionStudy,
  layout: RegressionLayout,
  informationWeight: number,
  told: ModelTold | null,
): Contributor {
  const { design, columns, intervals, squaredNorm, count } = layout;
  const writer = new ColumnWriter(study.features, design);
  const isHeldOut = heldOutRecord(study.parameters.evaluation, study.parameters.seed);
  const terms = recordTerms(study, layout, told?.baseline ?? new Float64Array(intervals));
  const one = 2 ** design.gridExponent;
  const cut = study.privacy === "none" ? Math.round : Math.trunc;
  const x = new Int32Array(columns);
  // √(k/A) with A = B²·4^h.
  const factor = (Math.sqrt(informationWeight / squaredNorm) / one) * roundedDown;
  return {
    kind: "vector",
    write(record, out) {
      if (isHeldOut(record)) return -1;
      writer.write(record, x);
      terms.read(record, told === null ? 0 : dot(told.coefficients, x) / one);
      const { residual, weight, isBounded } = terms;
      for (let j = 0; j < columns; j++) out[j] = Math.trunc(x[j]! * residual);
      let at = columns;
      for (let k = 0; k < intervals; k++) out[at++] = Math.trunc(residualIn(terms, k) * one);
      at = writeProducts(x, weight * factor, out, at);
      if (intervals > 0) at = writeHazards(x, terms.hazards, { factor, one }, out, at);
      // Without privacy to the nearest: a square is small beside the largest one.
      if (count !== null) out[at++] = cut((residual ** 2 / 2) * one);
      if (isBounded) out[at] = one / 2;
      return 0;
    },
  };
}

const residualIn = ({ hazards, eventIn }: RecordTerms, k: number) => (k === eventIn ? 1 : 0) - hazards[k]!;

/** @returns where the next entry is */
function writeProducts(x: Int32Array, factor: number, out: Int32Array, from: number): number {
  const d = x.length;
  let at = from;
  for (let i = 0; i < d; i++) {
    const own = x[i]! * factor;
    out[at++] = Math.trunc(own * x[i]!);
    const twice = own * Math.SQRT2;
    for (let j = i + 1; j < d; j++) out[at++] = Math.trunc(twice * x[j]!);
  }
  return at;
}

/** √2·x_i·u_k, then u_k: what Σ u_k z_k z_k' has beside M·xx'. @returns where the next entry is */
function writeHazards(
  x: Int32Array,
  hazards: Float64Array,
  { factor, one }: { readonly factor: number; readonly one: number },
  out: Int32Array,
  from: number,
): number {
  let at = from;
  for (let i = 0; i < x.length; i++) {
    const twice = x[i]! * factor * one * Math.SQRT2;
    for (let k = 0; k < hazards.length; k++) out[at++] = Math.trunc(twice * hazards[k]!);
  }
  for (let k = 0; k < hazards.length; k++) out[at++] = Math.trunc(factor * one * one * hazards[k]!);
  return at;
}

/** A row's log-odds. */
function marginOf(
  study: RegressionStudy,
  { design, columns }: RegressionLayout,
  { coefficients }: ModelTold,
): (record: OneRecord) => number {
  const writer = new ColumnWriter(study.features, design);
  const row = new Int32Array(columns);
  const unit = 2 ** -design.gridExponent;
  return (record) => {
    writer.write(record, row);
    return dot(coefficients, row) * unit;
  };
}

function dot(coefficients: Float64Array, row: Int32Array): number {
  let sum = 0;
  for (let j = 0; j < coefficients.length; j++) sum += coefficients[j]! * row[j]!;
  return sum;
}
