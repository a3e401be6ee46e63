import { stepOf } from "../inference/path.js";
import { SeenSpreads } from "../inference/spreads.js";
import type { OpenedSum, Start } from "../openedSum.js";
import { type Ask, arrivedAt, type Fit, interceptFirst, type Next, newton, scoreOf, walked } from "./fit.js";

const reach = 1.5;
/** Frailty adds a multiple of μ² to the variance and not of μ: φG alone is too small where means vary. */
const beyondDispersion = 1.3;

/**
 * Poisson regression with an exposure. The dispersion is Σ(y - μ)²/Σμ over all rows, and not Pearson's Σ(y - μ)²/μ over n - d: one sum tells it.
 * @param options.largest - R = max(Y, C): no residual is larger
 */
export async function fitPoisson(options: {
  readonly d: number;
  readonly sums: number;
  readonly hasNoise: boolean;
  readonly largest: number;
  readonly start: Start;
  readonly ask: Ask;
  /** The next point from all sums so far, where noise hides a step by the last one; left out: always that step. */
  readonly next?: Next | undefined;
}): Promise<Fit> {
  const { d, sums, hasNoise, largest, start, ask, next } = options;
  const ones = interceptFirst(d);
  const events = Math.max(start.events[0]!, start.eventsStdDev, hasNoise ? 0 : 1e-9);
  const exposure = Math.max(start.exposures[0]!, start.exposuresStdDev, 1e-9);
  const begin = new Float64Array(d);
  begin[0] = Math.log(Math.max(events, 1e-9) / exposure);
  const common = { start, isSeparated: false, residuals: null };
  const spreads = new SeenSpreads(ones);
  if (!hasNoise) {
    const { opened, hasArrived } = await newton(ask, { start: begin, ones, sums, reach: 2, spreads });
    const last = opened.at(-1)!;
    const dispersion = Math.max(1, (last.squares ?? 0) / Math.max(last.information[0]!, 1e-9));
    return {
      ...common,
      score: scoreOf(last, { ones, curve: 0, spreads, dispersion: 1 + beyondDispersion * (dispersion - 1) }),
      opened,
      dispersion,
      hasArrived,
    };
  }
  const step = (sum: OpenedSum) => {
    const weight = sum.information[0]!;
    const varying =
      weight > 0 ? Math.max(1, sum.squares! / Math.max(weight, sum.informationStdDev)) : largest;
    return stepOf({ ...sum, ones, reach, dispersion: Math.min(varying, largest) });
  };
  const opened = await walked(ask, { start: begin, ones, sums, spreads, step, next });
  const last = opened.at(-1)!;
  const { informationStdDev: deviation } = last;
  const dispersion = Math.max(
    1,
    Math.min(
      (last.squares! + last.squaresStdDev / 2) / Math.max(last.information[0]! - deviation / 2, deviation),
      largest,
    ),
  );
  const score = scoreOf(last, {
    ones,
    curve: 1,
    spreads,
    dispersion: 1 + beyondDispersion * (dispersion - 1),
  });
  return { ...common, score, opened, dispersion, hasArrived: arrivedAt(score) };
}
