import type { Estimate } from "../shared/evaluation/estimate.js";
import { z95 } from "../shared/evaluation/normal.js";
import { atRisk, atRiskStdDev, type GroupCounts, nobody, riskDeviations } from "./counts.js";

/**
 * Curves from counts by interval, by Kaplan and Meier [KM58] (docs/methods/survival.md#curves). With d events and c censorings among the n at risk when an
 * interval begins, m = n - c/2 are taken to be exposed.
 */
export interface CurvePoint {
  readonly from: number;
  readonly to: number;
  /** When the interval begins. */
  readonly atRisk: number;
  /** Within the interval. */
  readonly events: number;
  readonly censored: number;
  /** At the interval's end: the part without the event. */
  readonly survival: Estimate;
  /** At the interval's end: the cumulative hazard [Aal78]. */
  readonly hazard: Estimate;
  /** Standard deviations of `survival`: of drawing the records, of the noise, and of where in an interval things happen. */
  readonly samplingStdDev: number;
  readonly noiseStdDev: number;
  readonly intervalStdDev: number;
}

/** A cumulative hazard, with what its variance consists of. */
class Cumulative {
  value = 0;
  sampling = 0;
  /** Lowest and highest value that the order of events and censorings within intervals allows. */
  #least = 0;
  #most = 0;
  /** Σ ∂h/∂m so far: what a record of a later cell changes. */
  #slope = 0;
  /** Σ over the cells so far of the squared derivatives by them. */
  #squares = 0;

  /** @param step - of this interval's events, by those exposed */
  add(step: (exposed: number) => Step, { risk, censored }: { risk: number; censored: number }): void {
    const { value, variance, byEvents, byExposed } = step(risk - censored / 2);
    this.value += value;
    this.sampling += variance;
    this.#least += step(risk).value;
    this.#most += step(risk - censored).value;
    this.#slope += byExposed;
    // Who is in this interval is at risk in all before; a censored one is exposed to half of it.
    this.#squares += (this.#slope + byEvents) ** 2 + (this.#slope - byExposed / 2) ** 2;
  }

  /** Variance of the noise, of variance 1 in each cell. @param later - cells after this interval */
  noise(later: number): number {
    return this.#squares + later * this.#slope ** 2;
  }

  /** Variance of a value that lies anywhere between the bounds. */
  get interval(): number {
    return (this.#most - this.#least) ** 2 / 12;
  }
}

interface Step {
  readonly value: number;
  readonly variance: number;
  readonly byEvents: number;
  readonly byExposed: number;
}

/**
 * Of Kaplan and Meier's estimate, -log of the part that survives an interval, log(m/(m - d)), with Greenwood's variance [Gre26]. Of
 * Nelson and Aalen's, one event after another, 1/m + 1/(m - 1) + … = log((m + ½)/(m - d + ½)) but for terms in 1/m³: d/m
 * would leave out how many the events themselves take out of the interval.
 * @param shift - 0 of the first, ½ of the second
 */
const hazardStep =
  (events: number, shift: number) =>
  (exposed: number): Step => {
    const after = Math.max(exposed - events, nobody) + shift;
    const before = after + events;
    const byExposed = -events / (before * after);
    return { value: Math.log(before / after), variance: -byExposed, byEvents: 1 / after, byExposed };
  };

/**
 * A group's curve, up to the last interval through which the number at risk stands out of its noise.
 * @param edges - [B + 1]
 * @param stdDev - of the noise in each count
 */
export function survivalCurve(counts: GroupCounts, edges: readonly number[], stdDev: number): CurvePoint[] {
  const intervals = counts.events.length;
  const risks = atRisk(counts);
  const points: CurvePoint[] = [];
  const survival = new Cumulative();
  const cumulative = new Cumulative();
  for (let b = 0; b < intervals; b++) {
    const [events, censored, risk] = [counts.events[b]!, counts.censored[b]!, risks[b]!];
    const least = Math.max(nobody, riskDeviations * atRiskStdDev(stdDev, intervals, b));
    if (!(risk - censored / 2 - events > least)) break;
    survival.add(hazardStep(events, 0), { risk, censored });
    cumulative.add(hazardStep(events, 0.5), { risk, censored });
    const later = 2 * (intervals - 1 - b) + 1;
    const part = Math.exp(-survival.value);
    const samplingStdDev = part * Math.sqrt(survival.sampling);
    const noiseStdDev = part * stdDev * Math.sqrt(survival.noise(later));
    const intervalStdDev = part * Math.sqrt(survival.interval);
    points.push({
      from: edges[b]!,
      to: edges[b + 1]!,
      atRisk: risk,
      events,
      censored,
      survival: around(part, Math.hypot(samplingStdDev, noiseStdDev, intervalStdDev), 1),
      hazard: around(
        cumulative.value,
        Math.sqrt(cumulative.sampling + stdDev ** 2 * cumulative.noise(later) + cumulative.interval),
        Number.POSITIVE_INFINITY,
      ),
      samplingStdDev,
      noiseStdDev,
      intervalStdDev,
    });
  }
  return points;
}

function around(value: number, stdDev: number, most: number): Estimate {
  return { value, low: Math.max(0, value - z95 * stdDev), high: Math.min(most, value + z95 * stdDev) };
}

/** A time; null where it lies beyond the curve. */
export interface TimeEstimate {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/**
 * When half of a group has had the event: where the curve, straight within an interval, passes ½. Its interval is every time that
 * the curve's own interval does not rule out [BC82], in whole intervals.
 */
export function medianSurvival(points: readonly CurvePoint[]): TimeEstimate {
  const first = (part: (point: CurvePoint) => number) => points.find((point) => part(point) <= 0.5) ?? null;
  const low = first(({ survival }) => survival.low);
  const high = first(({ survival }) => survival.high);
  return { value: crossing(points), low: low?.from ?? null, high: high?.to ?? null };
}

function crossing(points: readonly CurvePoint[]): number | null {
  const at = points.findIndex(({ survival }) => survival.value <= 0.5);
  if (at === -1) return null;
  const { from, to, survival } = points[at]!;
  const before = at === 0 ? 1 : points[at - 1]!.survival.value;
  return from + ((to - from) * (before - 0.5)) / (before - survival.value);
}
