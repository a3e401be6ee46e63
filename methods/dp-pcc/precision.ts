import type { Forecast, ForecastInput } from "@consilium/core/study/expectedPrecision";
import { asExpected, noiseStdDev, rowsExpected, sitesAtLeast } from "@consilium/core/study/soundSums";
import type { Study } from "@consilium/core/study/study";
import { importanceOf } from "../shared/correlation-tree/importance.js";
import { associationLine } from "../shared/forecast/associationLine.js";
import { situations, statedPart } from "../shared/forecast/expectedRows.js";
import { asDpPcc, dpPccLayout } from "./study.js";

/** |φ| of a cut that tells little, which is what most attributes' best cuts do. */
const usual = 0.3;
/** Part of the rows on one side of a cut, as is likely. */
const unevenCut = 1 / 4;

/** Of an attribute's best cut of all rows: noise alone, as in a release's intervals, for a cut in the middle at best. */
export async function precision(given: Study, { rows }: ForecastInput): Promise<Forecast> {
  const study = asDpPcc(given);
  const { features, levels } = dpPccLayout(study);
  const stdDev = noiseStdDev(asExpected(study), levels[0]!.stage, sitesAtLeast(study));
  const stated = statedPart({ participation: study.participation, rows: rowsExpected(study) });
  const lines = features.map((feature) => {
    const half = (part: number, left: number) => {
      const other = usual * Math.sqrt((part * (1 - part)) / (left * (1 - left)));
      const side = (share: number, shift: number) => {
        const own = Math.min(0.99, Math.max(0.01, part + shift));
        return Float64Array.of(rows * share * (1 - own), rows * share * own);
      };
      const cut = {
        cut: Math.max(0, Math.floor(feature.bins / 2) - 1),
        correlation: usual,
        left: side(left, -other * (1 - left)),
        right: side(1 - left, other * left),
      };
      const { low, high } = importanceOf(feature, cut, stdDev);
      return low === null || high === null ? 1 : (high - low) / 2;
    };
    const isOrdered = feature.kind === "ordered";
    const likely = half(stated ?? situations.likely.part, isOrdered ? unevenCut : 1 / (2 * feature.bins));
    const best = half(stated ?? situations.best.part, isOrdered ? 1 / 2 : 1 / feature.bins);
    return associationLine({ of: feature.name, best: Math.min(best, likely), likely, rows });
  });
  return { lines, remarks: [] };
}
