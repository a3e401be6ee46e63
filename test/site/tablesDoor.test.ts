/** Tables that another user of the machine reads: what that user can open, who may ask at its door, and what becomes of the processes behind it. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type StartTables, startTables } from "@consilium/site-agent/tables/startProcess";
import { TableProcess } from "@consilium/site-agent/tables/tableProcess";
import { throughDoor } from "@consilium/site-agent/tables/throughDoor";
import { documentOf } from "@consilium/site-agent/testing/engines/stages";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { LocalFederation } from "../../scripts/localFederation.js";
import { siteAgent } from "../support/siteAgent.js";

const built = (path: string) => fileURLToPath(new URL(`../../site-agent/dist/${path}`, import.meta.url));
const program = built("tables/main.js");
const isRoot = process.platform === "linux" && process.getuid?.() === 0;
if (!isRoot) {
  const missing = "only root may start processes as other users";
  if (process.env.CONSILIUM_FORBID_SKIPS === "1") throw new Error(missing);
  process.stderr.write(`\nSKIPPED: tests of tables that another user reads: ${missing}\n`);
}

/** Nobody else's numbers. */
const users = { agent: 64_001, tables: 64_002, other: 64_003 };
/** Becomes a command of that user; the agent's is in the group of the tables. */
const as = (user: keyof typeof users) => [
  "setpriv",
  `--reuid=${users[user]}`,
  `--regid=${users[user]}`,
  user === "agent" ? `--groups=${users.tables}` : "--clear-groups",
  "--",
];
function run(user: keyof typeof users, ...command: string[]) {
  const [first, ...rest] = [...as(user), ...command];
  return spawnSync(first!, rest, { encoding: "utf8", cwd: "/" });
}

/** Processes that read tables behind the door: program and user by their own account. */
function readers(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const status = readFileSync(`/proc/${pid}/status`, "utf8");
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return new RegExp(`^Uid:\t${users.tables}\t`, "m").test(status) && command.includes(program);
      } catch {
        return false;
      }
    });
}
const patiently = { timeout: 120_000 };
/** None by the end of those before. */
const noReader = () => vi.waitFor(() => expect(readers()).toEqual([]), patiently);

describe.runIf(isRoot)("a user of its own for tables", () => {
  let folder: string;
  let data: string;
  let socket: string;
  let door: ChildProcess;
  const open: TableProcess[] = [];

  async function startDoor(): Promise<void> {
    const [first, ...rest] = [
      ...as("tables"),
      process.execPath,
      built("tables/doorMain.js"),
      "--listen",
      socket,
    ];
    door = spawn(first!, rest, { cwd: "/", stdio: ["ignore", "ignore", "pipe"] });
    await once(door.stderr!, "data");
  }
  async function stopDoor(): Promise<void> {
    const ended = once(door, "exit");
    door.kill("SIGKILL");
    await ended;
  }

  /** Tables of a state folder of their own, which only root may open. */
  async function tablesOf(start: StartTables, name = "patients"): Promise<TableProcess> {
    const state = join(folder, "state");
    const configPath = join(state, "config.yaml");
    const tables = { [name]: { path: join(data, `${name}.csv`), csv: { header: true }, unit: "rows" } };
    const configText = JSON.stringify({ aggregator: "localhost:1", tables });
    const key = new Uint8Array(32);
    const process = await TableProcess.start({
      opening: { configPath, configText, secret: key, sourceKey: key },
      log: { warn: () => undefined, error: () => undefined },
      start,
    });
    open.push(process);
    return process;
  }

  beforeAll(async () => {
    // A person's folder for temporary files may be closed to others: other users must get to this one.
    const shared = [tmpdir(), "/tmp", "/var/tmp"].find(
      (path) => run("other", "test", "-x", path).status === 0,
    );
    folder = await mkdtemp(join(shared!, "consilium-door-"));
    await chmod(folder, 0o711);
    data = join(folder, "data");
    socket = join(folder, "run", "tables.sock");
    for (const name of ["data", "run", "state"]) await mkdir(join(folder, name), { mode: 0o750 });
    await chmod(join(folder, "state"), 0o700);
    await writeFile(join(folder, "state", "state-key"), "the key of all\n1\n", { mode: 0o600 });
    await chown(join(folder, "run"), users.tables, users.tables);
    await chown(data, 0, users.tables);
    const rows = Array.from({ length: 60 }, (_, i) => `${20 + i},${50 + ((i * 7) % 60)}`);
    for (const name of ["patients", "swapped"]) {
      await writeFile(join(data, `${name}.csv`), `age,weight\n${rows.join("\n")}\n`, { mode: 0o640 });
      await chown(join(data, `${name}.csv`), 0, users.tables);
    }
    await startDoor();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.close()));
  });
  afterAll(async () => {
    await stopDoor();
    await rm(folder, { recursive: true, force: true });
  });

  const describing = {
    name: "described",
    analysis: "describe",
    table: "patients",
    features: [{ name: "age", type: "numeric", min: 0, max: 100 }],
    privacy: { epsilon: 1, delta: 1e-6 },
    participation: { minimumSites: 3, maxRowsPerSite: 1000, phaseDeadline: "60s" },
    parameters: { bins: 4 },
  };
  const profiled = documentOf(describing).study;

  it("runs a study, and neither the door nor what it starts opens a key of the agent", async () => {
    const home = join(folder, "home");
    const federation = await LocalFederation.create(home, "apart");
    try {
      for (const id of ["hospital-a", "hospital-b", "hospital-c"]) {
        const program = id === "hospital-a" ? { program: [built("main.js"), "--tables", socket] } : {};
        await federation.addSite({ id, tables: { patients: join(data, "patients.csv") }, ...program });
      }
      // The first one from now on as a user who is not root.
      const site = federation.site("hospital-a");
      await site.stop();
      for (const path of [home, join(home, "sites")]) await chmod(path, 0o711);
      for (const name of ["", ...(await readdir(site.state, { recursive: true }))])
        await chown(join(site.state, name), users.agent, users.agent);
      site.moved(site.state, { command: as("agent"), state: site.state });
      await site.start();
      await federation.waitForSites();
      expect(readers()).toHaveLength(1);
      const { id } = await federation.startStudy(describing);
      expect((await federation.waitForRelease(id)).status).toBe("released");

      expect(await siteAgent(site).status({})).toMatchObject({ tablesApart: true });
      expect(await siteAgent(federation.site("hospital-b")).status({})).toMatchObject({ tablesApart: false });
      const { checks } = await siteAgent(site).doctor({});
      expect(checks.find((check) => check.id === "reader")).toMatchObject({ status: "ok" });

      const keys = [
        "state-key",
        "state.db",
        ...(await readdir(join(site.state, "identity"))).map((name) => join("identity", name)),
      ];
      expect(keys.length).toBeGreaterThan(4);
      for (const name of keys) {
        const path = join(site.state, name);
        expect([name, run("tables", "cat", path).stderr]).toEqual([
          name,
          expect.stringMatching(/Permission denied/),
        ]);
        expect([name, run("agent", "cat", path).status]).toEqual([name, 0]);
      }
      expect(run("tables", "cat", join(data, "patients.csv")).stdout).toMatch(/^age,weight\n/);
      expect(run("other", "cat", join(data, "patients.csv")).status).not.toBe(0);
      // With these rights alone, which a program that it starts has, too.
      for (const pid of [door.pid!, ...readers()]) {
        const status = readFileSync(`/proc/${pid}/status`, "utf8");
        for (const line of ["Uid", "Gid"])
          expect(status).toMatch(new RegExp(`^${line}:(?:\t${users.tables}){4}$`, "m"));
        expect(status).toMatch(/^Groups:\s*$/m);
        expect(status).toMatch(/^CapEff:\t0+$/m);
      }
      // With the agent goes what the door has started for it.
      await site.stop("SIGKILL");
      await noReader();
    } finally {
      await federation.remove();
    }
  });

  it("keeps a file that has become a link to a key from being read, which the agent's own user reads", async () => {
    await noReader();
    const path = join(data, "swapped.csv");
    const [own, apart] = [
      await tablesOf((needs) => startTables(needs, { path: program, execArgv: [] }), "swapped"),
      await tablesOf(throughDoor(socket), "swapped"),
    ];
    expect(await apart.describe()).toEqual(await own.describe());
    await rm(path);
    await symlink(join(folder, "state", "state-key"), path);
    expect(JSON.stringify(await own.describe())).toContain("the key of all");
    expect(await apart.describe()).toEqual([{ name: "swapped", columns: [] }]);
  });

  it("opens its door to its group alone", () => {
    const asking = `require("net").connect(${JSON.stringify(socket)})
      .on("connect", () => { console.log("opened"); process.exit(); }).on("error", ({ code }) => console.log(code))`;
    const asked = (user: keyof typeof users) => run(user, process.execPath, "-e", asking).stdout.trim();
    expect([asked("agent"), asked("other")]).toEqual(["opened", "EACCES"]);
    // Nor opens somebody else one in its place.
    const { status, stderr } = run(
      "other",
      process.execPath,
      built("tables/doorMain.js"),
      "--listen",
      socket,
    );
    expect(status).toBe(1);
    expect(stderr).toMatch(/cannot listen on .*tables\.sock \(EACCES\)/);
  });

  it("starts a process that was killed again, and asks all that it was asked", async () => {
    await noReader();
    const tables = await tablesOf(throughDoor(socket));
    const expected = [await tables.describe(), await tables.profile(profiled)];
    const asked = [tables.describe(), tables.profile(profiled)];
    const [first] = readers();
    process.kill(first!, "SIGKILL");
    expect(await Promise.all(asked)).toEqual(expected);
    expect(await tables.describe()).toEqual(expected[0]);
    expect(readers()).toHaveLength(1);
    expect(door.exitCode ?? door.signalCode).toBeNull();
  });

  it("takes a process that ends at every try for a fault, and another agent's continues", async () => {
    await noReader();
    const others = await tablesOf(throughDoor(socket));
    const kept = readers();
    const started: number[] = [];
    const tables = await tablesOf(async (needs) => {
      const before = readers();
      const process_ = await throughDoor(socket)(needs);
      if (needs === null) return process_;
      const fresh = await vi.waitFor(() => {
        const found = readers().find((pid) => !before.includes(pid));
        expect(found).toBeDefined();
        return found!;
      }, patiently);
      started.push(fresh);
      if (started.length > 1 && started.length <= 4) process.kill(fresh, "SIGKILL");
      return process_;
    });
    const asked = tables.profile(profiled);
    process.kill(started[0]!, "SIGKILL");
    await expect(asked).rejects.toMatchObject({ code: "ENGINE_FAILED" });
    expect(started).toHaveLength(4);
    expect(await tables.describe()).toEqual(await others.describe());
    expect(readers()).toEqual(expect.arrayContaining(kept));
  });

  it("kills a process that does not end when its agent lets it go", async () => {
    await noReader();
    const tables = await tablesOf(throughDoor(socket));
    process.kill(readers()[0]!, "SIGSTOP");
    await tables.close();
    await noReader();
  });

  it("waits for a door whose service starts again", async () => {
    await noReader();
    const tables = await tablesOf(throughDoor(socket));
    const expected = await tables.describe();
    await stopDoor();
    await noReader();
    const asked = tables.describe();
    await startDoor();
    expect(await asked).toEqual(expected);
  });
});
