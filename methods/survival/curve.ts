import { z95 } from "@consilium/core/linalg/z95";
import type { Root } from "../shared/counts/root.js";
import type { Estimate } from "../shared/evaluation/estimate.js";
import { atRisk, atRiskNoise, cellsOf, type GroupCounts, lostIn, nobody, riskDeviations } from "./counts.js";
import { Slope } from "./streams.js";

/** Grouped-time estimates of survival from valid counts (docs/methods/survival.md#curves): constant hazards within an interval. */
export interface CurvePoint {
  readonly from: number;
  readonly to: number;
  /** When the interval begins. */
  readonly atRisk: number;
  /** Within the interval. */
  readonly events: number;
  /** Events of each competing cause. */
  readonly competing: readonly number[];
  readonly censored: number;
  /** At the interval's end: the probability of no event, of no cause where some compete. */
  readonly survival: Estimate;
  /** At the interval's end: the cumulative hazard of the event. */
  readonly hazard: Estimate;
  /** Survival up to the interval's end, added up over time. */
  readonly restrictedMean: Estimate;
  /** At the interval's end, of the event and each competing cause: the probability that it has come, and first. Empty where none compete. */
  readonly incidence: readonly Estimate[];
  /** Standard deviations of `survival`: of drawing the records, of the noise, and of where in an interval things happen. */
  readonly samplingStdDev: number;
  readonly noiseStdDev: number;
  readonly intervalStdDev: number;
}

/** One interval of one group. */
interface Interval {
  readonly b: number;
  readonly risk: number;
  readonly censored: number;
  /** Number of each cause, the event first. */
  readonly causes: readonly number[];
  readonly width: number;
}

/** A value that grows interval by interval, with how it changes with the counts. */
class Growing {
  value = 0;
  readonly slope: Slope;

  constructor(root: Root, streams: number) {
    this.slope = new Slope(root, streams);
  }
}

/** A hazard of one interval, with its derivatives. */
interface Hazard {
  readonly value: number;
  readonly byRisk: number;
  readonly byEvents: number;
  /** By those who leave otherwise. */
  readonly byOthers: number;
}

/**
 * Hazard of `events` among those who leave an interval, which `risk` enter: log(n/n')·d/(d + c), with which exactly d of n have the event where
 * hazards are constant within. With a shift of ½ it is 1/n + 1/(n - 1) + … of all who leave, each of whom has had the event with
 * probability d/(d + c): Nelson and Aalen's estimate for an unknown order, to terms in 1/n³.
 */
function hazardOf(risk: number, events: number, others: number, shift: number): Hazard {
  const leaving = events + others;
  const [before, after] = [risk + shift, Math.max(risk - leaving, nobody) + shift];
  // log(n/n')/(n - n'), its own limit where next to nobody leaves.
  const rate = leaving > 1e-9 * before ? Math.log(before / after) / leaving : 1 / before;
  const part = leaving > 0 ? events / leaving : 1;
  return {
    value: events * rate,
    byRisk: part * (1 / before - 1 / after),
    byEvents: rate * (1 - part) + part / after,
    byOthers: part * (1 / after - rate),
  };
}

/** (1 - e^-h)/h and its derivative. */
function meanSurvival(h: number): { readonly value: number; readonly slope: number } {
  if (h < 1e-4) return { value: 1 - h / 2 + h ** 2 / 6, slope: -1 / 2 + h / 3 };
  const survival = Math.exp(-h);
  return { value: (1 - survival) / h, slope: (survival * (1 + h) - 1) / h ** 2 };
}

/** Everything that is estimated of a group, up to an interval's end. */
class Curve {
  readonly #counts: Float64Array;
  readonly #stdDev: number;
  /** All causes together: -log of survival. */
  readonly #all: Growing;
  readonly #own: Growing;
  readonly #mean: Growing;
  readonly #incidence: readonly Growing[];
  /** Lowest and highest -log of survival that the order within intervals allows. */
  #least = 0;
  #most = 0;
  /** Deviation of the restricted mean for what happens where: that of the curve added up, and of where each step falls. */
  #meanDeviation = 0;
  #meanSteps = 0;
  /** Where everybody left with an event among them, without noise: survival lies anywhere up to `high`, evenly up to `uniform`. */
  #end: { readonly high: number; readonly uniform: number } | null = null;

  constructor(counts: GroupCounts, root: Root, stdDev: number) {
    const causes = 1 + counts.competing.length;
    const growing = () => new Growing(root, 1 + causes);
    this.#counts = cellsOf(counts);
    this.#stdDev = stdDev;
    this.#all = growing();
    this.#own = growing();
    this.#mean = growing();
    this.#incidence = causes === 1 ? [] : Array.from({ length: causes }, growing);
  }

  add(interval: Interval): void {
    const { risk, censored, causes, width } = interval;
    const events = causes.reduce((sum, one) => sum + one, 0);
    const before = Math.exp(-this.#all.value);
    if (everybodyLeaves(interval)) {
      this.#close(interval, before);
      return;
    }
    const step = hazardOf(risk, events, censored, 0);
    const lost = 1 - Math.exp(-step.value);
    this.#addMean(before, step, interval);
    this.#incidence.forEach((one, cause) => {
      this.#addIncidence(one, cause, before, step, interval);
    });
    grow(this.#all, step.value, step, 1, interval);
    this.#addHazard(interval);
    this.#least -= Math.log1p(-events / risk);
    this.#most -= Math.log1p(-events / (risk - censored));
    this.#meanDeviation += width * Math.exp(-this.#all.value) * this.#orderDeviation;
    this.#meanSteps += (width * before * lost) ** 2 / 12;
  }

  #addHazard({ b, risk, censored, causes }: Interval): void {
    const events = causes.reduce((sum, one) => sum + one, 0);
    const own = hazardOf(risk, causes[0]!, censored + events - causes[0]!, 0.5);
    this.#own.value += own.value;
    this.#own.slope.addFrom(b, own.byRisk);
    causes.forEach((_, cause) => {
      this.#own.slope.addCell(1 + cause, b, cause === 0 ? own.byEvents : own.byOthers);
    });
    this.#own.slope.addCell(0, b, own.byOthers);
  }

  /**
   * The interval that everybody leaves, where hazards cannot be constant: half of those censored outlive its events, and survival is what the
   * two orders bound, 0 and c/n of what it was. Without an event it stays.
   */
  #close(interval: Interval, before: number): void {
    const { b, risk, censored, causes, width } = interval;
    const events = causes.reduce((sum, one) => sum + one, 0);
    const left = events > nobody ? censored / (2 * events + censored) : 1;
    const lost = before * (1 - left);
    this.#mean.slope.add(this.#all.slope, -width * (before - lost / 2));
    this.#mean.value += width * (before - lost / 2);
    this.#meanDeviation += width * before * this.#orderDeviation;
    this.#meanSteps += (width * lost) ** 2 / 12;
    this.#addHazard(interval);
    if (!(events > nobody)) return;
    this.#incidence.forEach((one, cause) => {
      const part = causes[cause]! / events;
      one.value += lost * part;
      one.slope.add(this.#all.slope, -lost * part);
      causes.forEach((_, other) => {
        one.slope.addCell(1 + other, b, (lost * ((other === cause ? 1 : 0) - part)) / events);
      });
    });
    const deviation = Math.hypot(this.#sampling(this.#all), this.#orderDeviation);
    this.#end = { high: Math.min(1, before * (1 + z95 * deviation)), uniform: (before * censored) / risk };
    this.#all.value -= Math.log(left);
  }

  /** Standard deviation of -log of survival, which lies anywhere between the bounds. */
  get #orderDeviation(): number {
    return (this.#most - this.#least) / Math.sqrt(12);
  }

  #addMean(before: number, step: Hazard, interval: Interval): void {
    const { value, slope } = meanSurvival(step.value);
    const more = before * interval.width;
    this.#mean.slope.add(this.#all.slope, -more * value);
    grow(this.#mean, more * value, step, more * slope, interval);
  }

  /** The part of those lost in an interval whose cause this is: S·(1 - f)·d_j/d. */
  #addIncidence(to: Growing, cause: number, before: number, step: Hazard, interval: Interval): void {
    const { b, risk, causes } = interval;
    const events = causes.reduce((sum, one) => sum + one, 0);
    if (!(events > nobody)) {
      to.slope.addCell(1 + cause, b, before / risk);
      return;
    }
    const [part, survival] = [causes[cause]! / events, Math.exp(-step.value)];
    const lost = before * (1 - survival);
    to.slope.add(this.#all.slope, -lost * part);
    grow(to, lost * part, step, before * survival * part, interval);
    causes.forEach((_, other) => {
      to.slope.addCell(1 + other, b, (lost * ((other === cause ? 1 : 0) - part)) / events);
    });
  }

  point(
    at: Omit<Interval, "causes" | "width"> & { readonly causes: readonly number[] },
    edges: readonly number[],
  ): CurvePoint {
    const survival = Math.exp(-this.#all.value);
    const samplingStdDev = survival * this.#sampling(this.#all);
    const noiseStdDev = survival * this.#noise(this.#all);
    const intervalStdDev =
      this.#end === null ? survival * this.#orderDeviation : this.#end.uniform / Math.sqrt(12);
    const [events, ...competing] = at.causes;
    const around = (of: Growing, order: number, most: number) =>
      estimate(of.value, Math.hypot(this.#sampling(of), this.#noise(of), order), most);
    const to = edges[at.b + 1]!;
    const lost = 1 - survival;
    return {
      from: edges[at.b]!,
      to,
      atRisk: at.risk,
      events: events!,
      competing,
      censored: at.censored,
      survival:
        this.#end === null
          ? estimate(survival, Math.hypot(samplingStdDev, noiseStdDev, intervalStdDev), 1)
          : { value: survival, low: 0, high: this.#end.high },
      hazard: around(this.#own, this.#orderDeviation, Number.POSITIVE_INFINITY),
      restrictedMean: around(this.#mean, Math.hypot(this.#meanDeviation, Math.sqrt(this.#meanSteps)), to),
      incidence: this.#incidence.map((one) =>
        around(one, lost > 0 ? (intervalStdDev * one.value) / lost : 0, 1),
      ),
      samplingStdDev,
      noiseStdDev,
      intervalStdDev,
    };
  }

  #sampling(of: Growing): number {
    return Math.sqrt(of.slope.sampling(this.#counts));
  }

  #noise(of: Growing): number {
    return this.#stdDev === 0 ? 0 : this.#stdDev * of.slope.noise;
  }
}

const everybodyLeaves = ({ risk, censored, causes }: Interval) =>
  !(causes.reduce((left, events) => left - events, risk - censored) > nobody);

/** Adds a step that depends on an interval's hazard of all causes. @param by - its derivative by that */
function grow(to: Growing, value: number, step: Hazard, by: number, { b, causes }: Interval): void {
  to.value += value;
  to.slope.addFrom(b, by * step.byRisk);
  to.slope.addCell(0, b, by * step.byOthers);
  causes.forEach((_, cause) => {
    to.slope.addCell(1 + cause, b, by * step.byEvents);
  });
}

/**
 * A group's curve, up to the last interval through which the number at risk stands out of its noise; without noise with the one that everybody
 * leaves.
 * @param counts - valid ones
 * @param edges - [B + 1]
 * @param stdDev - of the noise in each number of the sum
 */
export const survivalCurve = (...of: Parameters<typeof curvePoints>): CurvePoint[] => [...curvePoints(...of)];

/** The same point by point: one takes as long as there are intervals. */
export function* curvePoints(
  counts: GroupCounts,
  root: Root,
  edges: readonly number[],
  stdDev: number,
): Generator<CurvePoint> {
  const risks = atRisk(counts);
  const noise = stdDev === 0 ? null : atRiskNoise(root, 2 + counts.competing.length);
  const curve = new Curve(counts, root, stdDev);
  for (let b = 0; b < risks.length; b++) {
    const [risk, censored] = [risks[b]!, counts.censored[b]!];
    const least = Math.max(nobody, riskDeviations * stdDev * (noise?.[b] ?? 0));
    const left = risk - counts.events[b]! - lostIn(counts, b);
    if (!((stdDev === 0 ? risk : left) > least)) return;
    const causes = [counts.events, ...counts.competing].map((one) => one[b]!);
    const interval = { b, risk, censored, causes, width: edges[b + 1]! - edges[b]! };
    curve.add(interval);
    yield curve.point(interval, edges);
  }
}

function estimate(value: number, stdDev: number, most: number): Estimate {
  return { value, low: Math.max(0, value - z95 * stdDev), high: Math.min(most, value + z95 * stdDev) };
}

/** A time; null where it lies beyond the curve. */
export interface TimeEstimate {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/**
 * Where a group's survival passes ½, hazards being constant within an interval. Its interval is every time that the curve's own
 * interval does not rule out [BC82], in whole intervals.
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
  const part =
    survival.value > 0
      ? Math.log(before / 0.5) / Math.log(before / survival.value)
      : (before - 0.5) / (before - survival.value);
  return from + (to - from) * part;
}
