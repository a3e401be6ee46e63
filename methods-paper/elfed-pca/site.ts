import { faults } from "@consilium/core/fault";
import type { StageId } from "@consilium/core/ids";
import type { SiteSide, StageInput } from "@consilium/core/method/siteSide";
import { noStage, notSent } from "@consilium/methods/shared/plans/broadcastFaults";
import { covarianceVector } from "./covariance.js";
import { subspaceVector } from "./dpdis.js";
import { momentsVector } from "./moments.js";
import type { PcaMoments } from "./normalise.js";
import { projectRows } from "./projection.js";
import type { ElfedPcaSays } from "./says.js";
import { asPaperPca, pcaStages } from "./study.js";

/** ELFedPCA [ZY22] and its baseline DPdisPCA [IS18] (site side). */
export const site: SiteSide = {
  // With one row, or a column of one value, the exact sums of the paper variant would say what that value is.
  demands: () => ({ minimumRows: 2, refuseConstant: true }),

  async vector(stage: StageId, input: StageInput): Promise<BigUint64Array> {
    const { blocks, sites, sharedSeed, kernels, random } = input;
    const study = asPaperPca(input.study);
    switch (stage) {
      case pcaStages.moments:
        return momentsVector(study, blocks, sites);
      case pcaStages.covariance:
        return covarianceVector({
          study,
          blocks,
          moments: momentsOf(input, stage),
          sites,
          sharedSeed,
          kernels,
        });
      case pcaStages.subspace:
        return subspaceVector({ study, blocks, moments: momentsOf(input, stage), sites, random, kernels });
      default:
        throw noStage("pca", stage);
    }
  },

  rows(stage: StageId, input: StageInput) {
    if (stage !== pcaStages.projection) throw noStage("pca", stage, "rows");
    const { blocks, sites } = input;
    const study = asPaperPca(input.study);
    const momentsStage = study.method === "elfed-pca" ? pcaStages.covariance : pcaStages.subspace;
    return projectRows({
      study,
      blocks,
      sites,
      moments: momentsOf(input, momentsStage),
      loadings: broadcastOf(input, stage, "loadings"),
    });
  },
};

function momentsOf(input: StageInput, stage: StageId): PcaMoments {
  const rows = broadcastOf(input, stage, "rows");
  if (rows.length !== 1) throw faults<ElfedPcaSays>()("FIELD_INVALID", "elfed-pca.rows-number", {});
  return { mean: broadcastOf(input, stage, "mean"), n: rows[0]! };
}

function broadcastOf(input: StageInput, stage: StageId, name: string): Float64Array {
  const values = input.broadcasts.get(stage)?.[name];
  if (values === undefined) throw notSent(stage, name);
  return values;
}
