/** A hospital as `consilium serve site` runs it: what its two processes hold open, and what happens when one of them dies. */
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { agentClient } from "@consilium/runtime/agent/agentClient";
import { openLibsql } from "@consilium/runtime/store/driver";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LocalFederation, Member, waitUntil } from "../../scripts/localFederation.js";
import { tableText } from "../support/faultFederation.js";
import { siteAgent } from "../support/siteAgent.js";

const program = fileURLToPath(new URL("../../cli/dist/main.js", import.meta.url));
const isLinux = process.platform === "linux";
let folder: string;
let federation: LocalFederation;
let site: Member;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-two-processes-"));
  federation = await LocalFederation.create(join(folder, "home"), "harbour");
  const table = join(folder, "patients.csv");
  await writeFile(table, tableText(500, 1));
  site = await federation.addSite({
    id: "st-mary",
    tables: { patients: table },
    program: [program, "serve", "site"],
  });
  await bothReady();
});
afterAll(async () => {
  await federation?.remove();
  await rm(folder, { recursive: true, force: true });
});

const executables = ["site-agent/dist/main.js", "site-console/dist/main.js"] as const;
/** Of the process that the agent starts. */
const tables = "site-agent/dist/tables/main.js";

/** The processes that a process has started, by what they run. */
async function childrenOf(parent: number): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const status = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    if (Number(/\) \S (\d+)/.exec(status)?.[1]) !== parent) continue;
    const command = await readFile(`/proc/${name}/cmdline`, "utf8").catch(() => "");
    const executable = [...executables, tables].find((one) => command.includes(one));
    if (executable !== undefined) found.set(executable, Number(name));
  }
  return found;
}

async function bothReady(): Promise<{ agent: number; console: number }> {
  return waitUntil(
    async () => {
      const children = await childrenOf(site.pid!);
      const [agent, console] = executables.map((one) => children.get(one));
      if (agent === undefined || console === undefined) return null;
      const { connected } = await siteAgent(site)
        .health({})
        .catch(() => ({ connected: false }));
      const { http } = await consoleAnswers();
      return connected && http ? { agent, console } : null;
    },
    90_000,
    "agent and console",
  );
}

async function consoleAddress(): Promise<string> {
  const text = await readFile(join(site.state, "console", "addresses.json"), "utf8");
  return (JSON.parse(text) as { console: string }).console;
}

async function consoleAnswers(): Promise<{ http: boolean }> {
  try {
    return { http: (await fetch(`http://${await consoleAddress()}/healthz`)).ok };
  } catch {
    return { http: false };
  }
}

/** The last field of an address in /proc/net: `0100007F:1B9A`. */
const portOf = (address: string) => Number.parseInt(address.split(":")[1]!, 16);

/** What a process has open: files by path, and its sockets as the kernel has them. */
async function openOf(pid: number) {
  const links = await Promise.all(
    (await readdir(`/proc/${pid}/fd`)).map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => "")),
  );
  const inodes = new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
  const rows = async (table: string) =>
    (await readFile(`/proc/${pid}/net/${table}`, "utf8").catch(() => ""))
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/));
  const tcp = [...(await rows("tcp")), ...(await rows("tcp6"))].filter((row) => inodes.has(row[9]!));
  const udp = [...(await rows("udp")), ...(await rows("udp6"))].filter((row) => inodes.has(row[9]!));
  const unix = (await rows("unix")).filter((row) => inodes.has(row[6]!));
  const listens = "0A";
  const established = "01";
  const listeningPorts = tcp.filter((row) => row[3] === listens).map((row) => portOf(row[1]!));
  return {
    files: links.filter((link) => link.startsWith("/")),
    listeningPorts,
    // What others opened to its own port is not outward.
    outwardPorts: tcp
      .filter((row) => row[3] === established && !listeningPorts.includes(portOf(row[1]!)))
      .map((row) => portOf(row[2]!)),
    udp: udp.length,
    // Bit 16 of the flags: it accepts connections.
    unixListeners: unix.filter((row) => Number.parseInt(row[3]!, 16) & 0x10000).map((row) => row[7]),
  };
}

describe.runIf(isLinux)("a hospital that runs", () => {
  it("has an agent that listens on one Unix socket and has one connection, to the aggregator", async () => {
    const { agent } = await bothReady();
    const open = await openOf(agent);
    expect(open.listeningPorts).toEqual([]);
    expect(open.udp).toBe(0);
    expect(open.unixListeners).toEqual([join(site.state, "agent.sock")]);
    const { grpc } = await federation.aggregator.addresses();
    expect(open.outwardPorts).toEqual([Number(grpc!.split(":").at(-1))]);
    expect((await stat(join(site.state, "agent.sock"))).mode & 0o777).toBe(0o600);
    expect((await stat(site.state)).mode & 0o777).toBe(0o700);
  });

  it("has a console that holds nothing of the site's but its own folder, and listens on its one port", async () => {
    const { agent, console } = await bothReady();
    const open = await openOf(console);
    expect(open.listeningPorts).toEqual([Number((await consoleAddress()).split(":").at(-1))]);
    expect(open.unixListeners).toEqual([join(site.state, "console", "console.sock")]);
    expect(open.outwardPorts).toEqual([]);
    const own = join(site.state, "console");
    const ofTheSite = (files: readonly string[]) => files.filter((file) => file.startsWith(`${folder}/`));
    expect(ofTheSite(open.files)).not.toEqual([]);
    expect(
      ofTheSite(open.files).filter((file) => !file.startsWith(`${own}/`) && !file.endsWith(".log")),
    ).toEqual([]);
    // The same look finds the agent's own files.
    expect((await openOf(agent)).files).toContain(join(site.state, "state.db"));
  });

  it("continues when the console is killed, and has it back", async () => {
    const before = await bothReady();
    process.kill(before.console, "SIGKILL");
    const after = await waitUntil(
      async () => {
        const now = await bothReady();
        return now.console === before.console ? null : now;
      },
      90_000,
      "the console to be started again",
    );
    expect(after.agent).toBe(before.agent);
    expect(await site.log()).toContain("restarting it in 1 s. The agent keeps running.");
  });

  it("ends as a whole when the agent is killed, and says which of them it was", async () => {
    const before = await bothReady();
    process.kill(before.agent, "SIGKILL");
    await waitUntil(async () => (site.running ? null : true), 30_000, "the command to end");
    expect(await site.log()).toContain("The site's agent exited with code 137; stopping its console.");
    await gone(before.console);
  });

  it("stops all on SIGTERM, and leaves none behind when the command itself is killed", async () => {
    await site.start();
    const first = await bothReady();
    const firstTables = (await childrenOf(first.agent)).get(tables)!;
    await site.stop("SIGTERM");
    expect(site.exitCode).toBe(0);
    for (const pid of [first.agent, first.console, firstTables]) await gone(pid);
    await site.start();
    const second = await bothReady();
    const secondTables = (await childrenOf(second.agent)).get(tables)!;
    await site.stop("SIGKILL");
    for (const pid of [second.agent, second.console, secondTables]) await gone(pid);
  });

  it("takes over the accounts of a state folder from before there was a console, without any action", async () => {
    await rm(join(site.state, "console"), { recursive: true });
    const store = openLibsql(join(site.state, "state.db"));
    store
      .prepare("INSERT INTO accounts (name, role, password, created_at) VALUES (?, ?, ?, ?)")
      .run(["ada", "administrator", "hash", 1]);
    store.close();
    await site.start();
    await bothReady();
    const listed = await federation.cliOrThrow("account", "list", "--state", site.state, "--json");
    expect(JSON.parse(listed.stdout)).toMatchObject([{ name: "ada", role: "administrator" }]);
    expect(Object.values(await siteAgent(site).formerAccounts({})).flat()).toEqual([]);
  });

  it("runs as two commands that share a socket and nothing else, as in two containers", async () => {
    await site.stop();
    const shared = join(folder, "shared");
    const elsewhere = join(folder, "elsewhere");
    for (const path of [shared, elsewhere]) await mkdir(path, { mode: 0o700 });
    const socket = join(shared, "agent.sock");
    const member = (role: "site-agent" | "site-console", state: string, flag: string) =>
      new Member(role, state, federation.environment, [program, "serve", "site", flag, "--socket", socket]);
    const agent = member("site-agent", site.state, "--agent-only");
    const console = member("site-console", elsewhere, "--console-only");
    try {
      await Promise.all([console.start(), agent.start()]);
      const text = await readFile(join(elsewhere, "console", "addresses.json"), "utf8");
      const address = (JSON.parse(text) as { console: string }).console;
      expect((await fetch(`http://${address}/healthz`)).ok).toBe(true);
      expect(await (await fetch(`http://${address}/metrics`)).text()).toContain('service="site-agent"');
      const listed = await federation.cliOrThrow("account", "list", "--state", elsewhere, "--json");
      expect(JSON.parse(listed.stdout)).toEqual([]);
      // The command line asks in the agent's own folder.
      await siteAgent(site).health({});
      const asked = agentClient({ socketPath: socket, timeoutMs: 10_000 }).profile({
        study: "",
        values: true,
      });
      await expect(asked).rejects.toMatchObject({ code: "NOT_PERMITTED" });
    } finally {
      await Promise.all([console.stop(), agent.stop()]);
    }
  });
});

async function gone(pid: number): Promise<void> {
  await waitUntil(
    async () => {
      const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
      return status === null || / Z /.test(status) ? true : null;
    },
    30_000,
    `process ${pid} to end`,
  );
}
