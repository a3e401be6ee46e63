import type { StageId } from "../../ids.js";
import { asCorrelationTree } from "../../study/correlationTree.js";
import type { Study } from "../../study/study.js";
import type { SiteInput } from "../sums.js";
import { dpPccVector } from "./dpPccVector.js";
import { pearsonVector } from "./pearsonVector.js";

/**
 * A site's vector of a stage of a correlation tree, whatever its method.
 * @throws ConsiliumError as the method's own
 */
export async function correlationTreeVector(
  study: Study,
  id: StageId,
  input: SiteInput,
): Promise<BigUint64Array> {
  const own = asCorrelationTree(study);
  return own.method === "pearson-tree" ? pearsonVector(own, id, input) : dpPccVector(own, id, input);
}
