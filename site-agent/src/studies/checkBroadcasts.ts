import { faults } from "@consilium/core/fault";
import type { StudyId } from "@consilium/core/ids";
import { nameOf, sentences } from "@consilium/core/said";
import type { BroadcastItem } from "@consilium/core/study/broadcast";
import type { StagePlan } from "@consilium/core/study/plan";
import type { AnySaid } from "@consilium/words/said";
import type { SiteStudySays } from "@consilium/words/says/siteStudies";

const fault = faults<SiteStudySays>();
const said = sentences<SiteStudySays>();

/**
 * Checks what a task lists as broadcast so far: all that was listed before, unchanged, and of each stage exactly what
 * the plan says, by name and length. Of an earlier stage something is new only when this site has missed that stage.
 * Nothing else is fetched, or kept.
 * @param stages - of the plan, in order
 * @param stage - the one that is asked for
 * @param known - listed by the tasks before
 * @returns the broadcasts that are new
 * @throws ConsiliumError BROADCAST_CHANGED, or FIELD_INVALID for broadcasts that the plan does not have
 */
export function checkBroadcasts<Listed extends BroadcastItem>(
  id: StudyId,
  stages: readonly StagePlan[],
  stage: StagePlan,
  known: readonly BroadcastItem[],
  listed: readonly Listed[],
): Listed[] {
  const changed = (what: AnySaid) =>
    fault("BROADCAST_CHANGED", "work.broadcast-changed", { study: id, what });
  const placeOf = (item: BroadcastItem) => `${item.stage} ${item.name}`;
  if (new Set(listed.map(placeOf)).size < listed.length) throw changed(said("work.listed-twice", {}));
  const unseen = new Map(known.map((item) => [placeOf(item), item] as const));
  const fresh: Listed[] = [];
  for (const item of listed) {
    const before = unseen.get(placeOf(item));
    if (before === undefined) fresh.push(item);
    else if (before.sha256 !== item.sha256 || before.length !== item.length)
      throw changed(said("work.was-changed", { name: nameOf(item.name), stage: item.stage }));
    unseen.delete(placeOf(item));
  }
  if (unseen.size > 0) throw changed(said("work.broadcast-missing", {}));
  const seenStages = new Set(known.map((item) => item.stage));
  const late = fresh.find((item) => item.stage !== stage.id && seenStages.has(item.stage));
  if (late !== undefined)
    throw changed(said("work.not-there-before", { name: nameOf(late.name), stage: late.stage }));

  const reached = stages.slice(0, stages.findIndex((one) => one.id === stage.id) + 1);
  for (const item of listed) {
    if (!reached.some((one) => one.id === item.stage))
      throw changed(said("work.before-its-turn", { stage: item.stage }));
  }
  for (const one of reached) {
    const own = listed.filter((item) => item.stage === one.id);
    // A study may do without a stage of its plan; the one that is asked for must be whole.
    if (own.length > 0 || one === stage) checkStage(id, one, own);
  }
  return fresh;
}

function checkStage(id: StudyId, stage: StagePlan, own: readonly BroadcastItem[]): void {
  const isPlanned = (item: BroadcastItem) =>
    stage.broadcasts.some((planned) => planned.name === item.name && planned.length === item.length);
  if (own.length === stage.broadcasts.length && own.every(isPlanned)) return;
  const planned = stage.broadcasts.map(({ name, length }) =>
    said("work.planned", { name: nameOf(name), length }),
  );
  throw fault("FIELD_INVALID", "work.other-broadcasts", { study: id, stage: stage.id, planned });
}
