import type { StageId } from "@consilium/core/ids";
import type { SumConversation } from "@consilium/core/learning/sums";
import { wholly } from "@consilium/core/method/parts";
import type { Broadcast, Broadcasts } from "@consilium/core/study/broadcast";
import type { Plan, StageNoise } from "@consilium/core/study/plan";
import type { Integers } from "./auditedMethod.js";

/** Ends a conversation at the stage whose broadcasts were sought. */
class Reached extends Error {}

/**
 * All that the aggregator's own program broadcasts up to the stage after these sums.
 * @param run - the program
 */
export async function broadcastsAfter(
  published: readonly Integers[],
  run: (conversation: Pick<SumConversation, "sum" | "survivors" | "part">) => Promise<unknown>,
): Promise<Broadcasts> {
  const broadcasts = new Map<StageId, Broadcast>();
  let next = 0;
  try {
    await run({
      survivors: 3,
      part: wholly,
      async sum(id, broadcast) {
        broadcasts.set(id, broadcast);
        const sum = published[next++];
        if (sum === undefined) throw new Reached();
        return new BigUint64Array(sum.slice().buffer);
      },
    });
  } catch (thrown) {
    if (!(thrown instanceof Reached)) throw thrown;
  }
  return broadcasts;
}

/** @throws RangeError where the stage adds none */
export function plannedNoise({ stages }: Plan, id: StageId): StageNoise {
  const planned = stages.find((one) => one.id === id);
  if (planned?.kind !== "sum" || planned.noise === null) throw new RangeError(`stage ${id} has no noise`);
  return planned.noise;
}
