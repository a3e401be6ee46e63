import { ConsiliumError } from "@consilium/core/errors";
import type { StudyId } from "@consilium/core/ids";
import type { BroadcastItem } from "@consilium/core/study/broadcast";
import type { StagePlan } from "@consilium/core/study/plan";

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
  const changed = (what: string) => new ConsiliumError("BROADCAST_CHANGED", `study ${id}: ${what}`);
  const placeOf = (item: BroadcastItem) => `${item.stage} ${item.name}`;
  if (new Set(listed.map(placeOf)).size < listed.length) throw changed("a broadcast is listed twice");
  const unseen = new Map(known.map((item) => [placeOf(item), item] as const));
  const fresh: Listed[] = [];
  for (const item of listed) {
    const before = unseen.get(placeOf(item));
    if (before === undefined) fresh.push(item);
    else if (before.sha256 !== item.sha256 || before.length !== item.length)
      throw changed(`"${item.name}" of stage ${item.stage} was changed`);
    unseen.delete(placeOf(item));
  }
  if (unseen.size > 0) throw changed("an earlier broadcast is missing");
  const seenStages = new Set(known.map((item) => item.stage));
  const late = fresh.find((item) => item.stage !== stage.id && seenStages.has(item.stage));
  if (late !== undefined) throw changed(`"${late.name}" of stage ${late.stage} was not there before`);

  const reached = stages.slice(0, stages.findIndex((one) => one.id === stage.id) + 1);
  for (const item of listed) {
    if (!reached.some((one) => one.id === item.stage))
      throw changed(`stage ${item.stage} was broadcast before its turn`);
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
  const planned = stage.broadcasts.map(({ name, length }) => `${name} of ${length}`).join(", ") || "none";
  throw new ConsiliumError(
    "FIELD_INVALID",
    `study ${id}: stage ${stage.id} came with other broadcasts than its plan says (${planned})`,
  );
}
