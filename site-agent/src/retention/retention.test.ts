import type { StudyId } from "@consilium/core/ids";
import { createLogger } from "@consilium/runtime/log";
import { openStore, type Store } from "@consilium/runtime/store/store";
import { describe, expect, it } from "vitest";
import { migrations } from "../store/schema.js";
import { SiteRecords } from "../studies/records.js";
import { removeOldData } from "./retention.js";

const day = 86_400_000;
const now = 1_000 * day;
const log = createLogger({ service: "test", level: "silent" });
const detailTables = ["answers", "broadcasts", "sums", "sum_posts"];
const keptTables = ["ledger", "egress", "approvals"];

interface Given {
  readonly id: string;
  readonly status: string;
  readonly endedDaysAgo?: number;
  readonly sentDaysAgo?: number;
  readonly text?: string;
}

function fill(store: Store, studies: readonly Given[]): void {
  const bytes = new Uint8Array(1);
  for (const { id, status, endedDaysAgo, sentDaysAgo = 1, text = "{}" } of studies) {
    store.run(
      `INSERT INTO studies (id, hash, text, name, status, exchange_key, exchange_secret, first_seen_at, ended_at, roster)
       VALUES (?, 'h', ?, ?, ?, ?, ?, 0, ?, '[]')`,
      id,
      text,
      id,
      status,
      bytes,
      bytes,
      endedDaysAgo === undefined ? null : now - endedDaysAgo * day,
    );
    store.run(
      `INSERT INTO answers (study, step, attempt, kind, input_hash, bytes, sha256, created_at, content)
       VALUES (?, 's', 1, 'vector', 'h', 1, 'h', 0, ?)`,
      id,
      bytes,
    );
    store.run("INSERT INTO broadcasts (study, stage, name, length, sha256) VALUES (?, 's', 'n', 1, 'h')", id);
    store.run("INSERT INTO sums (study, stage, attempt, state) VALUES (?, 's', 1, ?)", id, bytes);
    store.run(
      "INSERT INTO sum_posts (study, stage, attempt, phase, input_hash, post) VALUES (?, 's', 1, 'keys', 'h', '{}')",
      id,
    );
    store.run(
      "INSERT INTO egress (at, study, step, what, bytes, sha256) VALUES (?, ?, 's', 'vector', 1, 'h')",
      now - sentDaysAgo * day,
      id,
    );
    store.run("INSERT INTO approvals (study, deadline_at, decision) VALUES (?, 0, 'approved')", id);
  }
  store.run("INSERT INTO ledger (sequence, entry, hash, signature) VALUES (1, '{}', 'h', ?)", bytes);
}

/** @param isKilled - the process ends before a study's data are removed */
async function run(store: Store, raw: unknown, isKilled = false): Promise<void> {
  const records = new SiteRecords(store);
  const participant = {
    handle: (message: { kind: string; studyId?: StudyId }) => {
      if (!isKilled) records.end(message.studyId!, "cancelled", now);
    },
    idle: async () => undefined,
  };
  await removeOldData(raw, { store, records, participant, now: () => now, log });
}

const rows = (store: Store, table: string) =>
  store.all(`SELECT * FROM ${table}`).map((row) => JSON.stringify(row));
const dump = (store: Store) => ["studies", ...detailTables, ...keptTables].map((table) => rows(store, table));
const statusOf = (store: Store, id: string) =>
  store.get("SELECT status FROM studies WHERE id = ?", id)?.status;
const detailsOf = (store: Store, id: string) =>
  detailTables.map((table) => store.all(`SELECT * FROM ${table} WHERE study = ?`, id).length);
const audited = (store: Store) =>
  store
    .all("SELECT study, kind, actor FROM trail ORDER BY id")
    .map(({ study, kind, actor }) => [study, kind, actor]);

const all: readonly Given[] = [
  { id: "failed-old", status: "waiting", sentDaysAgo: 31 },
  { id: "failed-new", status: "waiting", sentDaysAgo: 29 },
  { id: "running-old", status: "joined", sentDaysAgo: 90 },
  { id: "released-old", status: "released", endedDaysAgo: 401 },
  { id: "released-new", status: "released", endedDaysAgo: 399 },
];
const raw = { failedStudies: "30d", studyRecords: "400d" };

describe("retention at a site", () => {
  it("removes what a failed study keeps, and details of old ones; never what a running one needs", async () => {
    const store = openStore(":memory:", migrations);
    fill(store, all);
    const kept = keptTables.map((table) => rows(store, table));
    await run(store, raw);
    expect(statusOf(store, "failed-old")).toBe("cancelled");
    expect(store.get("SELECT exchange_secret AS s FROM studies WHERE id = 'failed-old'")?.s).toBeNull();
    expect(statusOf(store, "failed-new")).toBe("waiting");
    expect(detailsOf(store, "released-old")).toEqual([0, 0, 0, 0]);
    expect(store.get("SELECT text, name FROM studies WHERE id = 'released-old'")).toMatchObject({
      text: "",
      name: "released-old",
    });
    for (const id of ["failed-new", "running-old", "released-new"])
      expect(detailsOf(store, id), id).toEqual([1, 1, 1, 1]);
    expect(keptTables.map((table) => rows(store, table))).toEqual(kept);
    expect(audited(store)).toEqual([
      ["failed-old", "removed working data", "retention"],
      ["released-old", "removed study records", "retention"],
    ]);
    // Nothing is left to do.
    const after = dump(store);
    await run(store, raw);
    expect(dump(store)).toEqual(after);
    expect(audited(store).length).toBe(2);
  });

  it("holds to a study's own shorter period", async () => {
    const store = openStore(":memory:", migrations);
    const text = JSON.stringify({ participation: { resumableFor: "864000000ms" } });
    fill(store, [
      { id: "a", status: "waiting", sentDaysAgo: 11, text },
      { id: "b", status: "waiting", sentDaysAgo: 9, text },
    ]);
    await run(store, raw);
    expect([statusOf(store, "a"), statusOf(store, "b")]).toEqual(["cancelled", "waiting"]);
  });

  it("continues after a kill before the removal, with one line in the audit log", async () => {
    const store = openStore(":memory:", migrations);
    fill(store, all);
    await run(store, raw, true);
    expect(statusOf(store, "failed-old")).toBe("waiting");
    await run(store, raw);
    expect(statusOf(store, "failed-old")).toBe("cancelled");
    expect(audited(store).filter(([study]) => study === "failed-old").length).toBe(1);
  });

  it("refuses a period that is too short, or an unknown key", async () => {
    const store = openStore(":memory:", migrations);
    await expect(run(store, { failedStudies: "10m" })).rejects.toThrow("1h or more");
    await expect(run(store, { failedStudy: "30d" })).rejects.toThrow("did you mean");
  });
});
