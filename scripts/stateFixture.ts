import { execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { openLibsql } from "@consilium/runtime/store/driver";
import { parse } from "yaml";
import type * as Local from "./localFederation.js";

/**
 * Makes test/upgrade/state.tar.gz: what an earlier version of the software leaves on the disks of an aggregator, a publisher and
 * three hospitals, for the test that this one continues from there. Tables are the examples'; the keys were made for it and
 * protect nothing.
 */
const usage = `Usage: npx tsx --tsconfig <folder>/tsconfig.check.json scripts/stateFixture.ts <folder> [--to <file>]

  <folder>  a checkout of the earlier version, built; its packages are found by its own tsconfig.check.json
  --to      the file to write (default: test/upgrade/state.tar.gz)
`;
const root = fileURLToPath(new URL("..", import.meta.url));
const { positionals, values } = parseArgs({ allowPositionals: true, options: { to: { type: "string" } } });
const [checkout] = positionals;
if (checkout === undefined) {
  process.stderr.write(usage);
  process.exit(2);
}
const earlier = (path: string) => pathToFileURL(resolve(checkout, path)).href;
const { LocalFederation, editConfig, waitUntil } = (await import(
  earlier("scripts/localFederation.ts")
)) as typeof Local;

const hospitals = ["hospital-a", "hospital-b", "hospital-c"] as const;
/** Its staff approve by hand. */
const careful = "hospital-c";
const scratch = await mkdtemp(join(tmpdir(), "consilium-state-"));
const home = join(scratch, "home");
try {
  await pack(await make(), resolve(values.to ?? join(root, "test/upgrade/state.tar.gz")));
} finally {
  await rm(scratch, { recursive: true, force: true });
}

/** @returns what the earlier version says of the state that it leaves */
async function make(): Promise<object> {
  const federation = await LocalFederation.create(home, "upgrade");
  try {
    // The test is to run for years.
    await federation.aggregator.stop();
    await editConfig(federation.aggregator.state, (config) => {
      config.siteCertificateLifetime = "1700d";
    });
    await federation.aggregator.start();
    await mkdir(join(home, "data"));
    for (const id of hospitals) {
      const table = join(home, "data", `${id}.csv`);
      await cp(join(root, "examples/data", `${id}.csv`), table);
      const approval = id === careful ? "person" : "automatic";
      const budget = { epsilon: 3, delta: 1e-5 };
      await federation.addSite({ id, tables: { biopsies: table }, approval, policy: { budget } });
    }
    await federation.startConsole(careful);
    await federation.waitForSites();
    const json = async (...command: string[]) =>
      JSON.parse((await federation.cliOrThrow(...command, "--json")).stdout) as Record<string, unknown>;
    const ofCareful = ["--state", federation.site(careful).state];
    await federation.cliOrThrow("account", "add", "vera", "--role", "viewer");
    await federation.cliOrThrow("account", "add", "dr.ada", "--role", "approver", "--site", careful);

    const offered = async (name: string) => {
      const text = await readFile(join(root, "examples/studies", `${name}.yaml`), "utf8");
      const study = parse(text) as { participation: { minimumSites: number } };
      study.participation.minimumSites = hospitals.length;
      const { id } = await federation.startStudy(study);
      const waits = async () => {
        const studies = await federation.cli("site", "show", id, ...ofCareful, "--json");
        return studies.code === 0 ? id : null;
      };
      return waitUntil(waits, 60_000, `${name} to be offered`);
    };
    const released = await offered("wdbc-counts");
    await federation.cliOrThrow("site", "approve", released, "--yes", ...ofCareful);
    await federation.waitForRelease(released);
    const refused = await offered("wdbc-regression");
    await federation.cliOrThrow(
      "site",
      "refuse",
      refused,
      "--reason",
      "the board meets in May",
      "--yes",
      ...ofCareful,
    );

    const ledgers: Record<string, unknown> = {};
    for (const id of hospitals)
      ledgers[id] = await json("ledger", "show", "--state", federation.site(id).state);
    const { software } = (await federation.study(released)) as { software?: string };
    const commit = execFileSync("git", ["-C", checkout!, "rev-parse", "HEAD"], { encoding: "utf8" }).trim();
    return { commit, software, released, refused, ledgers };
  } finally {
    await federation.stop();
  }
}

/** Packs the state without what processes write anew: tables, logs, sockets and locks. */
async function pack(said: object, to: string): Promise<void> {
  const files = (await readdir(home, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(home, join(entry.parentPath, entry.name)))
    .filter((path) => !/^data\/|\.log$|\block\b|\.db-(?:wal|shm)$/.test(path))
    .sort();
  const formats: Record<string, number> = {};
  for (const path of files.filter((file) => file.endsWith(".db"))) {
    const store = openLibsql(join(home, path));
    store.exec("VACUUM");
    store.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    formats[path] = store.format();
    store.close();
  }
  await writeFile(join(home, "said.json"), `${JSON.stringify({ ...said, formats }, null, 2)}\n`);
  await mkdir(dirname(to), { recursive: true });
  const list = join(scratch, "files");
  await writeFile(list, ["said.json", ...files].join("\n"));
  execFileSync("tar", ["-C", home, "--owner=0", "--group=0", "-I", "gzip -9n", "-cf", to, "-T", list]);
  process.stdout.write(`${to}: ${files.length} files, formats ${JSON.stringify(formats)}\n`);
}
