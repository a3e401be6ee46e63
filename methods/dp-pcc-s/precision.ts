import { z95 } from "@consilium/core/linalg/z95";
import type { Forecast, ForecastInput } from "@consilium/core/study/expectedPrecision";
import { asExpected, noiseStdDev, sitesAtLeast } from "@consilium/core/study/soundSums";
import type { Study } from "@consilium/core/study/study";
import { associationLine } from "../shared/forecast/associationLine.js";
import { answerUnit, asDpPccS, dpPccSLayout } from "./study.js";

/** Of the mean of the blocks' answers about an attribute: noise alone, as in a release's intervals. */
export async function precision(given: Study, { rows }: ForecastInput): Promise<Forecast> {
  const study = asDpPccS(given);
  const { features, levels } = dpPccSLayout(study);
  const sites = sitesAtLeast(study);
  const stdDev = noiseStdDev(asExpected(study), levels[0]!, sites) / answerUnit;
  const half = (z95 * stdDev) / (sites * study.parameters.blocks);
  return {
    lines: features.map(({ name }) => associationLine({ of: name, best: half, likely: half, rows })),
    remarks: [],
  };
}
