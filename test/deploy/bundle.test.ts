import { type ChildProcess, execFile, spawn } from "node:child_process";
import { appendFile, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/**
 * The file of `npm run bundle`: what is in it, what its installer refuses, and that it alone, on a machine without any network but
 * its own loopback, makes a federation and a release.
 */
const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
const isHere = process.platform === "linux" && process.getuid?.() === 0;
if (!isHere) {
  const missing = "only root may make a machine without network";
  if (process.env.CONSILIUM_FORBID_SKIPS === "1") throw new Error(missing);
  process.stderr.write(`\nSKIPPED: tests of the bundle: ${missing}\n`);
}

describe.skipIf(!isHere)("the bundle", () => {
  let scratch = "";
  let folder = "";
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), "consilium-bundle-test-"));
    const file = join(scratch, "bundle.tar");
    const env = { ...process.env, CONSILIUM_BUILT: "1" };
    const { stdout } = await run(process.execPath, ["scripts/bundle.mjs", "--to", file], { cwd: root, env });
    expect(stdout).toMatch(/^[0-9a-f]{64} {2}\/.*bundle\.tar\n$/);
    const { stdout: sum } = await run("sha256sum", [file]);
    expect(sum).toBe(stdout);
    await run("tar", ["-xf", file, "-C", scratch]);
    await rm(file);
    const [name] = (await readdir(scratch)).filter((entry) => entry.startsWith("consilium-"));
    folder = join(scratch, name!);
  });
  afterAll(() => rm(scratch, { recursive: true, force: true }));

  it("has a bill of materials with every package that it holds, and no other than the pages'", async () => {
    const bill = JSON.parse(await readFile(join(folder, "sbom.cdx.json"), "utf8")) as {
      bomFormat: string;
      specVersion: string;
      components: readonly { purl: string }[];
    };
    expect(bill).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6" });
    const listed = new Set(bill.components.map(({ purl }) => purl));
    const held = await packagesBelow(join(folder, "app"));
    expect(held.size).toBeGreaterThan(150);
    const driver = /^pkg:npm\/(?:%40duckdb\/node-api|mariadb|mssql|oracledb|pg)@/;
    const drivers = [...held].flatMap((purl) => driver.exec(purl) ?? []);
    // Those of SQL Server and Oracle are added by hospitals that have such a server.
    expect(drivers.sort()).toEqual(["pkg:npm/%40duckdb/node-api@", "pkg:npm/mariadb@", "pkg:npm/pg@"]);
    expect([...held].filter((purl) => !listed.has(purl))).toEqual([]);
    expect(listed).toContainEqual(expect.stringMatching(/^pkg:npm\/react@/));
    expect([...listed].filter((purl) => /\/(?:vitest|typescript|vite|playwright-core)@/.test(purl))).toEqual(
      [],
    );
  });

  it("is refused by its installer with a changed, a missing or a further file, or a changed link", async () => {
    const check = () => run("./install.sh", ["--check"], { cwd: folder });
    const license = join(folder, "app/LICENSE");
    const text = await readFile(license);
    await appendFile(license, "x");
    await expect(check()).rejects.toThrow(/LICENSE: FAILED[\s\S]*differ from SHA256SUMS/);
    await writeFile(license, text);

    await rename(license, `${license}.away`);
    await expect(check()).rejects.toThrow(/does not list, or lacks/);
    await rename(`${license}.away`, license);

    const further = join(folder, "app/node_modules/further.js");
    await writeFile(further, "");
    await expect(check()).rejects.toThrow(/does not list, or lacks/);
    await rm(further);

    const link = join(folder, "app/node_modules/@consilium/core");
    await rm(link);
    await symlink("../../gate", link);
    await expect(check()).rejects.toThrow(/SYMLINKS/);
    await rm(link);
    await symlink("../../core", link);
    // So it is accepted again.
    expect((await check()).stdout).toMatch(/^Verified \d{4,} files\.\n$/);
  });

  it("makes a federation and its release on a machine without network", async () => {
    const machine = await Airgapped.start(folder);
    try {
      // Nothing outside of it answers there, and this machine's own servers neither.
      const outside =
        'node -e \'require("net").connect(9, "192.0.2.1").on("error", (fault) => console.log(fault.code))\'';
      expect(await machine.sh(outside)).toBe("ENETUNREACH\n");
      expect(await machine.sh("ip -brief link | cut -d' ' -f1")).toBe("lo\n");
      expect(await machine.sh("/opt/bundle/install.sh --no-units")).toMatch(
        /Installed in \/opt\/consilium\.\n$/,
      );
      const consilium = (command: string) => machine.sh(`node /opt/consilium/cli/dist/main.js ${command}`);
      await consilium("init --name airgapped");
      machine.serve("publisher", "/opt/state/publisher");
      machine.serve("aggregator", "/opt/state/aggregator");
      const ready = () => machine.sh("curl -fs http://127.0.0.1:7080/readyz || true");
      await expect.poll(ready).toContain("true");
      for (const site of ["hospital-a", "hospital-b", "hospital-c"]) {
        await consilium(`invite ${site} --to /opt/${site}.token`);
        const table = `--csv-header --table biopsies=/opt/consilium/examples/data/${site}.csv --unit biopsies=rows`;
        await consilium(`site enroll --token-file /opt/${site}.token ${table} --approval automatic`);
        machine.serve("site-agent", `/opt/state/sites/${site}`);
      }
      const study = "/opt/consilium/examples/studies/wdbc-counts.yaml";
      await machine.sh(`sed "s/minimumSites: 4/minimumSites: 3/" ${study} > /opt/study.yaml`);
      await consilium("study start /opt/study.yaml --watch");
      const root = "--authority /opt/state/authority/root.pem";
      expect(await consilium(`release get wdbc-counts ${root} --to /opt/release`)).toMatch(/proven/);
      expect(await machine.sh("ls /opt/release")).toMatch(/certificate\.json/);
    } finally {
      await machine.close();
    }
    // It was another /opt.
    expect(await readdir("/opt")).not.toContain("release");
  });
});

/** Package URLs of what lies in folders `node_modules`, without links. */
async function packagesBelow(folder: string): Promise<Set<string>> {
  const found = new Set<string>();
  const walk = async (below: string): Promise<void> => {
    for (const entry of await readdir(below, { withFileTypes: true })) {
      const path = join(below, entry.name);
      if (!entry.isDirectory()) continue;
      if (/\/node_modules\/(?:@[^/]+\/)?[^@/][^/]*$/.test(path)) {
        const { name, version } = JSON.parse(await readFile(join(path, "package.json"), "utf8")) as {
          name: string;
          version: string;
        };
        found.add(`pkg:npm/${name.replace("@", "%40")}@${version}`);
      }
      await walk(path);
    }
  };
  await walk(folder);
  return found;
}

/** This machine with an empty /opt in memory, and with no network but its own loopback. */
class Airgapped {
  readonly #leader: ChildProcess;
  readonly #servers: ChildProcess[] = [];

  private constructor(leader: ChildProcess) {
    this.#leader = leader;
  }

  /** @param bundle - the folder that it sees as /opt/bundle */
  static async start(bundle: string): Promise<Airgapped> {
    const script = `ip link set lo up
      mount -t tmpfs tmpfs /mnt && mkdir /mnt/bundle && mount --bind "$1" /mnt/bundle && mount --move /mnt /opt
      echo ready
      exec sleep infinity`;
    const leader = spawn("unshare", ["--net", "--mount", "sh", "-euc", script, "sh", bundle], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const machine = new Airgapped(leader);
    await new Promise<void>((resolve, reject) => {
      leader.stdout!.once("data", () => resolve());
      leader.once("exit", (code) => reject(new Error(`unshare ended with ${code}`)));
    });
    return machine;
  }

  #within(command: readonly string[]): readonly string[] {
    return ["-t", String(this.#leader.pid), "-n", "-m", ...command];
  }

  get #env(): NodeJS.ProcessEnv {
    return {
      PATH: `${join(process.execPath, "..")}:${process.env.PATH}`,
      CONSILIUM_HOME: "/opt/state",
      NO_COLOR: "1",
    };
  }

  async sh(script: string): Promise<string> {
    const options = { env: this.#env, cwd: "/" };
    return (await run("nsenter", this.#within(["sh", "-euc", script]), options)).stdout;
  }

  serve(part: string, state: string): void {
    const program = ["node", `/opt/consilium/${part}/dist/main.js`, "--state", state];
    this.#servers.push(
      spawn("nsenter", this.#within(program), { env: this.#env, cwd: "/", stdio: "ignore" }),
    );
  }

  /** With the last process the memory and the network go. */
  async close(): Promise<void> {
    for (const process of [...this.#servers, this.#leader]) {
      if (process.exitCode !== null || process.signalCode !== null) continue;
      const ended = new Promise((resolve) => process.once("exit", resolve));
      process.kill("SIGKILL");
      await ended;
    }
  }
}
