import type { StudyId } from "@consilium/core/ids";
import type { StudyTimesView } from "@consilium/core/operator/views";
import type { StepRecord, StudyRecords } from "./records.js";

/** The step that an event answers; null for an event that is no answer. */
function stepOf(kind: string, detail: string): string | null {
  switch (kind) {
    case "joined":
      return "join";
    case "countersigned":
      return "countersign";
    case "posted":
    case "received":
      return detail.split(" ")[0]!;
    default:
      return null;
  }
}

/**
 * How long each site took to answer each step, of the newest attempt: from the events, which stay when the details of an old
 * study are removed. The times are the aggregator's; a site that was offline took as long as it was waited for.
 */
export function siteTimes(id: StudyId, records: Pick<StudyRecords, "steps" | "events">): StudyTimesView {
  const newest = new Map<string, StepRecord>();
  for (const step of records.steps(id)) newest.set(step.step, step);
  const seconds = new Map([...newest.keys()].map((step) => [step, {} as Record<string, number>]));
  const joinAt = newest.get("join")?.openedAt;
  const refused = new Map<string, { readonly seconds: number; readonly code: string }>();
  for (const { at, site, kind, detail } of records.events(id)) {
    if (kind === "refused" && site !== null && joinAt !== undefined && at >= joinAt && !refused.has(site))
      refused.set(site, { seconds: (at - joinAt) / 1000, code: detail });
    const step = stepOf(kind, detail);
    const opened = step === null ? undefined : newest.get(step);
    // An answer to an attempt before has another time.
    if (site === null || opened === undefined || at < opened.openedAt) continue;
    const bySite = seconds.get(opened.step)!;
    bySite[site] ??= (at - opened.openedAt) / 1000;
  }
  return {
    steps: [...seconds].map(([step, bySite]) => ({ id: step, seconds: bySite })),
    refused: [...refused].map(([site, refusal]) => ({ site, ...refusal })),
  };
}
