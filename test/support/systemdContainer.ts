import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * This machine's own file system under a layer in memory, started by systemd in namespaces of its own: what is written in it goes
 * with it. It has no network but its own loopback.
 */
export class SystemdContainer {
  readonly #folder: string;
  readonly #process: ChildProcess;
  readonly #leader: string;

  private constructor(folder: string, process: ChildProcess, leader: string) {
    this.#folder = folder;
    this.#process = process;
    this.#leader = leader;
  }

  /** @param project - the folder that it sees as /opt/consilium, read only */
  static async start(project: string): Promise<SystemdContainer> {
    const folder = await mkdtemp(join(tmpdir(), "consilium-systemd-"));
    const at = (name: string) => join(folder, name);
    for (const name of ["layer", "root"]) await mkdir(at(name));
    try {
      await run("mount", ["-t", "tmpfs", "tmpfs", at("layer")]);
      for (const name of ["layer/upper", "layer/work"]) await mkdir(at(name));
      const layers = `lowerdir=/,upperdir=${at("layer/upper")},workdir=${at("layer/work")}`;
      await run("mount", ["-t", "overlay", "overlay", "-o", layers, at("root")]);
      await mkdir(at("root/opt/consilium"), { recursive: true });
      if (!existsSync(at("root/usr/bin/node"))) await symlink(process.execPath, at("root/usr/bin/node"));
      const child = spawn(
        "systemd-nspawn",
        [
          `--directory=${at("root")}`,
          `--bind-ro=${project}:/opt/consilium`,
          "--private-network",
          "--boot",
          "--register=no",
          "--keep-unit",
          "--link-journal=no",
          // Journals of two machines of one number cannot lie side by side.
          "--uuid=11111111111111111111111111111111",
          "--console=pipe",
          "systemd.unit=basic.target",
        ],
        { stdio: "ignore", detached: true },
      );
      return new SystemdContainer(folder, child, await leaderOf(child));
    } catch (cause) {
      await removed(folder);
      throw cause;
    }
  }

  /** @throws what `execFile` throws, with what was printed, where it ends with another code than 0 */
  async run(...command: string[]): Promise<string> {
    // The tests' folder for temporary files is not in the container.
    return (await run("nsenter", ["-t", this.#leader, "-a", "env", "-u", "TMPDIR", ...command])).stdout;
  }

  sh(script: string): Promise<string> {
    return this.run("sh", "-euc", script);
  }

  /** Nothing of it is kept, so nothing is ended in order. */
  async close(): Promise<void> {
    const ended = this.#process.exitCode === null ? once(this.#process, "exit") : Promise.resolve();
    process.kill(Number(this.#leader), "SIGKILL");
    await ended;
    await removed(this.#folder);
  }
}

/** The container's first process, once systemd answers in it. */
async function leaderOf({ pid }: ChildProcess): Promise<string> {
  for (let tries = 0; tries < 300; tries++) {
    await delay(200);
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
    const leader = children.trim().split(" ")[0]!;
    if (leader === "") continue;
    const state = await run("nsenter", ["-t", leader, "-a", "systemctl", "is-system-running"]).then(
      ({ stdout }) => stdout,
      (failure: { stdout?: string }) => failure.stdout ?? "",
    );
    if (/^(?:running|degraded)/.test(state)) return leader;
  }
  throw new Error("systemd did not start");
}

async function removed(folder: string): Promise<void> {
  for (const name of ["root", "layer"]) await run("umount", [join(folder, name)]).catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
}

/** Whether systemd can be started here; otherwise what needs it is skipped, loudly. */
export async function hasSystemd(): Promise<boolean> {
  try {
    await run("systemd-nspawn", ["--version"]);
    if (process.getuid?.() !== 0) throw new Error("only root may");
    return true;
  } catch (cause) {
    process.stderr.write(
      `\nSKIPPED: tests that start systemd in a container need systemd-nspawn: ${String(cause)}\n`,
    );
    return false;
  }
}
