import { unscaledSum } from "@consilium/core/learning/sums";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import type { Broadcast } from "@consilium/core/study/broadcast";
import { seededNormals } from "../shared/draws/seededNormals.js";
import { ballNames, type DpPcaBall } from "./ball.js";
import { chosenBall, chosenCentre, chosenRadiusStep } from "./chosenBall.js";
import {
  alignedToVariance,
  blockMatrices,
  leadingSubspace,
  momentsOf,
  type NoisyMoments,
  type NoisySubspace,
  nextDirections,
  orthonormalRows,
  plausibleSum,
  type ReducedClass,
  reducedMoments,
  releasedClass,
  summed,
} from "./moments.js";
import { roundedDirections } from "./records.js";
import { withoutSelectionBias } from "./selectionBias.js";
import {
  type DpPcaLayout,
  type DpPcaStage,
  type DpPcaStudy,
  directionsName,
  dpPcaLayout,
  dpPcaMomentStages,
  dpPcaStages,
  dpPcaStdDev,
} from "./study.js";

/** What dp-pca comes to: all of it computed from noisy sums. */
export interface DpPcaResult {
  /** What rows were clipped by: as declared, or as chosen. */
  readonly ball: DpPcaBall;
  readonly subspace: NoisySubspace;
  /** Of all rows, in reduced coordinates. */
  readonly pooled: NoisyMoments;
  readonly classes: readonly ReducedClass[];
}

/**
 * dp-pca, aggregator side, over whatever adds the sites' vectors: the network, or one process.
 * @param sum - broadcasts, and returns the sum of all sites' vectors of the stage with its noise, modulo 2^64
 * @param seed - public text, from which power iteration draws its first directions
 * @throws RangeError when a sum is none that honest sites can send
 */
export async function dpPcaConversation(options: {
  readonly study: DpPcaStudy;
  readonly kernels: NumericKernels;
  readonly sum: (stage: DpPcaStage, broadcast: Broadcast) => Promise<BigUint64Array>;
  readonly seed: string;
  /** Runs what judges a sum, and may turn its RangeError into an error of its own. */
  readonly check?: (judge: () => Float64Array) => Float64Array;
}): Promise<DpPcaResult> {
  const { study, kernels, sum } = options;
  const check = options.check ?? ((judge) => judge());
  const layout = dpPcaLayout(study);
  const { ball, step } = await ballOf({ ...options, check, layout });
  const stages = dpPcaMomentStages(layout);
  const ask = async (stage: DpPcaStage, directions: Float64Array | null) => {
    const broadcast: Broadcast = {
      ...(step !== null && stage === stages[0] && { [ballNames.radiusStep]: Float64Array.of(step) }),
      ...(directions !== null && { [directionsName]: directions }),
    };
    const total = await sum(stage, broadcast);
    return check(() => plausibleSum(total, layout, stage));
  };
  const classStage = stages.find((stage) => stage.id === dpPcaStages.classes)!;
  const reducedClasses = async (directions: Float64Array) =>
    blockMatrices(await ask(classStage, directions), classStage);
  switch (layout.form) {
    case "one-round": {
      const matrices = blockMatrices(await ask(classStage, null), classStage);
      const pooled = momentsOf(summed(matrices), layout);
      const subspace = await leadingSubspace(pooled.covariance, layout.columns, layout.components, kernels);
      const reduced = (moments: NoisyMoments) => reducedMoments(moments, subspace.loadings);
      const classes = withoutSelectionBias({
        pooled,
        classes: matrices.map((matrix) => reduced(momentsOf(matrix, layout))),
        eigenvalues: subspace.eigenvalues,
        stdDev: dpPcaStdDev(study),
      });
      return { ball, subspace, pooled: reduced(pooled), classes: await released(classes, kernels) };
    }
    case "two-round": {
      const first = stages[0]!;
      const [matrix] = blockMatrices(await ask(first, null), first);
      const pooled = momentsOf(matrix!, layout);
      const { columns, components } = layout;
      const found = await leadingSubspace(pooled.covariance, columns, components, kernels);
      const subspace = { ...found, loadings: roundedDirections(found.loadings) };
      const matrices = await reducedClasses(subspace.loadings);
      const moments = matrices.map((one) => momentsOf(one, layout));
      return {
        ball,
        subspace,
        pooled: reducedMoments(pooled, subspace.loadings),
        classes: await released(moments, kernels),
      };
    }
    case "iteration": {
      let directions = firstDirections(layout, seededNormals(`${options.seed} directions`));
      for (const stage of stages) {
        if (stage.shape === "rectangle") directions = nextDirections(await ask(stage, directions), layout);
      }
      const matrices = await reducedClasses(directions);
      const pooled = momentsOf(summed(matrices), layout);
      const classes = matrices.map((one) => momentsOf(one, layout));
      const turned = await alignedToVariance({ pooled, classes: [pooled, ...classes], directions, kernels });
      const [whole, ...own] = turned.classes;
      return { ball, subspace: turned.subspace, pooled: whole!, classes: await released(own, kernels) };
    }
  }
}

/** The declared ball, or one that two sums choose; and the step of its radius, where sites must be told. */
async function ballOf(options: {
  readonly study: DpPcaStudy;
  readonly layout: DpPcaLayout;
  readonly sum: (stage: DpPcaStage, broadcast: Broadcast) => Promise<BigUint64Array>;
  readonly check: (judge: () => Float64Array) => Float64Array;
}): Promise<{ readonly ball: DpPcaBall; readonly step: number | null }> {
  const { study, layout, sum, check } = options;
  const { choice, declared } = layout;
  if (choice === null) return { ball: declared, step: null };
  const [centreStage, radiusStage] = layout.stages;
  const sums = await sum(centreStage!, {});
  const { centre, rows } = chosenCentre(
    study,
    layout,
    choice,
    check(() => unscaledSum(study, choice.centre, sums)),
  );
  const counts = await sum(radiusStage!, { [ballNames.centre]: centre });
  const step = chosenRadiusStep(
    study,
    layout,
    check(() => unscaledSum(study, choice.radius, counts)),
    rows,
  );
  return { ball: chosenBall(layout, centre, step), step };
}

/** Random orthonormal directions to begin power iteration with. */
function firstDirections(layout: DpPcaLayout, normal: () => number): Float64Array {
  const { columns: d, components: k } = layout;
  const start = Float64Array.from({ length: k * d }, () => normal());
  return roundedDirections(orthonormalRows(start, d));
}

async function released(moments: readonly NoisyMoments[], kernels: NumericKernels): Promise<ReducedClass[]> {
  const classes: ReducedClass[] = [];
  for (const one of moments) classes.push(await releasedClass(one, kernels));
  return classes;
}
