import { parseArgs } from "node:util";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import { planStudy } from "@consilium/core/study/plan";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { Root } from "@consilium/methods/shared/counts/root";
import { medianSurvival } from "@consilium/methods/survival/curve";
import { logRankSteps } from "@consilium/methods/survival/logRank";
import { asSurvival, type SurvivalStudy } from "@consilium/methods/survival/study";
import { parseStudy } from "@consilium/methods/testing/studies";
import { simulateSurvival } from "@consilium/methods/testing/survival/study";
import seedrandom from "seedrandom";

/**
 * How far survival curves are from the truth with noise and without, how often intervals hold it, and how often the log-rank test rejects:
 * two arms whose hazards are known, all sites in one process, with the product's own vectors and noise. Then what the test of the most groups
 * takes, and its longest step, between which the aggregator answers others.
 */

const delta = 1e-5;
const sites = 5;
export const horizon = 60;
/** Mean times to the event of the first arm, and to the end of follow-up. */
const [mean, followed] = [30, 60];
/** Of the first arm. */
export const trueSurvival = (time: number) => Math.exp(-time / mean);

interface Setting {
  /** Of each arm. */
  readonly records: number;
  readonly intervals: number;
  readonly epsilon: number | null;
  /** Hazard of the second arm over that of the first. */
  readonly ratio: number;
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { seeds: { type: "string", default: "100" } } });
  const seeds = Number(values.seeds);
  console.log(
    "| records an arm | intervals | ε | warned | error (mean sup) | in the interval | median in its interval | rejected, equal arms | rejected, hazard ratio .8 |",
  );
  console.log(`| ${Array<string>(9).fill("---").join(" | ")} |`);
  for (const records of [114, 500, 1000, 5000, 20_000]) {
    for (const intervals of [20, 100]) {
      for (const epsilon of [0.5, 1, 2, null]) {
        const equal = await measured({ records, intervals, epsilon, ratio: 1 }, seeds);
        const other = await measured({ records, intervals, epsilon, ratio: 0.8 }, seeds);
        const percent = (part: number) => `${(100 * part).toFixed(1)} %`;
        const cells = [
          records,
          intervals,
          epsilon ?? "none",
          equal.isWarned ? "yes" : "no",
          equal.error.toFixed(3),
          ...[equal.held, equal.median, equal.rejected, other.rejected].map(percent),
        ];
        console.log(`| ${cells.join(" | ")} |`);
      }
    }
  }
  console.log("\n| log-rank test: groups | intervals | time, ms | longest step, ms |");
  console.log(`| ${Array<string>(4).fill("---").join(" | ")} |`);
  for (const intervals of [100, 1000]) {
    const { total, longest } = fastestTest(12, intervals);
    console.log(`| 12 | ${intervals} | ${total.toFixed(1)} | ${longest.toFixed(1)} |`);
  }
}

/** Fastest of five tests of groups of 10,000 whose hazards differ, with noise. */
function fastestTest(
  groups: number,
  intervals: number,
): { readonly total: number; readonly longest: number } {
  const root = new Root(intervals + 1, 8);
  const counts = Array.from({ length: groups }, (_, g) => {
    const [events, censored] = [new Float64Array(intervals), new Float64Array(intervals)];
    let left = 10_000;
    for (let b = 0; b < intervals; b++) {
      events[b] = (left * (1 + g / groups)) / intervals;
      censored[b] = (left * 0.5) / intervals;
      left -= events[b]! + censored[b]!;
    }
    return { events, competing: [], censored, beyond: left };
  });
  const runs = Array.from({ length: 5 }, () => {
    let [total, longest] = [0, 0];
    const steps = logRankSteps(counts, root, 2 ** 8);
    for (let done = false; !done; ) {
      const began = performance.now();
      done = steps.next().done === true;
      const taken = performance.now() - began;
      total += taken;
      longest = Math.max(longest, taken);
    }
    return { total, longest };
  });
  return runs.reduce((one, other) => (other.total < one.total ? other : one));
}

async function measured(setting: Setting, seeds: number) {
  const study = studyOf(setting);
  let [points, held, medians, rejected, error] = [0, 0, 0, 0, 0];
  for (let seed = 0; seed < seeds; seed++) {
    const name = `survival ${JSON.stringify(setting)} ${seed}`;
    const { curves, logRank } = await simulateSurvival({
      study,
      tables: drawn(setting, name),
      random: seededRandom(name),
    });
    const [curve] = curves;
    const distances = curve!.map(({ to, survival }) => {
      const truth = trueSurvival(to);
      if (survival.low <= truth && truth <= survival.high) held++;
      return Math.abs(survival.value - truth);
    });
    points += distances.length;
    error += Math.max(0, ...distances);
    const { low, high } = medianSurvival(curve!);
    const truth = mean * Math.LN2;
    if ((low ?? 0) <= truth && truth <= (high ?? Number.POSITIVE_INFINITY)) medians++;
    if (logRank !== null && logRank.decision === "differ") rejected++;
  }
  return {
    isWarned: planStudy(study).warnings.some((one) => one.startsWith("survival.too-few-rows")),
    error: error / seeds,
    held: held / points,
    median: medians / seeds,
    rejected: rejected / seeds,
  };
}

function studyOf({ records, intervals, epsilon }: Setting): SurvivalStudy {
  return asSurvival(
    unwrap(
      parseStudy({
        name: "survival",
        table: "t",
        analysis: "survival",
        features: [
          { name: "months", type: "numeric", min: 0, max: horizon },
          { name: "arm", type: "categorical", levels: ["one", "other"] },
        ],
        label: { name: "status", levels: ["alive", "dead"] },
        privacy: epsilon === null ? "none" : { epsilon, delta },
        parameters: { event: "dead", intervals },
        participation: {
          sites: Array.from({ length: sites }, (_, i) => `site-${i + 1}`),
          minimumSites: sites,
          maxRowsPerSite: 2 * records,
          expectedRows: 2 * records,
        },
      }),
    ),
  );
}

export interface FollowedRow {
  readonly months: number;
  readonly arm: 0 | 1;
  /** 1: the event. */
  readonly status: 0 | 1;
}

/** Exponential times of the first arm, then of the other. @param ratio - its hazard over that of the first */
export function followedRows(records: readonly [number, number], ratio: number, seed: string): FollowedRow[] {
  const uniform = seedrandom(seed);
  const exponential = (scale: number) => -scale * Math.log(1 - uniform());
  return Array.from({ length: records[0] + records[1] }, (_, r) => {
    const arm = r < records[0] ? 0 : 1;
    const [event, end] = [exponential(arm === 0 ? mean : mean / ratio), exponential(followed)];
    return { months: Math.min(horizon, event, end), arm, status: event <= end ? 1 : 0 };
  });
}

/** Dealt to the sites in turn. */
function drawn({ records, ratio }: Setting, seed: string): ColumnBlock[][] {
  const rows = followedRows([records, records], ratio, seed);
  return Array.from({ length: sites }, (_, site) => {
    const own = rows.filter((__, r) => r % sites === site);
    return [
      {
        rows: own.length,
        columns: [Float64Array.from(own, ({ months }) => months), Float64Array.from(own, ({ arm }) => arm)],
        labels: Uint16Array.from(own, ({ status }) => status),
      },
    ];
  });
}
