import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { formatBytes } from "@consilium/core/units";

/** What systems say of a full disk: Linux of a disk and of a quota, SQLite, PostgreSQL (class 53, `disk_full`). */
const fullCodes: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "SQLITE_FULL", "53100"]);

/**
 * SQLite tells a full quota, and a full disk where it extends its shared memory, as it tells a broken disk. Only a
 * further write says which of them it is.
 */
const unclear = /^SQLITE_(?:IOERR|CANTOPEN)/;

const probeBytes = 64 * 1024;
const causesMax = 5;

/** A write that failed for lack of disk space. */
export class DiskFull extends ConsiliumError {
  /** What the write needs, as far as is known; 0 otherwise. */
  readonly neededBytes: number;

  constructor(message: string, options: { readonly neededBytes?: number; readonly cause?: unknown } = {}) {
    super("DISK_FULL", message, options.cause === undefined ? {} : { cause: options.cause });
    this.neededBytes = options.neededBytes ?? 0;
  }
}

/** Bytes that this process may still write below a folder; null where the system does not say. */
export function freeBytesOf(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}

/** Writes a file, flushed to the disk, and removes it. @returns the system's code if that fails, else null */
export function writeFault(folder: string, bytes = probeBytes): string | null {
  const path = join(folder, `probe.${randomBytes(6).toString("hex")}.tmp`);
  try {
    const file = openSync(path, "wx", 0o600);
    try {
      // Random, for a file system that compresses would store zeros in no room at all.
      let rest = randomBytes(bytes);
      while (rest.length > 0) rest = rest.subarray(writeSync(file, rest));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    return null;
  } catch (cause) {
    return codeOf(cause) ?? "unknown";
  } finally {
    try {
      rmSync(path, { force: true });
    } catch {
      // What failed before is the fault to report.
    }
  }
}

/**
 * Whether an error means a full disk: the only place that knows the codes of systems and databases.
 * @param folder - that was written to, for codes that leave it open
 */
export function saysDiskFull(thrown: unknown, folder?: string): boolean {
  let cause = thrown;
  for (let depth = 0; depth < causesMax && cause instanceof Error; depth++, cause = cause.cause) {
    if (cause instanceof DiskFull) return true;
    const code = codeOf(cause);
    if (code === null) continue;
    if (fullCodes.has(code)) return true;
    if (folder !== undefined && unclear.test(code)) return fullCodes.has(writeFault(folder) ?? "");
  }
  return false;
}

/** DISK_FULL that names the folder, never a file in it, with what is free and what is needed. */
export function diskFull(
  folder: string,
  options: { readonly neededBytes?: number; readonly cause?: unknown } = {},
): DiskFull {
  const free = freeBytesOf(folder);
  const { neededBytes = 0 } = options;
  const facts = [
    ...(free === null ? [] : [`${formatBytes(free)} free`]),
    ...(neededBytes > 0 ? [`${formatBytes(neededBytes)} needed for this write`] : []),
  ];
  // A quota leaves the disk room that this user may not have.
  const what = codeOf(options.cause) === "EDQUOT" ? "disk quota exceeded" : "disk full";
  return new DiskFull(`${folder}: ${[what, ...facts].join(", ")}`, options);
}

/** DISK_FULL of a database server, which does not say what is free. */
export function databaseFull(name: string, cause: unknown): DiskFull {
  return new DiskFull(`${name}: the database server's disk is full`, { cause });
}

/** What was thrown while something was written below `folder`: DISK_FULL if the disk is full. */
export function writeFailure(thrown: unknown, folder: string, neededBytes = 0): unknown {
  if (thrown instanceof ConsiliumError || !saysDiskFull(thrown, folder)) return thrown;
  return diskFull(folder, { neededBytes, cause: thrown });
}

/** Work that writes below `folder`. @throws DISK_FULL if the disk is full; otherwise the original error */
export async function writingTo<T>(folder: string, work: () => Promise<T>, neededBytes = 0): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw writeFailure(thrown, folder, neededBytes);
  }
}

function codeOf(cause: unknown): string | null {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : null;
}
