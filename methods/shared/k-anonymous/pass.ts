import type { StageId } from "@consilium/core/ids";
import type { SumConversation } from "@consilium/core/learning/sums";
import type { ClassSizes } from "@consilium/core/learning/tags";
import type { Broadcast } from "@consilium/core/study/broadcast";

/** What a method of `k-anonymous-selection` speaks to: sums, and tags with counts. */
export interface SelectionConversation extends SumConversation {
  /** Broadcasts, asks every site for its tags with counts, and returns the class sizes over all sites. */
  tags(stage: StageId, broadcast: Broadcast): Promise<ClassSizes>;
}

/** Runs what judges a sum, and may turn its RangeError into an error of its own. */
export type Check = <T>(judge: () => T) => T;

/** How a candidate S ∪ {f} fared. */
export interface Tried<T> {
  /** f, an index into the study's features. */
  readonly feature: number;
  /** S ∪ {f}, ascending. */
  readonly features: readonly number[];
  readonly accepted: boolean;
  /** What the test showed; null where it was not made. */
  readonly test: T | null;
}

export interface Pass<T> {
  /** In the order in which they were accepted: of falling importance. */
  readonly selected: readonly number[];
  readonly tried: readonly Tried<T>[];
}

/** Features by falling importance, alike ones as declared. */
export function orderOf(importance: readonly (number | bigint)[]): number[] {
  return importance
    .map((_, feature) => feature)
    .sort((a, b) => (importance[a]! > importance[b]! ? -1 : importance[a]! < importance[b]! ? 1 : a - b));
}

/**
 * One pass over the features: f joins S where S ∪ {f} passes.
 * @param options.ask - null where the candidate is rejected without a test
 * @param options.asked - number of tests so far
 */
export async function onePass<T extends { readonly accepted: boolean }>(options: {
  readonly order: readonly number[];
  readonly ask: (features: readonly number[], asked: number) => Promise<T> | null;
}): Promise<Pass<T>> {
  const selected: number[] = [];
  const tried: Tried<T>[] = [];
  let asked = 0;
  for (const feature of options.order) {
    const features = [...selected, feature].sort((a, b) => a - b);
    const asking = options.ask(features, asked);
    if (asking === null) {
      tried.push({ feature, features, accepted: false, test: null });
      continue;
    }
    asked++;
    const test = await asking;
    tried.push({ feature, features, accepted: test.accepted, test });
    if (test.accepted) selected.push(feature);
  }
  return { selected, tried };
}
