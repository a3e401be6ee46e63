import type { SiteId } from "@consilium/core/ids";
import type { RunningStudyView } from "@consilium/core/operator/consoleViews";
import type { SitePresence, StepView, StudySummary } from "@consilium/core/operator/views";
import type { OpenStep } from "./openStep.js";
import type { InvitedRecord } from "./records.js";

/** A summary of a running study. */
export function runningStudy(
  summary: StudySummary,
  parts: {
    readonly minimumSites: number;
    readonly participants: readonly InvitedRecord[];
    readonly open: OpenStep | null;
    readonly steps: readonly StepView[];
    readonly presenceOf: (site: SiteId) => SitePresence;
  },
): RunningStudyView {
  const { open, steps } = parts;
  const roster = parts.participants.filter(({ onRoster }) => onRoster);
  const sites = (roster.length > 0 ? roster : parts.participants).map(({ site }) => site);
  const isWaiting = open !== null && (open.missing.length > 0 || open.kind === "deposit");
  return {
    ...summary,
    minimumSites: parts.minimumSites,
    participants: sites,
    online: sites.filter((site) => parts.presenceOf(site) === "online").length,
    step: open?.id ?? null,
    waitingFor: open?.missing ?? [],
    deadlineAt: isWaiting ? new Date(open.deadlineAt).toISOString() : null,
    stepsDone: steps.filter(({ status }) => status === "done").length,
    steps: steps.length,
  };
}
