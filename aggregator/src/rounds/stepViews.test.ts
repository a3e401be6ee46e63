import type { Sha256, SiteId, StageId, StudyId } from "@consilium/core/ids";
import type { Plan } from "@consilium/core/study/plan";
import { openTestStore } from "@consilium/runtime/testing/store/store";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { migrations } from "../store/schema.js";
import { StudyRecords } from "./records.js";
import { StepHistory, stepViews } from "./stepViews.js";

const id = "x-0123456789" as StudyId;
const sites = ["hospital-a", "hospital-b"] as SiteId[];
const hash = "ab".repeat(32) as Sha256;
const plan = {
  masking: "pairwise",
  setup: [],
  stages: ["first", "second"].map((stage) => ({ id: stage, kind: "sum" })),
} as unknown as Plan;

describe("a running study's steps", () => {
  let store: ReturnType<typeof openTestStore>;
  let records: StudyRecords;
  let reads: unknown[][];
  beforeEach(() => {
    store = openTestStore(migrations);
    reads = [];
    const all: typeof store.all = (sql, ...values) => {
      const rows = store.all(sql, ...values);
      if (/FROM (steps|uploads)/.test(sql)) reads.push(rows);
      return rows;
    };
    records = new StudyRecords({
      ...store,
      run: store.run.bind(store),
      get: store.get.bind(store),
      all,
      transaction: store.transaction.bind(store),
    });
    records.create({ id, name: "x", text: "{}", hash, software: "0.1.0", createdAt: 1, sites });
  });
  afterEach(() => store.close());

  const open = (step: string, at: number, attempt = 1) =>
    records.openStep(id, step as StageId, step.includes("-") ? "unmask" : "sum", attempt, at);
  const close = (step: string, at: number, attempt = 1) =>
    records.closeStep(id, step as StageId, attempt, at);
  const upload = (step: string, site: SiteId, attempt = 1) => {
    records.beginUpload(id, step as StageId, attempt, { site, bytes: 3, sha256: hash });
    records.completeUpload(id, step as StageId, attempt, { site, content: null, at: 2 });
  };

  it("are the same whatever a view before has shown of them", () => {
    const history = new StepHistory();
    const changes: (() => void)[] = [
      () => open("first", 10),
      () => upload("first", sites[0]!),
      () => upload("first", sites[1]!),
      () => close("first", 20),
      () => open("first-unmask", 20),
      () =>
        records.attempts.dropped(id, {
          step: "first-unmask" as StageId,
          attempt: 1,
          site: sites[1]!,
          code: null,
        }),
      () => close("first-unmask", 30),
      () => open("second", 30),
      () => close("second", 40),
      // The attempt has failed, and another one is made.
      () => open("second-unmask", 40),
      () => open("second", 50, 2),
      () => upload("second", sites[0]!, 2),
      () => close("second", 60, 2),
    ];
    const record = records.study(id)!;
    for (const [i, change] of changes.entries()) {
      change();
      const views = stepViews(record, plan, records, 70, history);
      expect(views, `after change ${i}`).toEqual(stepViews(record, plan, records, 70));
    }
  });

  it("are read once, when they are done", () => {
    const history = new StepHistory();
    const record = records.study(id)!;
    open("first", 10);
    for (const site of sites) upload("first", site);
    close("first", 20);
    open("first-unmask", 20);
    stepViews(record, plan, records, 70, history);
    reads = [];
    const received = stepViews(record, plan, records, 70, history).find(
      (step) => step.id === "first",
    )?.received;
    expect(received).toEqual({ "hospital-a": 3, "hospital-b": 3 });
    expect(reads.flat()).toMatchObject([{ step: "first-unmask" }]);
  });
});
