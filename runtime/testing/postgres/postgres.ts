import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/**
 * The folder of PostgreSQL's programs: CONSILIUM_POSTGRES names it, else PATH, else where Debian has it. Null where there
 * are none: what needs them is skipped, or fails with CONSILIUM_FORBID_SKIPS=1.
 */
export function postgresPrograms(): string | null {
  const named = process.env.CONSILIUM_POSTGRES;
  const debian = "/usr/lib/postgresql";
  const folders = named
    ? [named]
    : [
        ...(process.env.PATH ?? "").split(delimiter),
        ...(existsSync(debian) ? readdirSync(debian).map((version) => join(debian, version, "bin")) : []),
      ];
  const found = folders.find((folder) =>
    ["initdb", "postgres", "psql"].every((program) => existsSync(join(folder, program))),
  );
  if (found !== undefined) return found;
  if (process.env.CONSILIUM_FORBID_SKIPS === "1") {
    throw new Error("no PostgreSQL programs; CONSILIUM_FORBID_SKIPS=1 forbids to skip what needs them");
  }
  process.stderr.write("skipped: no PostgreSQL programs; install postgresql, or set CONSILIUM_POSTGRES\n");
  return null;
}

/** PostgreSQL refuses to run as root: then the user `postgres` of the package does it. */
function unprivileged(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

interface TestPostgresOptions {
  readonly settings?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly folder?: string;
}

/** A server of its own on loopback, in a temporary folder, for tests. Its user is `consilium`, without a password. */
export class TestPostgres {
  readonly folder: string;
  readonly port: number;
  readonly #programs: string;
  readonly #settings: readonly string[];
  readonly #user = unprivileged();
  #child: ChildProcess | null = null;

  private constructor(folder: string, port: number, programs: string, settings: readonly string[]) {
    this.folder = folder;
    this.port = port;
    this.#programs = programs;
    this.#settings = settings;
  }

  /**
   * @param options.settings - such as `ssl=on`
   * @param options.files - written into the server's own folder first, for its owner only
   * @param options.folder - where the server's folder is made
   */
  static async start(programs: string, options: TestPostgresOptions = {}): Promise<TestPostgres> {
    const { settings = [], files = {} } = options;
    const folder = mkdtempSync(join(options.folder ?? roomyMemory() ?? tmpdir(), "consilium-postgres-"));
    const server = new TestPostgres(folder, await freePort(), programs, settings);
    server.#own(folder);
    execFileSync(
      join(programs, "initdb"),
      [
        "-D",
        join(folder, "data"),
        "-U",
        "consilium",
        "--auth=trust",
        "--no-sync",
        "-E",
        "UTF8",
        "--no-locale",
      ],
      { ...server.#user, stdio: "pipe", cwd: folder },
    );
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(folder, "data", name), text, { mode: 0o600 });
      server.#own(join(folder, "data", name));
    }
    await server.up();
    return server;
  }

  url(parameters = ""): string {
    return `postgres://consilium@127.0.0.1:${this.port}/postgres${parameters}`;
  }

  async up(): Promise<void> {
    const settings = [`unix_socket_directories=${this.folder}`, "log_min_messages=fatal", ...this.#settings];
    const child = spawn(
      join(this.#programs, "postgres"),
      [
        "-D",
        join(this.folder, "data"),
        "-h",
        "127.0.0.1",
        "-p",
        String(this.port),
        ...settings.flatMap((setting) => ["-c", setting]),
      ],
      { ...this.#user, stdio: ["ignore", "ignore", "pipe"], cwd: this.folder },
    );
    let said = "";
    child.stderr?.on("data", (part: Buffer) => {
      said = (said + part.toString()).slice(-4_000);
    });
    this.#child = child;
    const giveUpAt = Date.now() + 60_000;
    while (!this.#answers()) {
      if (child.exitCode !== null || Date.now() > giveUpAt) {
        await this.down();
        throw new Error(`postgres did not start: ${said}`);
      }
      await delay(50);
    }
  }

  /** @param signal - SIGINT ends it at once and in order, SIGQUIT as a crash would */
  async down(signal: "SIGINT" | "SIGQUIT" = "SIGINT"): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await gone;
  }

  /** Runs SQL with the server's own client, and gives what it prints, unaligned. */
  psql(sql: string, database = "postgres"): string {
    return execFileSync(
      join(this.#programs, "psql"),
      ["-h", "127.0.0.1", "-p", String(this.port), "-U", "consilium", "-d", database, "-XAtq", "-c", sql],
      { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] },
    ).trim();
  }

  async remove(): Promise<void> {
    await this.down();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #answers(): boolean {
    try {
      return this.psql("SELECT 1") === "1";
    } catch {
      return false;
    }
  }

  #own(path: string): void {
    if (this.#user.uid !== undefined) chownSync(path, this.#user.uid, this.#user.gid!);
  }
}

/** Where there is room, the server's files are in memory: tests commit often, and each commit waits for the disk. */
function roomyMemory(): string | null {
  const memory = "/dev/shm";
  if (!existsSync(memory)) return null;
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > 400e6 ? memory : null;
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
