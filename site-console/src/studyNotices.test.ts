import type { OfferedStudyView } from "@consilium/core/hospital/studyViews";
import type { Notice, Notifications } from "@consilium/runtime/notify/notifications";
import { expect, it } from "vitest";
import { fakeAgent } from "../testing/console.js";
import { answerNotices, notifyOfStudies, studyNotices } from "./studyNotices.js";

const day = 86_400_000;
const start = Date.UTC(2026, 2, 1);
const iso = (days: number) => new Date(start + days * day).toISOString();
const study = (change: Partial<OfferedStudyView>) =>
  ({
    id: "pca-1",
    name: "pca",
    status: "waiting for approval",
    firstSeenAt: iso(0),
    approveUntil: iso(10),
    ...change,
  }) as OfferedStudyView;
const kindsOn = (days: number, change: Partial<OfferedStudyView> = {}) =>
  studyNotices([study(change)], { now: start + days * day, reminderBeforeMs: day }).map(({ kind }) => kind);

it("tells of a study that waits, reminds before its deadline, and is silent afterwards", () => {
  expect(kindsOn(0)).toEqual(["study-waiting"]);
  expect(kindsOn(8.9)).toEqual(["study-waiting"]);
  expect(kindsOn(9)).toEqual(["study-waiting", "approval-reminder"]);
  expect(kindsOn(10)).toEqual([]);
  expect(kindsOn(9, { status: "joined" })).toEqual([]);
  expect(kindsOn(9, { approveUntil: null })).toEqual(["study-waiting"]);
});

it("does not remind in the first half of a short time", () => {
  expect(kindsOn(0.24, { approveUntil: iso(0.5) })).toEqual(["study-waiting"]);
  expect(kindsOn(0.25, { approveUntil: iso(0.5) })).toEqual(["study-waiting", "approval-reminder"]);
});

it("finds every study that waits, on whichever page", async () => {
  const older = study({ id: "old-1", name: "old" });
  const pages = new Map([
    [undefined, [study({}), study({ id: "done-1", status: "joined" })]],
    ["done-1", [older]],
  ]);
  const { agent, asked } = fakeAgent({
    changes: { waiting: 2 },
    studies: ({ after }: { after?: string }) => pages.get(after) ?? [],
    answered: [{ id: "ab", study: "done-1", name: "done", answeredAt: iso(-1) }],
    status: {
      studies: [
        { id: "few-1", name: "few", fewUsed: { used: 1, meant: 9 } },
        { id: "done-1", name: "done", fewUsed: null },
      ],
    },
  });
  const noted: Notice[] = [];
  const notifications = {
    note: (notices: readonly Notice[]) => noted.push(...notices),
    deliver: async () => undefined,
  } as unknown as Notifications;
  await notifyOfStudies({ agent, notifications, reminderBeforeMs: day, now: () => start });
  expect(noted.map(({ kind, path }) => [kind, path])).toEqual([
    ["study-waiting", "/studies/pca-1"],
    ["study-waiting", "/studies/old-1"],
    ["few-rows-used", "/studies/few-1"],
    ["question-answered", "/studies/done-1"],
  ]);
  expect(asked.map(([name]) => name)).toEqual(["changes", "studies", "studies", "status", "answered"]);
  expect(asked.at(-1)![1]).toEqual({ since: start - 7 * day });
});

it("tells of each answer once, by the study's name alone", () => {
  const answered = { id: "ab", study: "pca-1", name: "pca", answeredAt: iso(1) };
  expect(answerNotices([answered])).toEqual([
    {
      kind: "question-answered",
      subject: "pca-1",
      occurrence: "ab",
      name: "pca",
      path: "/studies/pca-1",
      until: null,
      happenedAt: start + day,
    },
  ]);
});
