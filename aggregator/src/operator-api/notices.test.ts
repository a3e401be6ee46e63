import type { SiteView, StudySummary } from "@consilium/core/operator/views";
import { expect, it } from "vitest";
import { operatorLook, operatorNotices } from "./notices.js";

const at = (hour: number) => Date.UTC(2026, 2, 1) + hour * 3_600_000;
const iso = (hour: number) => new Date(at(hour)).toISOString();
const site = (change: Partial<SiteView>) =>
  ({ id: "st-mary", presence: "gone", lastSeenAt: iso(8), ...change }) as SiteView;
const study = (change: Partial<StudySummary>) =>
  ({ id: "pca-1", name: "pca", status: "failed", endedAt: iso(9), ...change }) as StudySummary;
const kindsOf = (change: Partial<Parameters<typeof operatorNotices>[0]>) =>
  operatorNotices({
    sites: () => [],
    studies: () => [],
    questions: () => [],
    now: () => at(10),
    startedAt: at(0),
    silentAfterMs: 3_600_000,
    ...change,
  }).map(({ kind, subject, occurrence }) => [kind, subject, occurrence]);

it("reports a site that is silent for as long as configured, and no other", () => {
  expect(kindsOf({ sites: () => [site({})] })).toEqual([["site-silent", "st-mary", iso(8)]]);
  for (const change of [
    { lastSeenAt: iso(9.5) },
    { presence: "online" as const },
    { presence: "slow" as const },
    { presence: "expelled" as const },
    { presence: "invited" as const, lastSeenAt: null },
  ])
    expect(kindsOf({ sites: () => [site(change)] })).toEqual([]);
});

it("counts silence from the aggregator's own start", () => {
  expect(kindsOf({ sites: () => [site({})], startedAt: at(9.5) })).toEqual([]);
  expect(kindsOf({ sites: () => [site({})], startedAt: at(9) })).toHaveLength(1);
});

it("reports studies that failed or were released", () => {
  expect(kindsOf({ studies: () => [study({}), study({ id: "pca-2", status: "released" })] })).toEqual([
    ["study-failed", "pca-1", iso(9)],
    ["study-released", "pca-2", iso(9)],
  ]);
  const [failed] = operatorNotices({
    sites: () => [],
    studies: () => [study({})],
    questions: () => [],
    now: () => at(10),
    startedAt: 0,
    silentAfterMs: 0,
  });
  expect(failed!.happenedAt).toBe(at(9));
  expect(
    kindsOf({ studies: () => [study({ status: "cancelled" }), study({ status: "running", endedAt: null })] }),
  ).toEqual([]);
});

it("reports each question of a hospital, by its study's name alone", () => {
  const question = { study: "pca-1", name: "pca", askedAt: at(9) };
  const asked = [
    { id: "ab", ...question },
    { id: "cd", ...question },
  ];
  expect(kindsOf({ questions: () => asked })).toEqual([
    ["question-asked", "pca-1", "ab"],
    ["question-asked", "pca-1", "cd"],
  ]);
});

it("looks at studies that ended since the last look, a week back at first", async () => {
  const asked: number[] = [];
  let now = at(10);
  let isBroken = false;
  const look = operatorLook(
    {
      note: () => {
        if (isBroken) throw new Error("no room");
      },
      deliver: async () => undefined,
    },
    {
      sites: () => [],
      now: () => now,
      startedAt: at(9),
      silentAfterMs: 0,
      endedSince: (since) => {
        asked.push(since);
        return [];
      },
      askedSince: () => [],
    },
  );
  await look();
  now = at(11);
  isBroken = true;
  await expect(look()).rejects.toThrow("no room");
  isBroken = false;
  now = at(12);
  await look();
  // What could not be noted is looked at again.
  expect(asked).toEqual([at(9 - 7 * 24), at(9), at(9)]);
});
