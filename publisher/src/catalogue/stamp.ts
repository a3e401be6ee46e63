import { lstat, readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { sha256 } from "@consilium/secure-sum/crypto/hash";

/**
 * What a release's folder looks like without reading its files: name, length, inode and times of change of each. The time
 * of the last change of status (ctime) is the kernel's, so that no program can write a file and have its stamp stay.
 * @returns a SHA-256 in hexadecimal; null where there is no such folder
 */
export async function stampOf(folder: string): Promise<string | null> {
  try {
    const entries = await readdir(folder, { withFileTypes: true, recursive: true });
    const lines = await Promise.all(
      entries.map(async (entry) => {
        const path = join(entry.parentPath, entry.name);
        const name = relative(folder, path);
        if (entry.isDirectory()) return `${name}/`;
        const { size, ino, mtimeNs, ctimeNs } = await lstat(path, { bigint: true });
        return `${name} ${size} ${ino} ${mtimeNs} ${ctimeNs}`;
      }),
    );
    return sha256(lines.sort().join("\n"));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw cause;
  }
}
