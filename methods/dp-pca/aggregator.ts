import { hexOf } from "@consilium/core/bytes";
import type {
  AggregatorSide,
  Conversation,
  MethodResult,
  RowsPart,
} from "@consilium/core/method/aggregatorSide";
import { exceeds, type Finding, finding } from "@consilium/core/release/finding";
import { componentColumns } from "../shared/pca/componentColumns.js";
import { pcaFigures } from "../shared/pca/pcaExports.js";
import { plausible } from "../shared/plausible.js";
import { syntheticRowsMost } from "../shared/release/syntheticRowsMost.js";
import { ballShare } from "./ball.js";
import { type DpPcaResult, dpPcaConversation } from "./conversation.js";
import { dpPcaModel } from "./model.js";
import { dpPcaPredictor } from "./predictor.js";
import { asDpPca, type DpPcaStudy, dpPcaLayout, dpPcaStdDev, leastRowsToStandOut } from "./study.js";
import { type SyntheticRows, syntheticRows } from "./syntheticRows.js";

/** dp-pca (aggregator side): noisy sums, what follows from them, and synthetic rows in place of records. */
export const aggregator: AggregatorSide = async (conversation): Promise<MethodResult> => {
  const { kernels } = conversation;
  const study = asDpPca(conversation.study);
  // Public, and drawn once: a replay comes to the same directions and rows.
  const seed = conversation.draw("public-seed", () => hexOf(conversation.random.bytes(16)));
  const result = await dpPcaConversation({
    study,
    kernels,
    check: plausible,
    sum: (stage, broadcast) => conversation.sum(stage.id, broadcast),
    seed,
  });
  const rowsMost = conversation.sites * study.participation.maxRowsPerSite;
  const synthetic = syntheticRows({ classes: result.classes, rowsMost, seed });
  const rows = await released(conversation, study, synthetic);
  const model = dpPcaModel({
    study,
    ...result,
    synthetic: { seed, counts: synthetic.counts },
    solver: kernels.name,
  });
  return {
    model,
    table: {
      rows,
      columns: componentColumns(
        study,
        (i) => `A synthetic row's coordinate along component ${i}`,
        "The class that the synthetic row was drawn for",
      ),
    },
    // How many records took part is known with noise only.
    rowsUsed: null,
    facts: factsOf(study, result, synthetic),
    notes: notesOf(study),
    finding: findingOf(study, result),
    predictor: conversation.part("predictor", () =>
      dpPcaPredictor(study, result.ball, result.subspace.loadings),
    ),
    figures: conversation.part("figures", () =>
      pcaFigures({
        features: study.features,
        eigenvalues: result.subspace.eigenvalues,
        loadings: result.subspace.loadings,
        hasNoise: study.privacy !== "none",
      }),
    ),
  };
};

function released(conversation: Conversation, study: DpPcaStudy, synthetic: SyntheticRows) {
  const hasLabel = study.label !== undefined;
  const shape = { columns: study.parameters.components, levels: hasLabel ? 1 : 0 };
  return conversation.writeRows("synthetic", shape, parts(synthetic, hasLabel));
}

function* parts(synthetic: SyntheticRows, hasLabel: boolean): Generator<RowsPart> {
  for (const part of synthetic.chunks()) yield hasLabel ? part : { ...part, labels: null };
}

/** The share of variance that the components explain: clear where enough rows took part for it to exceed that of the noise. */
function findingOf(study: DpPcaStudy, { pooled, subspace }: DpPcaResult): Finding {
  const least = leastRowsToStandOut(study);
  const ratio = Array.from(subspace.ratio ?? []);
  const share = Math.min(
    1,
    ratio.reduce((sum, one) => sum + one, 0),
  );
  return exceeds(pooled.rows, least) && share > 0
    ? finding("share", true, "finding.components", { count: ratio.length, share })
    : finding("share", false, "finding.no-components", {
        rows: Math.max(0, Math.round(pooled.rows)),
        needed: Math.ceil(least),
      });
}

function factsOf(study: DpPcaStudy, result: DpPcaResult, synthetic: SyntheticRows): MethodResult["facts"] {
  const layout = dpPcaLayout(study);
  return {
    masking: `pairwise, in the ring of integers modulo 2^${layout.ringBits}`,
    form: layout.form,
    components: layout.components,
    ball: layout.choice === null ? "declared" : "private",
    radius: result.ball.radius,
    kappa: study.parameters.kappa,
    gridExponent: layout.gridExponent,
    noise: study.privacy === "none" ? "none" : "discrete Gaussian, a share from every site",
    noiseStdDev: dpPcaStdDev(study),
    noisyRows: result.pooled.rows,
    syntheticRows: synthetic.counts.reduce((sum, count) => sum + count, 0),
  };
}

function notesOf(study: DpPcaStudy): string[] {
  const each = study.label === undefined ? "the rows" : `each level of ${study.label.name}`;
  const proved = study.privacy !== "none";
  return [
    `The rows are synthetic: none is a record. They were drawn from a normal distribution for ${each}, whose mean, covariance and number of rows are in model.json${proved ? " and carry the noise" : ""}. With the seed in model.json anyone can draw them again.`,
    dpPcaLayout(study).choice === null
      ? "The centre and the radius that rows were clipped by are those of the study, and public: in model.json as centre and radius."
      : `The centre and the radius that rows were clipped by were chosen by two noisy sums, which cost ${Number((100 * ballShare(study)).toPrecision(3))} % of the privacy budget: in model.json as centre and radius, in units of the declared ranges. The centre is near the rows' mean, and carries noise.`,
    "To reduce a row of your own: map each column to 0 to 1 by its declared bounds, a level to 0 or 1; subtract centre, divide by radius; if the result is longer than 1, divide it by its length; multiply by loadings. That gives coordinates in which the synthetic rows lie. model.onnx, where the release has one, does all of it.",
    proved
      ? "Eigenvalues, explained variance and the numbers of rows are those of the noisy sums. How much of the records' variance the components capture is not published: it would be another look at the records."
      : "No noise was added anywhere.",
    `A release has at most ${syntheticRowsMost} synthetic rows, and at most as many as the sites may have records.`,
  ];
}
