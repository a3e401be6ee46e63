import { access, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import type { DoctorCheck } from "@consilium/core/hospital/doctorView";
import { counted } from "@consilium/core/words";
import { check, fail, ok, type Verdict } from "../doctor/check.js";
import { checkIdentity } from "../doctor/identity.js";
import { identityFolder } from "../identity/files.js";
import { openLibsql } from "../store/driver.js";
import type { BackupIntroduction, BackupRole } from "./manifest.js";
import { restoreBackup } from "./restore.js";

export interface DrillOptions {
  readonly from: string | AsyncIterable<Uint8Array>;
  readonly passphrase: string | null;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Checks of a site's ledger: the code that reads it is the agent's own. */
  readonly ledger: (state: string) => Promise<Verdict>;
}

interface Drilled {
  readonly introduction: BackupIntroduction;
  readonly files: number;
  readonly checks: readonly DoctorCheck[];
}

const databases = ["state.db", "console/state.db"];

/**
 * Restores a backup into a temporary folder, which only this user can read and which is removed, and checks what would be started
 * from there. No process is started.
 * @throws ConsiliumError BACKUP_INVALID
 */
export async function drillBackup(options: DrillOptions): Promise<Drilled> {
  const folder = await mkdtemp(join(tmpdir(), "consilium-drill-"));
  try {
    const state = join(folder, "state");
    const { from, passphrase } = options;
    const { introduction, files } = await restoreBackup({ from, passphrase, target: () => state });
    const checks = [
      check("files", "Restored files", ok(`${counted(files, "file")}, each with its checksum`)),
      ...(await checkDatabases(state)),
      ...(await checkKeys(state, introduction.role, options.now)),
    ];
    // Another ledger than this backup's cannot be in a database that is damaged.
    if (introduction.role === "site") checks.push(check("ledger", "Ledger", await options.ledger(state)));
    return { introduction, files, checks };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function checkDatabases(state: string): Promise<DoctorCheck[]> {
  const checks: DoctorCheck[] = [];
  for (const name of databases) {
    const path = join(state, name);
    if ((await stat(path).catch(() => null)) === null) continue;
    checks.push(check("database", `Database ${name}`, integrity(path)));
  }
  return checks;
}

function integrity(path: string): Verdict {
  const remedy = "restore an older backup, and look at the disk that this one came from";
  try {
    const database = openLibsql(path);
    try {
      const rows = database.prepare("PRAGMA integrity_check").all([]);
      const faults = rows.filter((row) => row.integrity_check !== "ok").length;
      return faults === 0
        ? ok("SQLite's integrity check passed")
        : fail(`${counted(faults, "fault")}`, remedy);
    } finally {
      database.close();
    }
  } catch {
    // SQLite's messages may quote what is stored.
    return fail("not a database that can be read", remedy);
  }
}

async function checkKeys(state: string, role: BackupRole, now: number): Promise<DoctorCheck[]> {
  if (role === "authority") {
    const files = ["root-key.pem", "root.pem", "revocations"];
    const missing: string[] = [];
    for (const file of files) await access(join(state, file)).catch(() => missing.push(file));
    const verdict =
      missing.length === 0
        ? ok("root key, root certificate and list of expelled sites")
        : fail(`missing: ${missing.join(", ")}`, "restore an older backup");
    return [check("authority", "Authority", verdict)];
  }
  const { verdict } = await checkIdentity(identityFolder(state), now, "restore an older backup");
  const config = await readFile(join(state, "config.yaml")).then(
    () => ok("there"),
    // The publisher has defaults for everything.
    () => (role === "publisher" ? ok("none: the defaults hold") : fail("missing", "restore an older backup")),
  );
  return [check("identity", "Keys and certificate", verdict), check("config", "Configuration", config)];
}

/** For callers whose ledger could not be read at all. */
export function ledgerFault(thrown: unknown): Verdict {
  const message =
    thrown instanceof ConsiliumError ? `${thrown.code}: ${thrown.message}` : "it cannot be read";
  return fail(
    message,
    "restore an older backup; docs/HOSPITAL.md, An old backup, says what a missing part costs",
  );
}
