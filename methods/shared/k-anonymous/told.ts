import { ConsiliumError } from "@consilium/core/errors";
import type { StageId } from "@consilium/core/ids";
import type { Broadcasts } from "@consilium/core/study/broadcast";
import { candidateName, selectedName, testStageId } from "./candidates.js";

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
  if (tests === 0) refuse(stage, "features are selected that were never tested");
  const { last, standing } = passSoFar(broadcasts, tests - 1, count);
  if (!isSame(selected, last) && !isSame(selected, standing))
    refuse(stage, "the selected features are not those that stood at the end of the pass");
  return selected;
}

function passSoFar(broadcasts: Broadcasts, test: number, count: number): PassSoFar {
  let so: PassSoFar = { last: [], standing: [] };
  const tried = new Set<number>();
  for (let t = 0; t <= test; t++) {
    const stage = testStageId(t);
    const candidate = featuresTold(broadcasts, stage, candidateName, count);
    const fresh = candidate.filter((feature) => !tried.has(feature));
    if (fresh.length !== 1) refuse(stage, "a candidate is not one new feature beside those that stood");
    const standing = candidate.filter((feature) => feature !== fresh[0]);
    if (!isSame(standing, so.last) && !isSame(standing, so.standing))
      refuse(stage, "a candidate is not one new feature beside those that stood");
    tried.add(fresh[0]!);
    so = { last: candidate, standing };
  }
  return so;
}

function featuresTold(broadcasts: Broadcasts, stage: StageId, name: string, count: number): number[] {
  const values = broadcasts.get(stage)?.[name];
  if (values === undefined)
    throw new ConsiliumError("FIELD_INVALID", `stage ${stage} was not sent "${name}"`);
  if (values.length !== count || !values.every((value) => value === 0 || value === 1))
    refuse(stage, `"${name}" is no set of the study's ${count} features`);
  const features = [...values.keys()].filter((f) => values[f] === 1);
  if (features.length === 0) refuse(stage, `"${name}" is empty`);
  return features;
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((feature, i) => feature === b[i]);
}

function refuse(stage: StageId, what: string): never {
  throw new ConsiliumError("BROADCAST_INVALID", `the broadcast of stage ${stage}: ${what}`);
}
