import { type ChildProcess, spawn } from "node:child_process";
import { cp, mkdtemp, open, rm, rmdir, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Member } from "../../scripts/localFederation.js";

const pageBytes = 4096;

/**
 * A file system of a few MiB in memory, which a process of the federation can be moved to. It is mounted in a mount
 * namespace of its own, and that in a user namespace, so that no rights are needed; a process that sleeps holds both.
 * This process reaches its files by way of that one's root.
 */
export class SmallDisk {
  readonly #holder: ChildProcess;
  readonly #folder: string;

  private constructor(holder: ChildProcess, folder: string) {
    this.#holder = holder;
    this.#folder = folder;
  }

  /** @throws when this machine gives its users no namespaces */
  static async open(mebibytes: number): Promise<SmallDisk> {
    const folder = await mkdtemp(join(tmpdir(), "consilium-small-disk-"));
    const script = `mount -t tmpfs -o size=${mebibytes}m,mode=700 tmpfs "$1" && echo mounted && exec sleep infinity`;
    const holder = spawn(
      "unshare",
      ["--user", "--map-root-user", "--mount", "sh", "-c", script, "sh", folder],
      { stdio: ["ignore", "pipe", "pipe"] },
    );
    const disk = new SmallDisk(holder, folder);
    try {
      await new Promise<void>((resolve, reject) => {
        let said = "";
        holder.stderr!.on("data", (part: Buffer) => {
          said += part.toString();
        });
        createInterface({ input: holder.stdout! }).once("line", () => resolve());
        holder.once("error", reject);
        holder.once("close", () =>
          reject(new Error(`no namespace with a file system in it: ${said.trim()}`)),
        );
      });
      return disk;
    } catch (thrown) {
      await rmdir(folder);
      throw thrown;
    }
  }

  /** Its root, as this process reaches it. SQLite cannot open files by this path: it resolves links by itself. */
  get path(): string {
    return `/proc/${this.#holder.pid}/root${this.#folder}`;
  }

  /** Moves the state of a process that is stopped here, and starts it here from now on. */
  async take(member: Member): Promise<void> {
    await cp(member.state, join(this.path, "state"), { recursive: true });
    await rm(member.state, { recursive: true, force: true });
    const pid = String(this.#holder.pid);
    member.moved(join(this.path, "state"), {
      command: ["nsenter", "--target", pid, "--user", "--mount", "--preserve-credentials", "--"],
      state: this.folder,
    });
  }

  /** The state folder as the process calls it. */
  get folder(): string {
    return join(this.#folder, "state");
  }

  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.path);
    return bavail * bsize;
  }

  /** Fills the disk up, but for so many bytes; gives back what its process has taken of those since. */
  async fill(leaveBytes = 0): Promise<void> {
    const file = await open(join(this.path, "ballast"), "a", 0o600);
    try {
      for (;;) {
        const most = Math.floor(((await this.freeBytes()) - leaveBytes) / pageBytes) * pageBytes;
        if (most === 0) return;
        if (most < 0) {
          const { size } = await file.stat();
          return await file.truncate(Math.max(0, size + most));
        }
        await file.appendFile(Buffer.alloc(Math.min(most, 1 << 20)));
      }
    } catch (cause) {
      // Its process may have taken what was left.
      if (!(cause instanceof Error && "code" in cause && cause.code === "ENOSPC")) throw cause;
    } finally {
      await file.close();
    }
  }

  /** Takes away what `fill` has written. */
  async clear(): Promise<void> {
    await rm(join(this.path, "ballast"), { force: true });
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#holder.once("close", resolve));
    this.#holder.kill("SIGKILL");
    await closed;
    await rmdir(this.#folder);
  }
}

/**
 * Whether small disks can be had; otherwise what needs them is skipped, loudly.
 * @throws where CONSILIUM_FORBID_SKIPS=1 forbids that
 */
export async function hasSmallDisks(): Promise<boolean> {
  try {
    await (await SmallDisk.open(1)).close();
    return true;
  } catch (cause) {
    const message = "tests of full disks need user namespaces in which a tmpfs can be mounted";
    if (process.env.CONSILIUM_FORBID_SKIPS === "1") {
      throw new Error(`${message}; CONSILIUM_FORBID_SKIPS=1 forbids to skip them`, { cause });
    }
    process.stderr.write(`\nSKIPPED: ${message}: ${String(cause)}\n`);
    return false;
  }
}
