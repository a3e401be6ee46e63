import type { SiteId } from "@consilium/core/ids";
import type { SitePresence, StudySiteView } from "@consilium/core/operator/views";
import type { Plan } from "@consilium/core/study/plan";
import type { OpenStep } from "./openStep.js";
import type { InvitedRecord, StudyRecord, StudyRecords } from "./records.js";
import { sumStageIds } from "./studyPlans.js";

/** Each site's state in the open step of a study, or at its end. */
export function siteStates(
  { id }: Pick<StudyRecord, "id">,
  parts: {
    readonly participants: readonly InvitedRecord[];
    readonly plan: Plan;
    readonly open: OpenStep | null;
    readonly records: StudyRecords;
    readonly presenceOf: (site: SiteId) => SitePresence;
  },
): StudySiteView[] {
  const { participants, plan, open, records, presenceOf } = parts;
  // Of every site with a part in the open step that says more.
  const isResting = participants.some(({ site }) => open?.sites.get(site) === undefined);
  const last = isResting ? records.attempts.lastSurvivors(id, sumStageIds(plan)) : null;
  const survivors = last === null ? null : new Set(last);
  const rosterFixed = participants.some((p) => p.onRoster);
  return participants.map((participant) => {
    const progress = open?.sites.get(participant.site);
    return {
      site: participant.site,
      presence: presenceOf(participant.site),
      state: progress?.state ?? restingState(participant, { rosterFixed, survivors }),
      workingSince: isoTime(progress?.workingSince ?? null),
      receivedBytes: progress?.receivedBytes ?? 0,
      expectedBytes: progress?.expectedBytes ?? 0,
      code: progress?.code ?? participant.refusalCode,
      mayPublishRefusal: participant.mayPublishRefusal,
    };
  });
}

function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

function restingState(
  participant: InvitedRecord,
  { rosterFixed, survivors }: { rosterFixed: boolean; survivors: ReadonlySet<SiteId> | null },
): StudySiteView["state"] {
  if (participant.onRoster) {
    return survivors === null || survivors.has(participant.site) ? "done" : "dropped";
  }
  if (participant.decision === "refused") return "refused";
  if (rosterFixed) return "left out";
  return participant.decision === "joined" ? "accepted" : "invited";
}
