import type { StageId } from "@consilium/core/ids";
import { nameOf, sentences } from "@consilium/core/said";
import type { Broadcasts } from "@consilium/core/study/broadcast";
import type { BroadcastSays } from "@consilium/words/says/broadcasts";
import { invalidBroadcast, notSent } from "../plans/broadcastFaults.js";
import { candidateName, selectedName, testStageId } from "./candidates.js";

const said = sentences<BroadcastSays>();

/**
 * What a site was told of the pass so far. It holds the aggregator to it: each candidate is a set that stood plus one
 * feature that was not tried before, and what is selected was a candidate.
 */

/** The candidates of the tests so far, and the set that stood before the last one. */
interface PassSoFar {
  readonly last: readonly number[];
  readonly standing: readonly number[];
}

/**
 * The features of a test, ascending.
 * @param test - from 0
 * @param count - m
 * @throws ConsiliumError FIELD_INVALID where a candidate is missing, BROADCAST_INVALID where it is none
 */
export function candidateTold(broadcasts: Broadcasts, test: number, count: number): readonly number[] {
  return passSoFar(broadcasts, test, count).last;
}

/**
 * The selected features, ascending.
 * @param stage - that they were told for
 * @throws ConsiliumError as `candidateTold`
 */
export function selectedTold(broadcasts: Broadcasts, stage: StageId, count: number): readonly number[] {
  const selected = featuresTold(broadcasts, stage, selectedName, count);
  let tests = 0;
  while (broadcasts.has(testStageId(tests))) tests++;
  if (tests === 0) throw invalidBroadcast(stage, said("broadcast.untested", {}));
  const { last, standing } = passSoFar(broadcasts, tests - 1, count);
  if (!isSame(selected, last) && !isSame(selected, standing))
    throw invalidBroadcast(stage, said("broadcast.not-standing", {}));
  return selected;
}

function passSoFar(broadcasts: Broadcasts, test: number, count: number): PassSoFar {
  let so: PassSoFar = { last: [], standing: [] };
  const tried = new Set<number>();
  for (let t = 0; t <= test; t++) {
    const stage = testStageId(t);
    const candidate = featuresTold(broadcasts, stage, candidateName, count);
    const fresh = candidate.filter((feature) => !tried.has(feature));
    if (fresh.length !== 1) throw invalidBroadcast(stage, said("broadcast.candidate", {}));
    const standing = candidate.filter((feature) => feature !== fresh[0]);
    if (!isSame(standing, so.last) && !isSame(standing, so.standing))
      throw invalidBroadcast(stage, said("broadcast.candidate", {}));
    tried.add(fresh[0]!);
    so = { last: candidate, standing };
  }
  return so;
}

function featuresTold(broadcasts: Broadcasts, stage: StageId, name: string, count: number): number[] {
  const values = broadcasts.get(stage)?.[name];
  if (values === undefined) throw notSent(stage, name);
  if (values.length !== count || !values.every((value) => value === 0 || value === 1))
    throw invalidBroadcast(stage, said("broadcast.no-set", { name: nameOf(name), features: count }));
  const features = [...values.keys()].filter((f) => values[f] === 1);
  if (features.length === 0)
    throw invalidBroadcast(stage, said("broadcast.empty-set", { name: nameOf(name) }));
  return features;
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((feature, i) => feature === b[i]);
}
