import type { StageId } from "@consilium/core/ids";
import type { MethodIssue } from "@consilium/core/method/method";
import { lines, nameOf, sentences } from "@consilium/core/said";
import { designWidth } from "@consilium/core/study/design";
import type { Disclosure, Plan, StagePlan } from "@consilium/core/study/plan";
import { authorsClaim, unprovedEvent } from "@consilium/core/study/soundSums";
import type { Study, StudyWith } from "@consilium/core/study/study";
import type { DpPcaStudy } from "@consilium/methods/dp-pca/study";
import { setupSteps } from "@consilium/secure-sum/setupSteps";
import type { PlanSays } from "@consilium/words/says/plans";
import type { StageSays } from "@consilium/words/says/stages";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { z } from "zod";
import type { ElfedPcaSays } from "./says.js";

/**
 * Federated PCA. `variant: sound` is dp-pca (`dpPca.ts`). `variant: paper` is ELFedPCA [ZY22] and its baseline
 * DPdisPCA [IS18]. Both: docs/methods/pca.md#pca.
 */

const line = lines<ElfedPcaSays & PlanSays & StudyFaultSays>();

const parameters = z.strictObject({
  components: z.int().min(1).max(10_000).describe("k, the dimension that the data are reduced to."),
  scaling: z
    .enum(["pooled", "site"])
    .default("pooled")
    .describe(
      "`pooled` divides each site's scatter by n-1 of all sites, so that the sum is the pooled covariance; `site` divides by N_i-1, as printed in the article.",
    ),
  scale: z
    .enum(["none", "declared"])
    .default("none")
    .describe(
      "`none`: raw declared units, as in the article. `declared`: every column mapped to [0, 1] by its bounds.",
    ),
});

/** The keys that `analysis: pca` adds to a study with one of the published methods. */
export const paperPcaSection = {
  analysis: z.literal("pca"),
  method: z
    .enum(["elfed-pca", "dpdis-pca"])
    .describe("Principal components of the sites' rows as published."),
  variant: z.literal("paper", {
    error: line("fault.paper", {
      methods: ["elfed-pca", "dpdis-pca"].map(nameOf),
      proven: nameOf("dp-pca"),
    }),
  }),
  parameters,
};

/** A study of one of the published methods. */
export type PaperPcaStudy = StudyWith<typeof paperPcaSection>;
export type PcaStudy = DpPcaStudy | PaperPcaStudy;

/** @throws RangeError when the study is another one: its caller chose the wrong analysis */
export function asPaperPca(study: Study): PaperPcaStudy {
  if (study.method === "elfed-pca" || study.method === "dpdis-pca") return study as PaperPcaStudy;
  throw new RangeError(`${study.analysis}, variant ${study.variant}, is no published method of pca`);
}

/** Faults that only the whole study shows, as [path, message]. */
export function paperPcaIssues(study: PaperPcaStudy): MethodIssue[] {
  const columns = designWidth(study.features);
  const { components } = study.parameters;
  if (components <= columns) return [];
  const fault = sentences<StudyFaultSays>();
  return [[["parameters", "components"], fault("fault.components", { components, columns })]];
}

export const pcaStages = {
  moments: "moments" as StageId,
  covariance: "covariance" as StageId,
  subspace: "subspace" as StageId,
  projection: "projection" as StageId,
};

/** ELFedPCA adds the same noise matrix at every site, from a seed that all of them share. */
export function needsSharedSeed(study: PaperPcaStudy): boolean {
  return study.method === "elfed-pca" && study.privacy !== "none";
}

const reasonsElfed = (
  [
    "elfed-pca.shared-noise",
    "elfed-pca.small-noise",
    "elfed-pca.centred",
    "elfed-pca.exact-mean",
    "elfed-pca.rows-exact",
  ] as const
).map((code) => line(code, {}));

const reasonsDpdis = (
  ["elfed-pca.noise-proof", "elfed-pca.centred", "elfed-pca.exact-mean", "elfed-pca.rows-exact"] as const
).map((code) => line(code, {}));

const ofStages = lines<StageSays>();
const noNoise = ofStages("noise.none", {});

export function planPaperPca(study: PaperPcaStudy): Plan {
  const d = designWidth(study.features);
  const k = study.parameters.components;
  const claim = authorsClaim(study, study.method === "elfed-pca" ? reasonsElfed : reasonsDpdis);
  const cost =
    claim.epsilon === null || claim.delta === null ? null : { epsilon: claim.epsilon, delta: claim.delta };
  const triangle = (d * (d + 1)) / 2;

  const claimed = unprovedEvent(study);

  const moments: Disclosure = {
    what: line("elfed-pca.means", { columns: d }),
    form: "masked sum",
    learns: line("elfed-pca.learns-means", {}),
    mechanism: noNoise,
    normBound: null,
    sensitivity: null,
    cost: null,
    event: claimed,
  };
  const momentsSent = [
    { name: "mean", length: d },
    { name: "rows", length: 1 },
  ];
  const second: StagePlan =
    study.method === "elfed-pca"
      ? {
          kind: "sum",
          id: pcaStages.covariance,
          broadcasts: momentsSent,
          length: triangle,
          ringBits: 64,
          noise: null,
          disclosure: {
            what: line("elfed-pca.covariance", { columns: d }),
            form: "masked sum",
            learns: line("elfed-pca.learns-covariance", { noise: cost === null ? 0 : 1 }),
            mechanism: cost === null ? noNoise : line("elfed-pca.noise-shared", {}),
            normBound: 1,
            sensitivity: cost === null ? null : 1,
            cost,
            event: claimed,
          },
        }
      : {
          kind: "sum",
          id: pcaStages.subspace,
          broadcasts: momentsSent,
          length: triangle,
          ringBits: 64,
          noise: null,
          disclosure: {
            what: line("elfed-pca.subspace", { dimensions: Math.min(2 * k, d) }),
            form: "masked sum",
            learns: line("elfed-pca.learns-subspaces", {}),
            mechanism: cost === null ? noNoise : line("elfed-pca.noise-own", {}),
            normBound: 1,
            sensitivity: cost === null ? null : 1,
            cost,
            event: claimed,
          },
        };
  const projection: Disclosure = {
    what: line("elfed-pca.rows", { numbers: k, label: study.label === undefined ? 0 : 1 }),
    form: "rows in the clear",
    learns: ofStages("learns.shuffled", {}),
    mechanism: line("elfed-pca.noise-rows", {}),
    normBound: 1,
    sensitivity: null,
    cost: null,
    event: claimed,
  };

  const warnings: string[] = [];
  if (study.parameters.scale === "none") {
    const ranges = study.features.map((f) => (f.type === "numeric" ? f.max - f.min : 1));
    const widest = Math.max(...ranges);
    if (widest > 100 * Math.min(...ranges)) {
      const name = study.features[ranges.indexOf(widest)]!.name;
      warnings.push(line("elfed-pca.ranges", { column: nameOf(name) }));
    }
  }
  if (study.privacy !== "none" && study.privacy.epsilon > 1) {
    warnings.push(line("elfed-pca.large-epsilon", {}));
  }
  // Dealt masks are ELFedPCA's own; its baseline is summed as everything else is.
  const dealt = study.method === "elfed-pca";
  if (dealt) {
    warnings.push(line("elfed-pca.dealer", {}), line("elfed-pca.stay", {}));
  } else {
    warnings.push(line("plan.exact-sums", {}));
  }

  return {
    masking: dealt ? "dealer" : "pairwise",
    setup: dealt ? setupSteps({ masks: "dealer", sharedSeed: needsSharedSeed(study) }) : [],
    stages: [
      {
        kind: "sum",
        id: pcaStages.moments,
        broadcasts: [],
        length: d + 1,
        ringBits: 64,
        noise: null,
        disclosure: moments,
      },
      second,
      {
        kind: "rows",
        id: pcaStages.projection,
        broadcasts: [{ name: "loadings", length: k * d }],
        columns: k,
        disclosure: projection,
      },
    ],
    claim,
    warnings,
  };
}
