import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Connection, createConnection } from "mariadb";

/** The server's program, where Debian has it. Null: what needs it is skipped, or fails with CONSILIUM_FORBID_SKIPS=1. */
export function mariaDbProgram(): string | null {
  const server = "/usr/sbin/mariadbd";
  if (existsSync(server)) return server;
  if (process.env.CONSILIUM_FORBID_SKIPS === "1")
    throw new Error("no MariaDB server; CONSILIUM_FORBID_SKIPS=1 forbids to skip what needs it");
  process.stderr.write("skipped: no MariaDB server; install mariadb-server-core\n");
  return null;
}

/** What makes the tables that a server keeps its users in. */
function systemTables(): string {
  const files = ["mysql_system_tables.sql", "mysql_performance_tables.sql", "mysql_system_tables_data.sql"];
  const texts = files.map((name) => readFileSync(join("/usr/share/mysql", name), "utf8"));
  return ["CREATE DATABASE mysql;\nUSE mysql;\nSET @auth_root_socket = NULL;", ...texts].join("\n");
}

export const testPassword = "made up for tests";
const who = process.getuid?.() === 0 ? ["--user=root"] : [];

/** A server of its own on loopback, in a temporary folder, for tests. Its user `consilium` has `testPassword` and reads `clinic`. */
export class TestMariaDb {
  readonly folder: string;
  readonly port: number;
  readonly #settings: readonly string[];
  readonly #program: string;
  #child: ChildProcess | null = null;

  private constructor(folder: string, port: number, program: string, settings: readonly string[]) {
    this.folder = folder;
    this.port = port;
    this.#program = program;
    this.#settings = settings;
  }

  static async start(program: string, settings: readonly string[] = []): Promise<TestMariaDb> {
    const folder = mkdtempSync(join(tmpdir(), "consilium-mariadb-"));
    mkdirSync(join(folder, "data"));
    const made = ["--no-defaults", ...who, `--datadir=${folder}/data`, "--bootstrap", "--loose-skip-log-bin"];
    execFileSync(program, made, { input: systemTables(), stdio: ["pipe", "pipe", "pipe"] });
    const server = new TestMariaDb(folder, await freePort(), program, settings);
    await server.run();
    await server.sql(
      "CREATE DATABASE clinic CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
      `CREATE USER consilium@'127.0.0.1' IDENTIFIED BY '${testPassword}'`,
      "GRANT SELECT ON clinic.* TO consilium@'127.0.0.1'",
    );
    writeFileSync(server.passwordFile, `${testPassword}\n`);
    return server;
  }

  get passwordFile(): string {
    return join(this.folder, "password");
  }

  url(database = "clinic"): string {
    return `mariadb://consilium@127.0.0.1:${this.port}/${database}`;
  }

  async run(): Promise<void> {
    const args = ["--no-defaults", ...who, `--datadir=${this.folder}/data`, `--socket=${this.folder}/socket`];
    args.push(`--port=${this.port}`, "--bind-address=127.0.0.1", `--log-error=${this.folder}/log`);
    args.push("--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=32M", ...this.#settings);
    const child = spawn(this.#program, args, { stdio: "ignore" });
    this.#child = child;
    for (let tries = 0; tries < 600; tries++) {
      if (child.exitCode !== null)
        throw new Error(`mariadbd ended: ${readFileSync(join(this.folder, "log"), "utf8").slice(-2_000)}`);
      try {
        return await this.sql("SELECT 1");
      } catch {
        await delay(100);
      }
    }
    throw new Error("mariadbd does not answer");
  }

  /** Statements of the server's own user, in `clinic` once that is there. */
  async sql(...statements: readonly string[]): Promise<void> {
    const connection = await this.connect();
    try {
      for (const statement of statements) await connection.query(statement);
    } finally {
      await connection.end();
    }
  }

  connect(): Promise<Connection> {
    return createConnection({
      user: "root",
      socketPath: join(this.folder, "socket"),
      initSql: "SET SESSION sql_mode = ''",
    });
  }

  async stop(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
