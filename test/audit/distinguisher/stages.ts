import type { StageId } from "@consilium/core/ids";
import { simulatedSite } from "@consilium/core/learning/sums";
import { siteSideOf } from "@consilium/core/method/method";
import type { Broadcast, Broadcasts } from "@consilium/core/study/broadcast";
import { planStudy, type StageNoise } from "@consilium/core/study/plan";
import type { Study } from "@consilium/core/study/study";
import type { ChargedEvent } from "@consilium/gate/cost";
import type { Proposal } from "@consilium/gate/fold";
import { releasedWithRows } from "@consilium/methods/testing/aggregatorSums";
import { siteVector } from "@consilium/methods/testing/families";
import { seededRandom } from "../statistics.js";
import type { SearchedStudy } from "./studies.js";

/** A proven stage, and what a site's method proposes for it after each of some broadcasts. */
export interface SearchedStage {
  readonly id: StageId;
  readonly study: Study;
  readonly noise: StageNoise;
  readonly charged: ChargedEvent;
  /** The first follows the broadcasts of a study that was run; the others broadcasts of an aggregator that makes them up. */
  readonly proposals: readonly Proposal[];
}

/** What a hostile aggregator makes of numbers that it should broadcast. */
const hostile: readonly ((value: number) => number)[] = [
  (value) => 8 * value,
  (value) => -64 * value,
  (value) => Math.sign(value) * 900,
  () => 0,
];

/**
 * The stages that add noise, in their order; without those that may be skipped and were.
 * @param seed - of the noise of the run that their broadcasts come from
 * @throws RangeError where that run did not come to one
 */
export async function searchedStages(
  { study, tables }: SearchedStudy,
  seed: string,
): Promise<SearchedStage[]> {
  const plan = planStudy(study);
  const reached = new Map<StageId, Broadcasts>();
  await releasedWithRows({
    study,
    tables,
    random: seededRandom(seed),
    vector(id, input) {
      if (!reached.has(id)) reached.set(id, new Map(input.broadcasts));
      return siteVector(study, id, input);
    },
  });
  const { proposal } = await siteSideOf(study);
  const stages: SearchedStage[] = [];
  for (const stage of plan.stages) {
    if (stage.kind !== "sum" || stage.noise === null) continue;
    const { id, noise, disclosure } = stage;
    const broadcasts = reached.get(id);
    if (broadcasts === undefined) {
      if (stage.mayBeSkipped === true) continue;
      throw new RangeError(`stage ${id} was not reached`);
    }
    const propose = (told: Broadcasts) => proposal!(id, { study, site: simulatedSite(0), broadcasts: told });
    const proposals = [propose(broadcasts)];
    for (const change of hostile) {
      const own = broadcasts.get(id);
      if (own === undefined || Object.keys(own).length === 0) break;
      try {
        proposals.push(propose(new Map(broadcasts).set(id, mapped(own, change))));
      } catch {
        // Refused, as it may be.
      }
    }
    stages.push({ id, study, noise, charged: disclosure.event as ChargedEvent, proposals });
  }
  return stages;
}

const mapped = (broadcast: Broadcast, change: (value: number) => number): Broadcast =>
  Object.fromEntries(Object.entries(broadcast).map(([name, values]) => [name, values.map(change)]));
