import type { AnsweredView } from "@consilium/core/hospital/questionViews";
import type { SiteStatusView } from "@consilium/core/hospital/statusViews";
import type { OfferedStudyView } from "@consilium/core/hospital/studyViews";
import type { HospitalAgent } from "@consilium/runtime/agent/hospitalAgent";
import type { Notice, Notifications } from "@consilium/runtime/notify/notifications";

/** Kinds of which every look has all events. */
const lasting = ["study-waiting", "approval-reminder", "few-rows-used"] as const;

/** A reminder is not sent in the first half of the time that approvers have. */
export function studyNotices(
  studies: readonly OfferedStudyView[],
  { now, reminderBeforeMs }: { readonly now: number; readonly reminderBeforeMs: number },
): Notice[] {
  return studies.flatMap(({ id, name, status, firstSeenAt, approveUntil }) => {
    if (status !== "waiting for approval") return [];
    const until = approveUntil === null ? null : Date.parse(approveUntil);
    if (until !== null && until <= now) return [];
    const notice = {
      subject: id,
      name,
      path: `/studies/${id}`,
      occurrence: approveUntil ?? "",
      until,
      happenedAt: null,
    };
    const remindAt =
      until === null ? null : Math.max(until - reminderBeforeMs, (Date.parse(firstSeenAt) + until) / 2);
    const isSoon = remindAt !== null && now >= remindAt;
    return [
      { ...notice, kind: "study-waiting" },
      ...(isSoon ? [{ ...notice, kind: "approval-reminder" } as const] : []),
    ];
  });
}

/** Of studies that were joined without a person and use few of the hospital's rows. */
export function fewRowsNotices(studies: SiteStatusView["studies"]): Notice[] {
  return studies.flatMap(({ id, name, fewUsed }) =>
    fewUsed === null
      ? []
      : [
          {
            kind: "few-rows-used",
            subject: id,
            occurrence: "",
            name,
            path: `/studies/${id}`,
            until: null,
            happenedAt: null,
          },
        ],
  );
}

export function answerNotices(answered: readonly AnsweredView[]): Notice[] {
  return answered.map(({ id, study, name, answeredAt }) => ({
    kind: "question-answered",
    subject: study,
    occurrence: id,
    name,
    path: `/studies/${study}`,
    until: null,
    happenedAt: Date.parse(answeredAt),
  }));
}

/** Answers so long before the last look are looked at again: what is noted is noted once. */
const lookBackMs = 7 * 86_400_000;

/** Asks the agent which studies wait and which questions were answered, and sends what is due. */
export async function notifyOfStudies(options: {
  readonly agent: Pick<HospitalAgent, "changes" | "studies" | "answered" | "status">;
  readonly notifications: Notifications;
  readonly reminderBeforeMs: number;
  readonly now: () => number;
}): Promise<void> {
  const { agent, notifications, reminderBeforeMs, now } = options;
  const waiting = studyNotices(await waitingStudies(agent), { now: now(), reminderBeforeMs });
  const { studies } = await agent.status({});
  notifications.note([...waiting, ...fewRowsNotices(studies)], lasting);
  notifications.note(answerNotices(await agent.answered({ since: Math.max(0, now() - lookBackMs) })), []);
  await notifications.deliver();
}

/** The agent lists studies newest first, page by page, and says how many wait. */
async function waitingStudies(
  agent: Pick<HospitalAgent, "changes" | "studies">,
): Promise<OfferedStudyView[]> {
  const { waiting } = await agent.changes({});
  const found: OfferedStudyView[] = [];
  let page: readonly OfferedStudyView[] = [];
  while (found.length < waiting) {
    const after = page.at(-1)?.id;
    page = await agent.studies(after === undefined ? {} : { after });
    if (page.length === 0) break;
    found.push(...page.filter(({ status }) => status === "waiting for approval"));
  }
  return found;
}
