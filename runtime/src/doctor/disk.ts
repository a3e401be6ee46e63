import type { DiskFacts } from "@consilium/core/hospital/doctorFacts";
import { fail, ok, type Verdict, warn } from "./check.js";
import { diskFacts, type FileSystem } from "./diskFacts.js";

/** Below the first a study's vectors may not fit; below the second even the ledger is at risk. */
const comfortableBytes = 1024 ** 3;
const leastBytes = 64 * 1024 ** 2;

/**
 * Numbers of file systems (statfs(2)) that are another machine's. SQLite's locks do not hold on them, and two agents on
 * two machines could spend one budget.
 */
const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB"],
  [0x517b, "SMB"],
  [0x01021997, "9P"],
  [0x5346414f, "AFS"],
  [0x00c36400, "Ceph"],
  [0x0bd00bd0, "Lustre"],
  [0x01161970, "GFS2"],
  [0x47504653, "GPFS"],
]);
const fuse = 0x65735546;

/**
 * Whether a state folder is reliable: existing, local, private, writable, with enough free space.
 * @param options.isOwn - false for a folder that the state folder is to be made in: others may open that one
 * @param options.read - as of `diskFacts`
 */
export async function checkDisk(
  folder: string,
  options: { readonly isOwn?: boolean; readonly read?: (folder: string) => Promise<FileSystem> } = {},
): Promise<Verdict> {
  return judgeDisk(folder, await diskFacts(folder, options.read), options.isOwn);
}

export function judgeDisk(folder: string, facts: DiskFacts, isOwn = true): Verdict {
  if ("absence" in facts) {
    if (facts.absence === "ENOTDIR")
      return fail(`${folder} is not a folder`, "give the state folder with --state");
    return fail(`${folder} cannot be opened (${facts.absence})`, "check the path and its permissions");
  }
  const { mode } = facts;
  const network = networkFileSystems.get(facts.type);
  if (network !== undefined) {
    return fail(
      `${folder} is on a network share (${network}): locks and flushed writes are not reliable there`,
      "move the folder to a disk of this machine, and give its path with --state",
    );
  }
  if (facts.writeFault !== null) return unwritable(folder, facts.writeFault);
  const free = bytesText(facts.freeBytes);
  if (facts.freeBytes < leastBytes) {
    return fail(`only ${free} free in ${folder}`, `free at least ${bytesText(comfortableBytes)} there`);
  }
  if (isOwn && (mode & 0o077) !== 0) {
    return warn(
      `${folder} is accessible to other users of this machine (mode ${mode.toString(8)}); ${free} free`,
      `restrict it: chmod 700 ${folder}`,
    );
  }
  if (facts.type === fuse) {
    return warn(
      `${folder} is on a FUSE file system, which may be a network share; ${free} free`,
      "make sure it is a local disk",
    );
  }
  if (facts.freeBytes < comfortableBytes) {
    return warn(
      `only ${free} free in ${folder}`,
      `large studies need more: free ${bytesText(comfortableBytes)}`,
    );
  }
  return ok(`${folder} is writable; ${free} free`);
}

function unwritable(folder: string, code: string): Verdict {
  const remedies: Readonly<Record<string, string>> = {
    ENOSPC: `the disk is full: free at least ${bytesText(comfortableBytes)}`,
    EDQUOT: "this user's quota is exhausted: increase it",
    EROFS: "the disk is read-only: mount it for writing, or give another folder with --state",
    EACCES: "permission denied: run as the folder's owner, or change its owner",
    EPERM: "permission denied: run as the folder's owner, or change its owner",
  };
  return fail(`${folder} is not writable (${code})`, remedies[code] ?? "check the disk");
}

function bytesText(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
