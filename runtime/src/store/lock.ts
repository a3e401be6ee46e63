import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ConsiliumError } from "@consilium/core/errors";
import { pathOf } from "@consilium/core/said";
import Database from "libsql";
import { fault } from "../fault.js";
import { DiskFull, writeFailure } from "./diskFull.js";
import { makePrivateFolder } from "./durableFile.js";

/** Holds a state folder until it is released or the process ends, however it ends. */
interface StateLock {
  release(): void;
}

/** Locks that are held: a database that the garbage collector took would let go of its lock. */
const held = new Set<object>();

/**
 * Takes a state folder for this process, creating the folder.
 *
 * The lock is an exclusive transaction on `lock.db`, which is a lock of the operating system's on the file: it
 * ends with the process, SIGKILL included, so that there are no stale ones. `lock.pid` only names the holder.
 * The folder must be on a local disk, as for the store.
 *
 * @throws ConsiliumError STATE_LOCKED if another process, or this one, has it; CONFIG_INVALID where nothing can be
 *   written, such as a volume of another user's; DISK_FULL
 */
export async function lockState(folder: string): Promise<StateLock> {
  const path = join(folder, "lock.db");
  const pidPath = join(folder, "lock.pid");
  const database = await opened(folder, path);
  try {
    database.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE");
  } catch (cause) {
    database.close();
    if (!isBusy(cause)) throw unwritable(folder, cause);
    throw fault(
      "STATE_LOCKED",
      "state.in-use",
      { folder: pathOf(folder), process: holderOf(pidPath) },
      { cause },
    );
  }
  try {
    chmodSync(path, 0o600);
    writeFileSync(pidPath, `${process.pid}\n`, { mode: 0o600 });
  } catch (cause) {
    database.close();
    throw unwritable(folder, cause);
  }
  held.add(database);
  return {
    release() {
      if (!held.delete(database)) return;
      database.exec("ROLLBACK");
      database.close();
    },
  };
}

async function opened(folder: string, path: string): Promise<Database.Database> {
  try {
    await makePrivateFolder(folder);
    return new Database(path);
  } catch (cause) {
    throw unwritable(folder, cause);
  }
}

function unwritable(folder: string, cause: unknown): ConsiliumError {
  const failure = writeFailure(cause, folder);
  if (failure instanceof DiskFull) return failure;
  const where = { folder: pathOf(folder), user: process.getuid?.() ?? null };
  return fault("CONFIG_INVALID", "state.unwritable", where, { remedy: "state.give-folder", cause });
}

function isBusy(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && String(cause.code).startsWith("SQLITE_BUSY");
}

/** Process that holds a folder; null if its file does not name one. */
function holderOf(pidPath: string): number | null {
  try {
    const pid = readFileSync(pidPath, "utf8").trim();
    return /^\d{1,10}$/.test(pid) ? Number(pid) : null;
  } catch {
    return null;
  }
}
