import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StudyId } from "@consilium/core/ids";
import { openStore } from "@consilium/runtime/store/store";
import { afterAll, describe, expect, it } from "vitest";
import { EgressLog } from "../ledger/egressLog.js";
import { AuditLog } from "../socket/auditLog.js";
import { SiteRecords } from "../studies/records.js";
import { reclaimSpace } from "./reclaim.js";
import { migrations } from "./schema.js";

const folder = mkdtempSync(join(tmpdir(), "consilium-migrated-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Of the software that stored every text. */
const before = migrations.slice(0, -11);

const studyText = (length: number) =>
  JSON.stringify({
    table: "visits",
    analysis: "pca",
    method: "dp-pca",
    variant: "sound",
    pad: "x".repeat(length),
  });

describe("a store of earlier software", () => {
  it("is trimmed: texts of refused and of long cancelled studies go, the rest stays", () => {
    const path = join(folder, "state.db");
    const old = openStore(path, before);
    const add = (
      id: string,
      status: string,
      text: string,
      more: { joined?: boolean; ended?: boolean } = {},
    ) =>
      old.run(
        `INSERT INTO studies (id, hash, text, name, status, local_code, exchange_key, first_seen_at, ended_at)
         VALUES (?, 'h', ?, 'vitals', ?, 'POLICY_ANALYSIS', ?, 1, ?)`,
        id,
        text,
        status,
        more.joined ? new Uint8Array(32) : null,
        more.ended ? 2 : null,
      );
    for (let n = 0; n < 20; n++) add(`refused-${n}`, "refused", studyText(1_400_000));
    add("by-person", "refused", studyText(10));
    old.run("INSERT INTO approvals (study, deadline_at, decision) VALUES ('by-person', 1, 'refused')");
    add("released", "released", studyText(1_000_000), { joined: true, ended: true });
    add("without-us", "released", studyText(10), { ended: true });
    add("cancelled-long", "cancelled", studyText(100_000), { joined: true, ended: true });
    add("cancelled-short", "cancelled", studyText(10), { joined: true, ended: true });
    add("waiting", "waiting for approval", studyText(1_000_000));
    old.run(
      "INSERT INTO egress (at, study, step, what, bytes, sha256) VALUES (7, 'released', 's', 'masked vector', 8, 'h')",
    );
    old.close();
    expect(statSync(path).size).toBeGreaterThan(28_000_000);

    const store = openStore(path, migrations);
    const records = new SiteRecords(store);
    const kept = (id: string) => records.study(id as StudyId)!.text !== "";
    expect(
      records
        .studies()
        .filter(({ id }) => kept(id))
        .map(({ id }) => id as string)
        .sort(),
    ).toEqual(["by-person", "cancelled-short", "released", "waiting"]);
    expect(records.study("refused-3" as StudyId)).toMatchObject({
      table: "visits",
      analysis: "pca",
      method: "dp-pca",
      variant: "sound",
      localCode: "POLICY_ANALYSIS",
      // Its text was not kept: nothing says it.
      privacy: "",
    });
    expect(new EgressLog(store).entries()).toMatchObject([
      { at: 7, lastAt: 7, messages: 1, isChained: false },
    ]);
    expect(reclaimSpace(store)).toBe(true);
    expect(reclaimSpace(store)).toBe(false);
    store.close();
    expect(statSync(path).size).toBeLessThan(4_000_000);
  });

  it("says of studies under way that hold to a table approved before that their approval has lapsed", () => {
    const path = join(folder, "approved.db");
    const old = openStore(path, migrations.slice(0, -10));
    const add = (id: string, status: string, variant: string, privacy: string) =>
      old.run(
        `INSERT INTO studies (id, hash, text, name, status, variant, content_hash, rows, first_seen_at)
         VALUES (?, 'h', ?, 'vitals', ?, ?, ?, 7, 1)`,
        id,
        JSON.stringify({ privacy: privacy === "none" ? privacy : { epsilon: 1 } }),
        status,
        variant,
        "c".repeat(64),
      );
    add("paper", "joined", "paper", "epsilon");
    add("plain", "waiting", "sound", "none");
    add("sound", "joined", "sound", "epsilon");
    add("ended", "released", "paper", "epsilon");
    old.close();
    const store = openStore(path, migrations);
    const records = new SiteRecords(store);
    const study = (id: string) => records.study(id as StudyId)!;
    for (const id of ["paper", "plain"])
      expect(study(id)).toMatchObject({
        contentHash: null,
        localCode: "TABLE_CHANGED",
        localReason: expect.stringContaining("approve it again"),
      });
    for (const id of ["sound", "ended"])
      expect(study(id)).toMatchObject({ contentHash: null, localCode: null });
    expect(["plain", "sound"].map((id) => study(id).privacy)).toEqual(["none", '{"epsilon":1}']);
    const said = new AuditLog(store, Date.now).after(0, 10);
    expect(said.map(({ kind, study: id }) => [kind, id])).toEqual([
      ["approval lapsed", "paper"],
      ["approval lapsed", "plain"],
    ]);
    expect(Math.abs(said[0]!.at - Date.now())).toBeLessThan(60_000);
    store.close();
  });
});
