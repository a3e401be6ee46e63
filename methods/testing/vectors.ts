import { ConsiliumError } from "@consilium/core/errors";
import type { StageId } from "@consilium/core/ids";
import { stageTable } from "@consilium/core/learning/stageTable";
import type { SiteInput } from "@consilium/core/learning/sums";
import type { Study } from "@consilium/core/study/study";
import { answerOf, MethodFault } from "@consilium/gate/answer";
import type { Proposal } from "@consilium/gate/fold";
import { additiveProposal } from "../dp-additive/vector.js";
import { histBoostProposal } from "../dp-histboost/vector.js";
import { dpKaProposal } from "../dp-ka/vector.js";
import { dpPcaProposal } from "../dp-pca/vector.js";
import { dpPccProposal } from "../dp-pcc/vector.js";
import { dpPccSProposal } from "../dp-pcc-s/vector.js";
import { felpAProposal } from "../felp-a/anchors.js";
import { felpSProposal } from "../felp-s/blocks.js";
import { regressionProposal } from "../regression/vector.js";
import { noisySecondOrderProposal } from "../shared/trees/secondOrderContributor.js";

/** A site's vectors before noise and mask, as the gate makes them of what methods propose: for tests, audits and benches. */

/** What the gate needs of a table. */
export type TableInput = Pick<SiteInput, "blocks" | "kernels" | "random" | "checks">;

/** @throws ConsiliumError METHOD_REFUSED before a record is read; ROWS_TOO_MANY */
export async function vectorOf(
  study: Study,
  id: StageId,
  proposal: Proposal,
  input: TableInput,
): Promise<BigUint64Array> {
  try {
    const { exact } = await answerOf(proposal, stageTable(study, input));
    return exact;
  } catch (thrown) {
    if (!(thrown instanceof MethodFault)) throw thrown;
    throw new ConsiliumError("METHOD_REFUSED", `stage ${id} of ${study.method}: ${thrown.message}`);
  }
}

type ToldTable = TableInput & Pick<SiteInput, "broadcasts"> & Partial<Pick<SiteInput, "site" | "sites">>;

const vectorBy =
  <S extends Study>(propose: (study: S, id: StageId, input: ToldTable) => Proposal) =>
  async (study: S, id: StageId, input: ToldTable): Promise<BigUint64Array> =>
    vectorOf(study, id, propose(study, id, input), input);

export const additiveVector = vectorBy(additiveProposal);
export const histBoostVector = vectorBy(histBoostProposal);
export const dpKaVector = vectorBy(dpKaProposal);
export const regressionVector = vectorBy(regressionProposal);
export const dpPccVector = vectorBy(dpPccProposal);
export const dpPccSVector = vectorBy(dpPccSProposal);
export const felpAVector = vectorBy(felpAProposal);

export async function felpSVector(
  study: Parameters<typeof felpSProposal>[0],
  id: StageId,
  input: TableInput,
): Promise<BigUint64Array> {
  return vectorOf(study, id, felpSProposal(study, id), input);
}

export async function dpPcaVector(
  options: TableInput & Parameters<typeof dpPcaProposal>[0],
): Promise<BigUint64Array> {
  return vectorOf(options.study, options.stage.id, dpPcaProposal(options), options);
}

export async function noisySecondOrderVector(
  options: Parameters<typeof noisySecondOrderProposal>[0] & { readonly input: TableInput },
): Promise<BigUint64Array> {
  return vectorOf(options.study, options.stage.id, noisySecondOrderProposal(options), options.input);
}
