import type { StageId } from "../../ids.js";
import { assertNever } from "../../result.js";
import { asCorrelationTree } from "../../study/correlationTree.js";
import type { Study } from "../../study/study.js";
import type { SiteInput } from "../sums.js";
import { dpPccSVector } from "./dpPccSVector.js";
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
  switch (own.method) {
    case "dp-pcc":
      return dpPccVector(own, id, input);
    case "dp-pcc-s":
      return dpPccSVector(own, id, input);
    case "pearson-tree":
      return pearsonVector(own, id, input);
    default:
      return assertNever(own);
  }
}
