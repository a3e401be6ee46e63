import type { StudyId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { studyDocument } from "@consilium/core/study/study";
import { parseStudy } from "@consilium/methods/testing/studies";
import { createLogger } from "@consilium/runtime/log";
import type { RetentionSettings } from "@consilium/runtime/retention/settings";
import type { Store } from "@consilium/runtime/store/store";
import { openTestStore } from "@consilium/runtime/testing/store/store";
import { describe, expect, it } from "vitest";
import { migrations } from "../store/schema.js";
import { StudyRecords } from "./records.js";
import { Retention } from "./retention.js";

const day = 86_400_000;
const now = 1_000 * day;
const log = createLogger({ service: "test", level: "silent" });
const detailTables = ["posts", "uploads", "broadcasts", "results", "sum_events"];

function fill(
  store: Store,
  studies: readonly (readonly [id: string, status: string, daysAgo: number, text?: string])[],
) {
  for (const [id, status, daysAgo, text = "{}"] of studies) {
    store.run(
      "INSERT INTO studies (id, name, text, hash, software, status, created_at, ended_at) VALUES (?, ?, ?, 'h', '0', ?, 0, ?)",
      id,
      id,
      text,
      status,
      status === "running" ? null : now - daysAgo * day,
    );
    store.run("INSERT INTO participants (study, site) VALUES (?, 'a')", id);
    store.run(
      "INSERT INTO posts (study, step, attempt, site, public_part, signature, envelopes) VALUES (?, 's', 1, 'a', ?, ?, '{}')",
      id,
      new Uint8Array(1),
      new Uint8Array(1),
    );
    store.run(
      "INSERT INTO uploads (study, step, attempt, site, bytes, sha256) VALUES (?, 's', 1, 'a', 1, 'h')",
      id,
    );
    store.run(
      "INSERT INTO broadcasts (study, stage, position, name, length, sha256) VALUES (?, 's', 0, 'n', 1, 'h')",
      id,
    );
    store.run("INSERT INTO results (study, step, value) VALUES (?, 's', '1')", id);
    store.run(
      "INSERT INTO sum_events (study, stage, attempt, kind, body) VALUES (?, 's', 1, 'keys', '{}')",
      id,
    );
    store.run("INSERT INTO events (at, study, kind) VALUES (1, ?, 'opened')", id);
    store.run("INSERT INTO countersignatures (study, site, body) VALUES (?, 'a', 'signed')", id);
  }
}

function retentionOf(store: Store, settings: RetentionSettings) {
  const records = new StudyRecords(store);
  const studies = {
    cancel: (id: StudyId) => {
      records.end(id, { status: "cancelled", at: now, code: "STUDY_CANCELLED", message: "" });
      return undefined as never;
    },
  };
  return new Retention({ store, records, studies, settings, now: () => now, log });
}

const dump = (store: Store) =>
  ["studies", "participants", "countersignatures", ...detailTables].map((table) =>
    store.all(`SELECT * FROM ${table}`).map((row) => JSON.stringify(row)),
  );
const audited = (store: Store) =>
  store
    .all("SELECT study, kind FROM events WHERE kind LIKE 'removed%' ORDER BY id")
    .map(({ study, kind }) => [study, kind]);
const detailsOf = (store: Store, study: string) =>
  detailTables.map((table) => store.all(`SELECT * FROM ${table} WHERE study = ?`, study).length);

const all = [
  ["failed-old", "failed", 31],
  ["failed-new", "failed", 29],
  ["released-old", "released", 401],
  ["released-new", "released", 399],
  ["cancelled-old", "cancelled", 500],
  ["running", "running", 0],
] as const;
const settings: RetentionSettings = { failedStudies: 30 * day, studyRecords: 400 * day };

describe("retention at the aggregator", () => {
  it("shows what is due, and removes just that", () => {
    const store = openTestStore(migrations);
    fill(store, all);
    const retention = retentionOf(store, settings);
    const due = [
      { study: "failed-old", what: "working data" },
      { study: "cancelled-old", what: "study records" },
      { study: "released-old", what: "study records" },
    ];
    const before = dump(store);
    expect(retention.due()).toEqual(due);
    expect(dump(store)).toEqual(before);
    expect(retention.run()).toEqual(due);
    expect(retention.due()).toEqual([]);
    expect(detailsOf(store, "released-old")).toEqual([0, 0, 0, 0, 0]);
    expect(detailsOf(store, "cancelled-old")).toEqual([0, 0, 0, 0, 0]);
    for (const kept of ["failed-new", "released-new", "running"])
      expect(detailsOf(store, kept), kept).toEqual([1, 1, 1, 1, 1]);
    expect(store.get("SELECT status FROM studies WHERE id = 'failed-old'")?.status).toBe("cancelled");
    // Permanently: what the study was, who took part, the audit log, the countersignatures of the certificate.
    expect(store.all("SELECT * FROM studies").length).toBe(6);
    expect(store.all("SELECT * FROM participants").length).toBe(6);
    expect(store.all("SELECT * FROM events WHERE kind = 'opened'").length).toBe(6);
    expect(store.all("SELECT * FROM countersignatures").length).toBe(6);
    expect(audited(store)).toEqual([
      ["failed-old", "removed working data"],
      ["cancelled-old", "removed study records"],
      ["released-old", "removed study records"],
    ]);
  });

  it("removes nothing that nobody limits", () => {
    const store = openTestStore(migrations);
    fill(store, all);
    expect(retentionOf(store, {}).run()).toEqual([]);
  });

  it("keeps a failed study for the shorter of its own period and the configured one", () => {
    const { text } = studyDocument(
      unwrap(
        parseStudy({
          name: "s",
          table: "t",
          analysis: "pca",
          method: "elfed-pca",
          variant: "paper",
          privacy: "none",
          parameters: { components: 1 },
          participation: { maxRowsPerSite: 100, resumableFor: "10d" },
          features: ["a", "b"].map((name) => ({ name, type: "numeric", min: 0, max: 1 })),
        }),
      ),
    );
    expect(text).toContain('"resumableFor":"864000000ms"');
    for (const [failedStudies, daysAgo, isDue] of [
      [undefined, 11, true],
      [undefined, 9, false],
      [30 * day, 11, true],
      [5 * day, 9, true],
      [5 * day, 4, false],
    ] as const) {
      const store = openTestStore(migrations);
      fill(store, [["s", "failed", daysAgo, text]]);
      const due = retentionOf(store, failedStudies === undefined ? {} : { failedStudies }).due();
      expect(due.length, `${failedStudies} ${daysAgo}`).toBe(isDue ? 1 : 0);
    }
  });

  it("comes to the same when it stops at any write and begins again", () => {
    const reference = openTestStore(migrations);
    fill(reference, all);
    retentionOf(reference, settings).run();
    let stops = 0;
    for (let write = 1; ; write++) {
      const store = openTestStore(migrations);
      fill(store, all);
      let writes = 0;
      const failing: Store = Object.create(store, {
        run: {
          value: (sql: string, ...values: never[]) => {
            if (++writes >= write) throw new Error("stopped");
            return store.run(sql, ...values);
          },
        },
      }) as Store;
      for (const method of ["all", "get", "transaction"] as const)
        Object.defineProperty(failing, method, { value: store[method].bind(store) });
      retentionOf(failing, settings).run();
      const isWhole = writes < write;
      if (!isWhole) stops++;
      retentionOf(store, settings).run();
      expect(dump(store)).toEqual(dump(reference));
      expect(audited(store).toSorted()).toEqual(audited(reference).toSorted());
      if (isWhole) break;
    }
    expect(stops).toBeGreaterThan(10);
  });
});
