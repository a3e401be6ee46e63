import type { StageId } from "../../ids.js";
import { asCorrelationTree } from "../../study/correlationTree.js";
import type { Study } from "../../study/study.js";
import type { SiteInput } from "../sums.js";
import { dpPccVector } from "./dpPccVector.js";

/**
 * A site's vector of a stage of a correlation tree, whatever its method.
 * @throws ConsiliumError as the method's own
 */
export async function correlationTreeVector(
  study: Study,
  id: StageId,
  input: SiteInput,
): Promise<BigUint64Array> {
  return dpPccVector(asCorrelationTree(study), id, input);
}
