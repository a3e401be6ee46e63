import { randomBytes } from "node:crypto";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { writeFailure, writingTo } from "./diskFull.js";

/** Makes a folder's entries (creations, renames, removals) survive a power cut. */
export async function fsyncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Renames within one folder and makes it durable: afterwards either the old or the new file is there, whole. */
export async function renameDurable(from: string, to: string): Promise<void> {
  await rename(from, to);
  await fsyncFolder(dirname(to));
}

/**
 * Writes a file so that a crash at any instant leaves either the old content or the new, never a part:
 * a temporary file in the same folder, fsync, rename, fsync of the folder.
 * @param options.mode - permissions of the file; 0o600 for anything secret. Default 0o644.
 * @throws DISK_FULL that names the folder, where there is no room
 */
export async function writeFileDurable(
  path: string,
  content: string | Uint8Array,
  options: { mode?: number } = {},
): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const handle = await open(temporary, "wx", options.mode ?? 0o644);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await renameDurable(temporary, path);
  } catch (cause) {
    // Before what is free is looked at: the part that was written is not what fills the disk.
    await rm(temporary, { force: true });
    throw writeFailure(cause, dirname(path), Buffer.byteLength(content));
  }
}

/** The file's content, or null where there is no such file. Any other fault is thrown: it does not mean "not there". */
export async function readFileIfThere(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return null;
    throw cause;
  }
}

/** Makes a folder that only its owner can enter, with its parents. An existing one is left as it is. */
export async function makePrivateFolder(folder: string): Promise<void> {
  await writingTo(dirname(folder), () => mkdir(folder, { recursive: true, mode: 0o700 }));
}
