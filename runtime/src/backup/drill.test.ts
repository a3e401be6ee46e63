import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fail, ok } from "../doctor/check.js";
import { openStore } from "../store/store.js";
import { archived } from "./archive.js";
import { writeBackup } from "./backup.js";
import { drillBackup } from "./drill.js";
import { type BackupRole, introductionName, manifestName } from "./manifest.js";

const now = Date.UTC(2026, 0, 2);
let home: string;
let state: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "consilium-drill-test-"));
  state = join(home, "st-mary");
  mkdirSync(join(state, "identity"), { recursive: true });
  writeFileSync(join(state, "state-key"), "a secret key");
  writeFileSync(join(state, "config.yaml"), "aggregator: localhost:7443\n");
  const store = openStore(join(state, "state.db"), ["CREATE TABLE notes (text TEXT) STRICT"]);
  for (let row = 0; row < 20; row++) store.run("INSERT INTO notes VALUES ('a line of it')");
  store.close();
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

async function drilled(role: BackupRole, ledger = ok("chained")) {
  const to = join(home, `${role}.tar`);
  await writeBackup({ role, state, to, passphrase: null, now });
  const seen: string[] = [];
  const result = await drillBackup({
    from: to,
    passphrase: null,
    now,
    ledger: async (folder) => {
      expect(existsSync(join(folder, "state.db"))).toBe(true);
      seen.push(folder);
      return ledger;
    },
  });
  const statusOf = (id: string) => result.checks.find((one) => one.id === id)?.status;
  return { ...result, statusOf, seen };
}

describe("a drill", () => {
  it("restores into a folder that is gone afterwards, and checks files, databases, keys and ledger", async () => {
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith("consilium-drill-"));
    const { introduction, statusOf, seen } = await drilled("site");
    expect(introduction).toMatchObject({ role: "site", name: "st-mary" });
    expect([statusOf("files"), statusOf("database"), statusOf("config"), statusOf("ledger")]).toEqual(
      Array(4).fill("ok"),
    );
    // The folder has no certificate.
    expect(statusOf("identity")).toBe("fail");
    expect(existsSync(seen[0]!)).toBe(false);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith("consilium-drill-"))).toEqual(before);
  });

  it("says that a ledger does not hold", async () => {
    expect((await drilled("site", fail("broken", "restore"))).statusOf("ledger")).toBe("fail");
  });

  it("finds a restored database that is damaged, and says nothing of its content", async () => {
    const to = join(home, "damaged.tar");
    const content = Buffer.from("JANE DOE ".repeat(1_000));
    const introduction = {
      format: "consilium-backup-2",
      role: "publisher",
      name: "publisher",
      software: "0.1.0",
      createdAt: new Date(now).toISOString(),
      records: "inside",
    };
    const sha256 = createHash("sha256").update(content).digest("hex");
    const files = [{ path: "state.db", bytes: content.length, sha256, mode: 0o600 }];
    const entries: [string, Buffer][] = [
      [introductionName, Buffer.from(JSON.stringify(introduction))],
      ["state.db", content],
      [manifestName, Buffer.from(JSON.stringify({ files }))],
    ];
    const archive = archived(async (add) => {
      for (const [name, bytes] of entries)
        await add({ name, bytes: bytes.length, mode: 0o600 }, Readable.from([bytes]));
    });
    await writeFile(to, archive);
    const { checks } = await drillBackup({ from: to, passphrase: null, now, ledger: async () => ok("none") });
    expect(checks.find(({ id }) => id === "database")?.status).toBe("fail");
    expect(JSON.stringify(checks)).not.toContain("JANE");
  });

  it("refuses a backup that is not whole", async () => {
    const to = join(home, "cut.tar");
    writeFileSync(to, "no backup");
    await expect(
      drillBackup({ from: to, passphrase: null, now, ledger: async () => ok("none") }),
    ).rejects.toMatchObject({ code: "BACKUP_INVALID" });
  });
});
