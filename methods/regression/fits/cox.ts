import { stepOf } from "../inference/path.js";
import { SeenSpreads } from "../inference/spreads.js";
import type { OpenedSum, Start } from "../openedSum.js";
import { type Ask, arrivedAt, type Fit, type Next, newton, scoreOf, walked } from "./fit.js";

const reach = 1.5;

/**
 * Cox's regression as one model in (columns, interval): hazards constant in each of K intervals, in units of the horizon.
 * @param options.columns - p; d = p + K
 */
export async function fitCox(options: {
  readonly columns: number;
  readonly sums: number;
  readonly hasNoise: boolean;
  readonly start: Start;
  readonly ask: Ask;
  /** The next point from all sums so far, where noise hides a step by the last one; left out: always that step. */
  readonly next?: Next | undefined;
}): Promise<Fit> {
  const { columns: p, sums, hasNoise, start, ask, next } = options;
  const { events, exposures, eventsStdDev: noise } = start;
  const K = events.length;
  const ones = new Float64Array(p + K).fill(1, p);
  const begin = new Float64Array(p + K);
  const sumOf = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0);
  const common = { start, dispersion: null, isSeparated: false, residuals: null };
  const spreads = new SeenSpreads(ones);
  if (!hasNoise) {
    for (let k = 0; k < K; k++)
      begin[p + k] = Math.log(Math.max(events[k]!, 0.5) / Math.max(exposures[k]!, 1e-9));
    const { opened, hasArrived } = await newton(ask, { start: begin, ones, sums, reach: 3, spreads });
    return { ...common, score: scoreOf(opened.at(-1)!, { ones, curve: 0, spreads }), opened, hasArrived };
  }
  const least = noise * Math.sqrt(K);
  const total = Math.max(sumOf(events), least);
  const exposure = Math.max(sumOf(exposures), least);
  const mean = Math.log(total / exposure);
  const weight = 1 / (1 + (4 * noise ** 2) / Math.max(total / K, 1) ** 2);
  for (let k = 0; k < K; k++) {
    const own = Math.log(Math.max(events[k]!, total / K / 4) / Math.max(exposures[k]!, exposure / K / 20));
    begin[p + k] = Math.min(Math.max(mean + weight * (own - mean), mean - 2), mean + 2);
  }
  const step = (sum: OpenedSum) => stepOf({ ...sum, ones, reach });
  const opened = await walked(ask, { start: begin, ones, sums, spreads, step, next });
  const score = scoreOf(opened.at(-1)!, { ones, curve: 1, spreads });
  return { ...common, score, opened, hasArrived: arrivedAt(score) };
}
