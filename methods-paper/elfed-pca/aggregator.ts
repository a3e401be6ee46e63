import type {
  AggregatorSide,
  Conversation,
  MethodResult,
  RowsPart,
} from "@consilium/core/method/aggregatorSide";
import type { ReleaseColumn } from "@consilium/core/release/content";
import { designWidth } from "@consilium/core/study/design";
import { componentColumns } from "@consilium/methods/shared/pca/componentColumns";
import { pcaFigures } from "@consilium/methods/shared/pca/pcaExports";
import { principalSubspace } from "@consilium/methods/shared/pca/subspace";
import { plausible } from "@consilium/methods/shared/plausible";
import { covarianceFrom, sharedStdDev } from "./covariance.js";
import { partialRank, subspaceFrom } from "./dpdis.js";
import { pcaModel } from "./model.js";
import { meanFrom } from "./moments.js";
import { paperPcaPredictor } from "./predictor.js";
import { energyOfRows } from "./projection.js";
import { asPaperPca, type PaperPcaStudy, pcaStages } from "./study.js";

/** ELFedPCA [ZY22] and its baseline DPdisPCA [IS18] (aggregator side). */
export const aggregator: AggregatorSide = async (conversation): Promise<MethodResult> => {
  const { sites, kernels } = conversation;
  const study = asPaperPca(conversation.study);
  const d = designWidth(study.features);
  const k = study.parameters.components;

  const sum = await conversation.sum(pcaStages.moments, {});
  const moments = plausible(() => meanFrom(sum, study, sites));
  const broadcastMoments = { mean: moments.mean, rows: Float64Array.of(moments.n) };
  const matrix = await secondMoment(conversation, broadcastMoments, moments.n);
  const subspace = await principalSubspace(matrix, d, k, kernels);
  const rows = await conversation.rows(pcaStages.projection, { loadings: subspace.loadings });

  const energy = energyOfRows(await squares(conversation.readRows(rows)), rows.rows);
  const model = pcaModel({ study, moments, subspace, sites });
  return {
    model: { ...model, capturedEnergy: energy.fraction },
    table: { rows, columns: columnsOf(study) },
    rowsUsed: rows.rows,
    facts: factsOf(study, moments.n, energy.fraction),
    notes: notesOf(study),
    // Its authors state no uncertainty.
    finding: null,
    predictor: conversation.part("predictor", () => paperPcaPredictor(study, moments, subspace.loadings)),
    figures: conversation.part("figures", () =>
      pcaFigures({
        features: study.features,
        eigenvalues: subspace.eigenvalues,
        loadings: subspace.loadings,
        hasNoise: study.privacy !== "none",
      }),
    ),
  };
};

/** The noisy pooled covariance of ELFedPCA, or the mean partial subspace of DPdisPCA: [d × d] row-major. */
async function secondMoment(
  conversation: Conversation,
  moments: Record<string, Float64Array>,
  n: number,
): Promise<Float64Array> {
  const { sites } = conversation;
  const study = asPaperPca(conversation.study);
  if (study.method === "elfed-pca") {
    return covarianceFrom(await conversation.sum(pcaStages.covariance, moments), study, n, sites);
  }
  return subspaceFrom(await conversation.sum(pcaStages.subspace, moments), study, sites);
}

/** Σ‖y‖² over the released rows. */
async function squares(parts: AsyncIterable<RowsPart>): Promise<number> {
  let sum = 0;
  for await (const { values } of parts) {
    for (const value of values) sum += value ** 2;
  }
  return sum;
}

function columnsOf(study: PaperPcaStudy): ReleaseColumn[] {
  const describe = (i: number) => `The row's coordinate along principal component ${i}, from -1 to 1`;
  return componentColumns(study, describe, "The label of the row");
}

function factsOf(study: PaperPcaStudy, n: number, capturedEnergy: number): MethodResult["facts"] {
  const shared = study.method === "elfed-pca";
  return {
    masking: `dealt by one site, in the ring of integers modulo 2^64`,
    scaling: shared ? study.parameters.scaling : "site rows",
    scale: study.parameters.scale,
    rows: n,
    components: study.parameters.components,
    capturedEnergy,
    noise:
      study.privacy === "none"
        ? "none"
        : shared
          ? "one Gaussian matrix from a seed shared by all sites"
          : "each site's own Gaussian matrix",
    noiseStdDev: study.privacy === "none" ? 0 : shared ? sharedStdDev(study, n) : null,
    partialRank: shared ? null : partialRank(study),
  };
}

function notesOf(study: PaperPcaStudy): string[] {
  const notes = [
    "Each row was centred by the mean over all sites, scaled to length 1, and projected on the components in model.json.",
    "The order of the rows is random: nothing says which site a row came from.",
    "capturedEnergy in model.json is the part of the rows' total variance that the components hold.",
  ];
  if (study.parameters.scale === "declared") {
    notes.push("Every column was first mapped to 0 to 1 by its declared bounds; model.json holds them.");
  }
  return notes;
}
