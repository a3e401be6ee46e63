import { overExpectedRows } from "@consilium/core/learning/expectedSums";
import { lines, nameOf } from "@consilium/core/said";
import type { ExpectedPrecision, Forecast, ForecastInput } from "@consilium/core/study/expectedPrecision";
import { asExpected, rowsExpected } from "@consilium/core/study/soundSums";
import type { Study } from "@consilium/core/study/study";
import type { ForecastSays } from "@consilium/words/says/forecast";
import {
  expectedColumns,
  followedUp,
  middleOf,
  narrower,
  type Situation,
  situations,
  statedPart,
} from "../shared/forecast/expectedRows.js";
import { survivalConversation } from "./result.js";
import { asSurvival, type SurvivalStudy, survivalLayout } from "./study.js";

const line = lines<ForecastSays>();

/** Half of the width of a curve's interval that is of use. */
const useful = 0.1;

/** Of each group's curve a quarter and half of the way to the horizon, beyond which few are followed: by the study's own curves of rows that are nobody's. */
export async function precision(given: Study, input: ForecastInput): Promise<Forecast> {
  const study = asSurvival(given);
  const { groups, groupName, unit, edges } = survivalLayout(study);
  const intervals = edges.length - 1;
  const at = [...new Set([1 / 4, 1 / 2].map((part) => Math.max(1, Math.round(intervals * part))))];
  const best = await widths(study, situations.best, input, at);
  const likely = await widths(study, situations.likely, input, at);
  const told = at.map(
    (edge, i): ExpectedPrecision => ({
      statistic: "survival",
      of: groupName,
      at: edges[edge]!,
      best: narrower(best[i]!, likely[i]!),
      likely: likely[i]!,
      useful,
      unit,
      rows: Math.floor(input.rows / groups.length),
      isOfGroup: groups.length > 1,
    }),
  );
  const half = told.at(-1)!;
  if (groups.length < 2 || half.likely === null || study.privacy === "none")
    return { lines: told, remarks: [] };
  const remark = line("forecast.curves-unseen", {
    epsilon: study.privacy.epsilon,
    points: Number((100 * Math.SQRT2 * half.likely).toPrecision(2)),
    at: half.at!,
    unit: unit === null ? null : nameOf(unit),
  });
  return { lines: told, remarks: [remark] };
}

/** Half of the width of a curve's interval where these intervals end, of the group in the middle; null where it covers all that there is. */
async function widths(
  given: SurvivalStudy,
  situation: Situation,
  { rows, answer, pause }: ForecastInput,
  at: readonly number[],
): Promise<(number | null)[]> {
  const study = asExpected(given);
  const { timeAt, edges, streams } = survivalLayout(study);
  const { participation } = study;
  const { block, uniform } = expectedColumns(study.features, situation, {
    rows,
    maxRowsPerSite: participation.maxRowsPerSite,
  });
  const part = statedPart({ participation, rows: rowsExpected(study) }) ?? situation.part;
  const { times, hasEvent } = followedUp(new Float64Array(block.rows), {
    part,
    followed: situation.followed,
    horizon: edges.at(-1)!,
    uniform,
  });
  const [event, censored] = [streams.indexOf(1), streams.indexOf(0)];
  const { curves } = await overExpectedRows({
    study,
    block: {
      ...block,
      columns: block.columns.map((column, f) => (f === timeAt ? times : column)),
      labels: Uint16Array.from(hasEvent, (has) => (has || censored === -1 ? event : censored)),
    },
    rows,
    answer,
    pause,
    run: (conversation) => survivalConversation({ study, conversation }),
  });
  return at.map((edge) =>
    middleOf(
      curves.map((points) => {
        const found = points[edge - 1]?.survival;
        return found === undefined || (found.low === 0 && found.high === 1)
          ? null
          : (found.high - found.low) / 2;
      }),
    ),
  );
}
