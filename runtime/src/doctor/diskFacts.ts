import { stat, statfs } from "node:fs/promises";
import type { DiskFacts } from "@consilium/core/hospital/doctorFacts";
import { writeFault } from "../store/diskFull.js";

/** What a file system says of itself. */
export interface FileSystem {
  /** Number of its kind. */
  readonly type: number;
  readonly freeBytes: number;
}

/**
 * Looks at a folder, and writes a file there as the store would, flushed to the disk, and takes it away.
 * @param read - how the file system is asked: for tests of file systems that a machine does not have
 */
export async function diskFacts(folder: string, read = fileSystemOf): Promise<DiskFacts> {
  try {
    const found = await stat(folder);
    if (!found.isDirectory()) return { absence: "ENOTDIR" };
    return { mode: found.mode & 0o777, ...(await read(folder)), writeFault: writeFault(folder, 256 * 1024) };
  } catch (cause) {
    return { absence: cause instanceof Error && "code" in cause ? String(cause.code) : "unknown" };
  }
}

async function fileSystemOf(folder: string): Promise<FileSystem> {
  const { type, bavail, bsize } = await statfs(folder);
  // On 32 bits the number may come with its sign.
  return { type: type >>> 0, freeBytes: bavail * bsize };
}
