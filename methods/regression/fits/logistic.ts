import { stepOf } from "../inference/path.js";
import { SeenSpreads } from "../inference/spreads.js";
import type { OpenedSum } from "../openedSum.js";
import { type Ask, arrivedAt, type Fit, interceptFirst, type Next, newton, scoreOf, walked } from "./fit.js";

/** Maximum move of the log-odds in a step. */
const reach = 2;
/** Columns separate the outcome where steps have not arrived and no more than this of its variance stays open, or less in any case. */
const separatedPart = { onTheWay: 0.5, anyway: 0.05 } as const;

/**
 * Logistic regression: joint sums at β = 0, at the log-odds of the noisy prevalence, and along damped steps; the last one decides.
 * @param options.sums - with noise T, without as many as may be asked for
 */
export async function fitLogistic(options: {
  readonly d: number;
  readonly sums: number;
  readonly hasNoise: boolean;
  readonly ask: Ask;
  /** The next point from all sums so far, where noise hides a step by the last one; left out: always that step. */
  readonly next?: Next | undefined;
}): Promise<Fit> {
  const { d, sums, hasNoise, ask, next } = options;
  const ones = interceptFirst(d);
  const zero = new Float64Array(d);
  const first = { ...(await ask(zero)), point: zero };
  const rows = Math.max(4 * first.information[0]!, 1);
  const positives = first.score[0]! + rows / 2;
  const least = Math.min(0.5, Math.max(first.scoreStdDev / rows, 0.5 / rows, hasNoise ? 1e-5 : 1e-9));
  const p = Math.min(Math.max(positives / rows, least), 1 - least);
  const start = new Float64Array(d);
  start[0] = Math.log(p / (1 - p));
  const common = { start: null, dispersion: null, residuals: null };
  const spreads = new SeenSpreads(ones);
  spreads.add(first.information, first.informationStdDev);
  if (!hasNoise) {
    const leastWeight = 1e-3 * rows * p * (1 - p);
    const { opened, hasArrived } = await newton(ask, {
      start,
      ones,
      sums: sums - 1,
      reach: 3,
      spreads,
      leastWeight,
    });
    const last = opened.at(-1)!;
    // Where outcomes are told without exception, no record's outcome stays open: a maximum leaves about one, whatever the effects are.
    const hasBoth = positives >= 1 && rows - positives >= 1;
    const isSeparated =
      hasBoth && last.information[0]! < (hasArrived ? 0.1 : separatedPart.onTheWay * rows * p * (1 - p));
    return {
      ...common,
      score: scoreOf(last, { ones, curve: 0, spreads }),
      opened: [first, ...opened],
      hasArrived,
      isSeparated,
    };
  }
  const step = (sum: OpenedSum) => stepOf({ ...sum, ones, reach });
  const opened = await walked(ask, { start, ones, sums, spreads, step, next, opened: [first] });
  const last = opened.at(-1)!;
  const score = scoreOf(last, { ones, curve: 1 - 2 * p, spreads });
  const hasArrived = arrivedAt(score);
  const part = hasArrived ? separatedPart.anyway : separatedPart.onTheWay;
  return {
    ...common,
    score,
    opened,
    hasArrived,
    isSeparated: last.information[0]! + 2 * last.informationStdDev < part * rows * p * (1 - p),
  };
}
