import type { Forecast, ForecastInput } from "@consilium/core/study/expectedPrecision";
import type { Study } from "@consilium/core/study/study";
import { expectedPrecision } from "../shared/counts/precision.js";
import { countLine } from "../shared/forecast/countLine.js";
import { asCounts, countsLayout } from "./study.js";

/** Every condition is counted with the same noise, whatever the rows are. */
export async function precision(given: Study, { rows }: ForecastInput): Promise<Forecast> {
  const study = asCounts(given);
  const { groups, stage } = countsLayout(study);
  const within = expectedPrecision(study, stage, 1);
  const own = { rows: Math.floor(rows / groups), isOfGroup: groups > 1 };
  return { lines: [countLine({ of: null, within, ...own })], remarks: [] };
}
