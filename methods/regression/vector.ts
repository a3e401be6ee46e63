import { ConsiliumError } from "@consilium/core/errors";
import type { StageId } from "@consilium/core/ids";
import { evaluationForm } from "@consilium/core/study/evaluation";
import type { Contributor } from "@consilium/gate/contributions";
import type { OneRecord } from "@consilium/gate/record";
import type { Proposal } from "@consilium/gate/release";
import { cutsTold } from "../shared/evaluation/scoreScale.js";
import { evaluationContributor } from "../shared/records/evaluationRecords.js";
import { heldOutRecord } from "../shared/records/heldOutRecord.js";
import { proposed, type ToldInput } from "../shared/records/proposal.js";
import { coefficientsTold } from "./coefficients.js";
import { ColumnWriter } from "./columns.js";
import { type RegressionLayout, type RegressionStudy, regressionLayout } from "./study.js";

/**
 * What a record adds to a stage of a regression, with x its columns as integers, |x|² ≤ A, which depend on the record and on what
 * was broadcast alone:
 *
 * - Gram matrix: (x, y)(x, y)' of a linear regression; of a logistic one aa' with a = trunc(½x), which is √w·x at coefficients 0.
 * - gradient: trunc((y - p)·x), |y - p| ≤ 1.
 * - information: aa' with a = trunc(√w·x), w = p(1-p) ≤ ¼.
 *
 * Cutting towards zero lengthens no entry, so L2 sensitivities under add-remove are A + 4^(h-1), A/4, √A and A/4
 * (docs/METHODS.md#regression-proof).
 * @throws ConsiliumError MESSAGE_UNEXPECTED for a stage of another method; as `coefficientsTold`, before a record is read
 */
export function regressionProposal(study: RegressionStudy, id: StageId, input: ToldInput): Proposal {
  const layout = regressionLayout(study);
  const { gram, gradients, information, evaluation } = layout;
  if (id === evaluation?.id) {
    const form = evaluationForm(2);
    const margin = marginOf(study, layout, coefficientsTold(layout, evaluation, input.broadcasts));
    const cuts = cutsTold(form, input.broadcasts);
    const contributor = () => evaluationContributor(study.parameters, { form, cuts, predict: margin });
    return proposed(study, evaluation, contributor);
  }
  if (id === gram.id && study.parameters.family === "linear")
    return proposed(study, gram, () => outcomeProducts(study, layout));
  const matrix = [gram, information].find((stage) => stage?.id === id);
  if (matrix) {
    const coefficients = coefficientsTold(layout, matrix, input.broadcasts);
    return proposed(study, matrix, () => weightedProducts(study, layout, coefficients));
  }
  const gradient = gradients.find((stage) => stage.id === id);
  if (gradient === undefined)
    throw new ConsiliumError("MESSAGE_UNEXPECTED", `regression has no sum stage ${id}`);
  const coefficients = coefficientsTold(layout, gradient, input.broadcasts);
  return proposed(study, gradient, () => derivatives(study, layout, coefficients));
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
  coefficients: Float64Array,
): Contributor {
  return scaledColumns("gram", study, layout, coefficients, (p) => Math.sqrt(p * (1 - p)));
}

function derivatives(
  study: RegressionStudy,
  layout: RegressionLayout,
  coefficients: Float64Array,
): Contributor {
  return scaledColumns("vector", study, layout, coefficients, (p, label) => label - p);
}

/** A training row's columns times a number from -1 to 1, cut towards zero. @param factor - of p and the label */
function scaledColumns(
  kind: "gram" | "vector",
  study: RegressionStudy,
  { design }: RegressionLayout,
  coefficients: Float64Array,
  factor: (p: number, label: number) => number,
): Contributor {
  const writer = new ColumnWriter(study.features, design);
  const isHeldOut = heldOutRecord(study.parameters.evaluation, study.parameters.seed);
  const unit = 2 ** -design.gridExponent;
  return {
    kind,
    write(record, out) {
      if (isHeldOut(record)) return -1;
      writer.write(record, out);
      const by = factor(sigmoid(dot(coefficients, out) * unit), record.label);
      for (let j = 0; j < coefficients.length; j++) out[j] = Math.trunc(out[j]! * by);
      return 0;
    },
  };
}

/** A row's log-odds. */
function marginOf(
  study: RegressionStudy,
  { design, columns }: RegressionLayout,
  coefficients: Float64Array,
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

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
