import { type Counted, type Finding, finding } from "@consilium/core/release/finding";
import { nameOf } from "@consilium/core/said";
import { countedOf } from "../shared/release/counted.js";
import { atRisk } from "./counts.js";
import { medianSurvival } from "./curve.js";
import type { SurvivalResult } from "./result.js";
import { Slope } from "./streams.js";
import { type SurvivalStudy, survivalLayout } from "./study.js";

/** Groups whose medians the finding names; those of others are in the notes. */
const maxNamed = 4;

/** Whether the groups differ, by the log-rank test; of one group its median, or survival where the curve ends above 50%. */
export function survivalFinding(study: SurvivalStudy, { curves, logRank }: SurvivalResult): Finding {
  const { groupName, groups, edges, unit } = survivalLayout(study);
  const shown = unit === null ? null : nameOf(unit);
  const medianOf = (g: number, group: string | null) => ({
    group: group === null ? null : nameOf(group),
    ...medianSurvival(curves[g]!),
    unit: shown,
  });
  if (groupName === null) {
    const end = curves[0]!.at(-1);
    if (end === undefined) return finding("interval", false, "finding.no-curve", {});
    const median = medianOf(0, null);
    if (median.value !== null) return finding("interval", true, "finding.median", median);
    const { value, low, high } = end.survival;
    return finding("interval", true, "finding.survival-at", { time: end.to, unit: shown, value, low, high });
  }
  const column = nameOf(groupName);
  const medians = groups.slice(0, maxNamed).map((group, g) => ({
    code: "finding.median",
    params: medianOf(g, `${groupName} = ${group}`),
  }));
  if (logRank === null || logRank.decision === "imprecise")
    return finding("test", false, "finding.survival-imprecise", { column, medians });
  const { halfInterval, intervals, decision } = logRank;
  const tested = { column, pValue: halfInterval.pValue, until: edges[intervals]!, unit: shown, medians };
  return decision === "differ"
    ? finding("test", true, "finding.survival-differs", tested)
    : finding("test", false, "finding.survival-alike", tested);
}

/** Records and events of each group. */
export function survivalCounted(
  study: SurvivalStudy,
  { counts, stdDev, recordsStdDev }: SurvivalResult,
): Counted[] {
  const { groupName, groups, causes, root } = survivalLayout(study);
  const { event } = study.parameters;
  const events = new Slope(root, 1 + causes.length);
  events.addFrom(0, 1, 1);
  return groups.flatMap((group, g) => {
    const name = groupName === null ? null : `${groupName} = ${group}`;
    const own = counts[g]!;
    const total = own.events.reduce((sum, count) => sum + count, 0);
    return [
      countedOf(
        study,
        "used",
        { count: atRisk(own)[0]!, noiseStdDev: recordsStdDev },
        name === null ? {} : { name },
      ),
      countedOf(
        study,
        "events",
        { count: total, noiseStdDev: stdDev * events.noise },
        { name: `${study.label.name} = ${event}${name === null ? "" : `, ${name}`}` },
      ),
    ];
  });
}
