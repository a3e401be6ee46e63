import { ConsiliumError } from "@consilium/core/errors";
import type { StageId } from "@consilium/core/ids";
import { evaluationForm } from "@consilium/core/study/evaluation";
import type { Contributor } from "@consilium/gate/contributions";
import type { Proposal } from "@consilium/gate/fold";
import type { OneRecord } from "@consilium/gate/record";
import { cutsTold } from "../shared/evaluation/scoreScale.js";
import { evaluationContributor } from "../shared/records/evaluationRecords.js";
import { heldOutRecord } from "../shared/records/heldOutRecord.js";
import { proposed, type ToldInput } from "../shared/records/proposal.js";
import { type ModelTold, modelTold } from "./coefficients.js";
import { ColumnWriter } from "./columns.js";
import { type RegressionLayout, type RegressionStudy, regressionLayout } from "./study.js";
import { type RecordTerms, recordTerms } from "./terms.js";

/**
 * What a record adds to a stage of a regression, with x its columns as integers, |x|² ≤ A, r its residual, |r| ≤ 1, and w its weight,
 * 0 ≤ w ≤ 1 and ¼ of a logistic regression (`terms.ts`). They depend on the record and on what was broadcast alone:
 *
 * - Gram matrix of a linear regression: (x, y)(x, y)'.
 * - Gram matrix and information of others: aa' with a = trunc(√w·x).
 * - gradient: trunc(r·x); beside it of a Poisson regression trunc(½r²·2^h), of a Cox regression trunc(r_k·2^h), the residual's parts by interval.
 *
 * Cutting towards zero lengthens no entry. What the squared lengths are at most is proven in docs/METHODS.md#regression-proof.
 * @throws ConsiliumError MESSAGE_UNEXPECTED for a stage of another method; as `modelTold`, before a record is read
 */
export function regressionProposal(study: RegressionStudy, id: StageId, input: ToldInput): Proposal {
  const layout = regressionLayout(study);
  const { gram, gradients, information, evaluation } = layout;
  if (id === evaluation?.id) {
    const form = evaluationForm(2);
    const margin = marginOf(study, layout, modelTold(layout, evaluation, input.broadcasts)!);
    const cuts = cutsTold(form, input.broadcasts);
    const contributor = () => evaluationContributor(study.parameters, { form, cuts, predict: margin });
    return proposed(study, evaluation, contributor);
  }
  if (id === gram.id && study.parameters.family === "linear")
    return proposed(study, gram, () => outcomeProducts(study, layout));
  const matrix = [gram, information].find((stage) => stage?.id === id);
  if (matrix) {
    const told = modelTold(layout, matrix, input.broadcasts);
    return proposed(study, matrix, () => weightedProducts(study, layout, told));
  }
  const gradient = gradients.find((stage) => stage.id === id);
  if (gradient === undefined)
    throw new ConsiliumError("MESSAGE_UNEXPECTED", `regression has no sum stage ${id}`);
  const told = modelTold(layout, gradient, input.broadcasts);
  return proposed(study, gradient, () => derivatives(study, layout, told));
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

function weightedProducts(
  study: RegressionStudy,
  layout: RegressionLayout,
  told: ModelTold | null,
): Contributor {
  const { columns } = layout;
  return trainedRecords("gram", study, layout, told, ({ weight }, out) => {
    const by = Math.sqrt(weight);
    for (let j = 0; j < columns; j++) out[j] = Math.trunc(out[j]! * by);
  });
}

function derivatives(study: RegressionStudy, layout: RegressionLayout, told: ModelTold | null): Contributor {
  const { columns, intervals, design, count } = layout;
  const one = 2 ** design.gridExponent;
  return trainedRecords("vector", study, layout, told, ({ residual, byInterval }, out) => {
    for (let j = 0; j < columns; j++) out[j] = Math.trunc(out[j]! * residual);
    for (let k = 0; k < intervals; k++) out[columns + k] = Math.trunc(byInterval[k]! * one);
    if (count !== null) out[columns] = Math.trunc((residual ** 2 / 2) * one);
  });
}

/** What training rows add. @param scale - makes of a row's columns what is added */
function trainedRecords(
  kind: "gram" | "vector",
  study: RegressionStudy,
  layout: RegressionLayout,
  told: ModelTold | null,
  scale: (terms: RecordTerms, out: Int32Array) => void,
): Contributor {
  const { design, intervals } = layout;
  const writer = new ColumnWriter(study.features, design);
  const isHeldOut = heldOutRecord(study.parameters.evaluation, study.parameters.seed);
  const terms = recordTerms(study, layout, told?.baseline ?? new Float64Array(intervals));
  const unit = 2 ** -design.gridExponent;
  return {
    kind,
    write(record, out) {
      if (isHeldOut(record)) return -1;
      writer.write(record, out);
      terms.read(record, told === null ? null : dot(told.coefficients, out) * unit);
      scale(terms, out);
      return 0;
    },
  };
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
