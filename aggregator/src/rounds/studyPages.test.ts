import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sha256, SiteId, StudyId } from "@consilium/core/ids";
import { studyQuery } from "@consilium/core/operator/views";
import { openPostgresStore } from "@consilium/runtime/store/postgresStore";
import { openStore, type Store } from "@consilium/runtime/store/store";
import { openTestStore, testPostgresOptions } from "@consilium/runtime/testing/store/store";
import { afterAll, describe, expect, it } from "vitest";
import { migrations } from "../store/schema.js";
import { type StudyPage, StudyRecords } from "./records.js";

const hash = "ab".repeat(32) as Sha256;
const folder = mkdtempSync(join(tmpdir(), "consilium-pages-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const kinds = [
  { analysis: "pca", method: "dp-pca", variant: "sound" },
  { analysis: "trees", method: "xgb-ka", variant: "paper" },
] as const;
const sites = ["a-one", "b-two", "c-three"] as SiteId[];

/** Every second study is without privacy; every text speaks of it. */
const textOf = (n: number) =>
  JSON.stringify({
    ...kinds[n % 2],
    privacy: n % 2 === 0 ? { epsilon: 1 } : "none",
    release: { title: '"privacy":"none"' },
  });

/** Twelve studies, two at a time created together; every third runs, the others have ended. */
function twelve(): StudyRecords {
  const records = new StudyRecords(openTestStore(migrations));
  for (let n = 0; n < 12; n++) {
    const id = `s-${String((n * 7) % 12).padStart(2, "0")}` as StudyId;
    records.create({
      id,
      name: n < 6 ? "first 100%" : "second",
      text: textOf(n),
      hash,
      software: "0.1.0",
      createdAt: 1_000 * Math.floor(n / 2),
      sites,
    });
    if (n === 1) records.fixRoster(id, sites.slice(0, 2));
    if (n % 3 !== 0) records.end(id, { status: n % 2 === 0 ? "released" : "failed", at: 50_000 - 10 * n });
  }
  return records;
}

const listed = (records: StudyRecords, asked: Partial<StudyPage> = {}) =>
  records.listed({ ...studyQuery.omit({ status: true }).parse({}), ...asked })!;

describe("a page of studies", () => {
  const records = twelve();
  const all = listed(records).studies;

  it("shows of a study what a list needs, with who takes part", () => {
    expect(all).toHaveLength(12);
    expect(all.find(({ id }) => id === "s-07")).toEqual({
      id: "s-07",
      name: "first 100%",
      ...kinds[1],
      status: "failed",
      sites: 2,
      createdAt: 0,
      endedAt: 49_990,
      releaseUrl: null,
      withoutPrivacy: 1,
    });
    expect(all.find(({ id }) => id === "s-00")).toMatchObject({
      status: "inviting",
      sites: 3,
      endedAt: null,
      withoutPrivacy: 0,
    });
  });

  it.each(["newest", "oldest", "ended", "name", "longest"] as const)(
    "has every study once, %s first, however long the pages are",
    (order) => {
      const whole = listed(records, { order }).studies.map(({ id }) => id);
      expect([...whole].sort()).toEqual(all.map(({ id }) => id).sort());
      for (const limit of [1, 5, 12]) {
        const paged: StudyId[] = [];
        for (;;) {
          const { studies, total } = listed(records, { order, limit, after: paged.at(-1) });
          expect(total).toBe(12);
          if (studies.length === 0) break;
          paged.push(...studies.map(({ id }) => id));
        }
        expect(paged).toEqual(whole);
      }
    },
  );

  it("is in the order that was asked for", () => {
    const by = (order: StudyPage["order"]) => listed(records, { order }).studies;
    const isSorted = (values: readonly number[]) =>
      values.every((value, i) => i === 0 || values[i - 1]! >= value);
    expect(isSorted(by("newest").map(({ createdAt }) => createdAt))).toBe(true);
    expect(isSorted(by("oldest").map(({ createdAt }) => -createdAt))).toBe(true);
    expect(isSorted(by("ended").map(({ endedAt }) => endedAt ?? Number.MAX_VALUE))).toBe(true);
    const lasted = by("longest").map(({ endedAt, createdAt }) => (endedAt ?? Number.MAX_VALUE) - createdAt);
    expect(isSorted(lasted)).toBe(true);
    expect(by("ended").filter(({ endedAt }) => endedAt === null)).toHaveLength(4);
  });

  it("leaves what a query asks for, and says how many there are", () => {
    const of = (asked: Partial<StudyPage>) => {
      const { total, studies } = listed(records, { ...asked, limit: 3 });
      expect(studies).toHaveLength(Math.min(3, total));
      return total;
    };
    expect(of({ status: ["inviting"] })).toBe(4);
    expect(of({ status: ["inviting", "failed"] })).toBe(8);
    expect(of({ method: "xgb-ka" })).toBe(6);
    expect(of({ analysis: "pca", variant: "paper" })).toBe(0);
    expect(of({ name: "First" })).toBe(6);
    expect(of({ id: "s-0" })).toBe(10);
    expect(of({ q: "s-1 PCA" })).toBe(1);
    expect(of({ endedSince: 49_950 })).toBe(4);
    // What LIKE would take for any text is the text itself.
    expect([of({ name: "100%" }), of({ name: "1_0" }), of({ name: "%d" }), of({ q: "!" })]).toEqual([
      6, 0, 0, 0,
    ]);
  });

  it("follows no study that there is not", () => {
    expect(records.listed({ order: "newest", limit: 3, after: "s-99" })).toBeNull();
  });

  it("counts studies by their status", () => {
    expect(Object.fromEntries(records.counts())).toEqual({ inviting: 4, released: 4, failed: 4 });
  });
});

it("lists studies of earlier software by their kind, which is read from their texts once", () => {
  const url = process.env.CONSILIUM_TEST_STORE;
  const options = url === undefined ? null : testPostgresOptions(url);
  const open = (upTo: readonly string[]): Store =>
    options === null ? openStore(join(folder, "state.db"), upTo) : openPostgresStore(options, upTo);
  const at = migrations.findIndex((one) => one.includes("CREATE INDEX studies_newest"));
  const before = open(migrations.slice(0, at));
  const add = (id: string, text: string) =>
    before.run(
      `INSERT INTO studies (id, name, text, hash, software, status, created_at, ended_at)
       VALUES (?, 'old', ?, 'h', '0.1.0', 'released', 1, 2)`,
      id,
      text,
    );
  add("old-1", JSON.stringify({ name: "old", ...kinds[0], features: [{ name: "a" }] }));
  add("old-2", JSON.stringify({ name: "old", ...kinds[1] }));
  add("old-3", "{}");
  before.run("INSERT INTO participants (study, site) VALUES ('old-1', 'a-one')");
  before.close();
  const store = open(migrations);
  const records = new StudyRecords(store);
  expect(
    listed(records, { order: "name" }).studies.map(({ id, analysis, method, variant, sites: joined }) => [
      id,
      analysis,
      method,
      variant,
      joined,
    ]),
  ).toEqual([
    ["old-1", "pca", "dp-pca", "sound", 1],
    ["old-2", "trees", "xgb-ka", "paper", 0],
    ["old-3", "", "", "", 0],
  ]);
  expect(listed(records, { method: "dp-pca" }).total).toBe(1);
  store.close();
});
