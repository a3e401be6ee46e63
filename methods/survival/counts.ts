import { rising } from "../shared/counts/rising.js";
import type { Root } from "../shared/counts/root.js";
import { Slope } from "./streams.js";

/** Records of one group by how and when their follow-up ended. */
export interface GroupCounts {
  /** [B] */
  readonly events: Float64Array;
  /** Events of each other cause that is declared, [B]. */
  readonly competing: readonly Float64Array[];
  /** [B] */
  readonly censored: Float64Array;
  /** Still followed at the horizon. */
  readonly beyond: number;
}

/**
 * A group's counts, without noise whole numbers, with it perhaps negative.
 * @param sums - of the group, run by run: those censored, with the event, and of each competing cause
 */
export function groupCounts(sums: Float64Array, root: Root): GroupCounts {
  const { run } = root;
  const runs = Array.from({ length: sums.length / run }, (_, s) =>
    root.counts(sums.subarray(s * run, (s + 1) * run)),
  );
  return asGroup(runs);
}

function asGroup(runs: readonly Float64Array[]): GroupCounts {
  const [censored, events, ...competing] = runs.map((one) => one.subarray(0, -1));
  return { events: events!, competing, censored: censored!, beyond: runs[0]!.at(-1)! };
}

/** [streams × run], as the gate has them. */
export function cellsOf({ censored, events, competing, beyond }: GroupCounts): Float64Array {
  return Float64Array.from([
    ...censored,
    beyond,
    ...[events, ...competing].flatMap((cause) => [...cause, 0]),
  ]);
}

/**
 * Valid counts: those of each stream with the prefix sums nearest to the noisy ones, by the sum of squares, that do not fall and are not
 * negative [ABERS55]. Without noise they are the counts themselves.
 */
export function validCounts({ censored, events, competing, beyond }: GroupCounts): GroupCounts {
  const ended = rising(Float64Array.of(...censored, beyond));
  return {
    events: rising(events),
    competing: competing.map(rising),
    censored: ended.subarray(0, -1),
    beyond: ended.at(-1)!,
  };
}

/** Records whose follow-up ended in an interval for another reason than the event. */
export const lostIn = ({ censored, competing }: GroupCounts, b: number) =>
  competing.reduce((sum, cause) => sum + cause[b]!, censored[b]!);

/** Records under observation when each interval begins, [B]. */
export function atRisk(counts: GroupCounts): Float64Array {
  const numbers = new Float64Array(counts.events.length);
  let left = counts.beyond;
  for (let b = numbers.length - 1; b >= 0; b--) {
    left += counts.events[b]! + lostIn(counts, b);
    numbers[b] = left;
  }
  return numbers;
}

const risks = new WeakMap<Root, Map<number, Float64Array>>();

/** Standard deviation of the noise in the number at risk when each interval begins, [B], for noise of 1. */
export function atRiskNoise(root: Root, streams: number): Float64Array {
  const known = risks.get(root) ?? new Map<number, Float64Array>();
  risks.set(root, known);
  const before = known.get(streams);
  if (before !== undefined) return before;
  const noise = Float64Array.from({ length: root.run - 1 }, (_, b) => {
    const slope = new Slope(root, streams);
    slope.addFrom(b, 1);
    return slope.noise;
  });
  known.set(streams, noise);
  return noise;
}

/** A number at risk says something where it is above 0 by so many standard deviations of its noise. */
export const riskDeviations = 2;

/** Below this nobody is at risk: sums of counts without noise that are 0 but for rounding. */
export const nobody = 1e-6;
