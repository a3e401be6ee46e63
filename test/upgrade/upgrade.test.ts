/**
 * The state that an earlier version has left (scripts/stateFixture.ts): this one continues from there, and says in each store that an
 * earlier one must not open it.
 */
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { migrations as aggregatorMigrations } from "@consilium/aggregator/store/schema";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { migrations as publisherMigrations } from "@consilium/publisher/store/schema";
import { openStore } from "@consilium/runtime/store/store";
import { migrations as siteMigrations } from "@consilium/site-agent/store/schema";
import { migrations as consoleMigrations } from "@consilium/site-console/schema";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { LocalFederation } from "../../scripts/localFederation.js";

interface Ledger {
  readonly head: { readonly sequence: number; readonly hash: string };
  readonly populations: readonly { readonly spent: number }[];
  readonly entries: readonly unknown[];
}

/** What the earlier version said of its state. */
interface Said {
  readonly released: string;
  readonly refused: string;
  readonly ledgers: Readonly<Record<string, Ledger>>;
  /** By store, how many migrations it had. */
  readonly formats: Readonly<Record<string, number>>;
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const careful = "hospital-c";
let home: string;
let said: Said;
let federation: LocalFederation;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "consilium-upgrade-"));
  execFileSync("tar", ["-xzf", join(root, "test/upgrade/state.tar.gz"), "-C", home]);
  said = JSON.parse(await readFile(join(home, "said.json"), "utf8")) as Said;
});
afterAll(async () => {
  await federation?.remove();
  await rm(home, { recursive: true, force: true });
});

const migrationsOf = (store: string): readonly string[] => {
  if (store.startsWith("aggregator/")) return aggregatorMigrations;
  if (store.startsWith("publisher/")) return publisherMigrations;
  return store.includes("/console/") ? consoleMigrations : siteMigrations;
};
const json = async (...command: string[]): Promise<Record<string, unknown>> =>
  JSON.parse((await federation.cliOrThrow(...command, "--json")).stdout);
const ledgerOf = async (site: string) =>
  (await json("ledger", "show", "--state", federation.site(site).state)) as unknown as Ledger;
const atCareful = (...command: string[]) => [...command, "--state", federation.site(careful).state];

it("continues from the state of an earlier version, and keeps what is in it", async () => {
  const sites = Object.keys(said.ledgers);
  const tables = sites.map((id) => [id, { biopsies: join(root, `examples/data/${id}.csv`) }] as const);
  federation = await LocalFederation.reopen(home, "upgrade", Object.fromEntries(tables));
  await federation.startConsole(careful);
  await federation.waitForSites();

  // Entries, hashes and totals of each ledger, decisions of people, and accounts.
  for (const id of sites) {
    const ledger = await ledgerOf(id);
    expect(ledger).toMatchObject(said.ledgers[id]!);
    await federation.cliOrThrow("ledger", "verify", "--state", federation.site(id).state);
  }
  expect((await federation.cliOrThrow(...atCareful("site", "show", said.refused))).stdout).toContain(
    "the board meets in May",
  );
  expect((await federation.cliOrThrow("account", "list")).stdout).toContain("vera");
  expect((await federation.cliOrThrow(...atCareful("account", "list"))).stdout).toContain("dr.ada");

  // Its release is served, and verifies.
  const authority = ["--authority", join(home, "authority/root.pem")];
  const fetched = (id: string) =>
    federation.cliOrThrow("release", "get", id, ...authority, "--to", join(home, id));
  await fetched(said.released);
  expect(
    (await federation.cliOrThrow("release", "verify", join(home, said.released), ...authority)).stdout,
  ).toMatch(/proven/);

  // A further study runs, and each ledger continues from where it was.
  const study = parse(await readFile(join(root, "examples/studies/wdbc-counts.yaml"), "utf8"));
  study.participation.minimumSites = sites.length;
  const { id } = await federation.startStudy(study);
  const approve = () => federation.cli(...atCareful("site", "approve", id, "--yes"));
  await expect.poll(async () => (await approve()).code).toBe(0);
  await federation.waitForRelease(id);
  await fetched(id);
  for (const site of sites) {
    const before = said.ledgers[site]!;
    const after = await ledgerOf(site);
    expect(after.entries.slice(0, before.entries.length)).toMatchObject(before.entries);
    const [spent, once] = [after, before].map((ledger) => ledger.populations[0]!.spent) as [number, number];
    expect(spent).toBeGreaterThan(once);
    expect(spent).toBeLessThan(2 * once);
  }
  await federation.stop();
});

it("leaves stores that the earlier version refuses before it changes anything", async () => {
  const stores = Object.entries(said.formats);
  expect(stores).toHaveLength(6);
  for (const [store, format] of stores) {
    const path = join(home, store);
    const migrations = migrationsOf(store);
    openStore(path, migrations).close();
    // A migration is always appended: what the earlier version had is the beginning of what there is.
    expect(migrations.length).toBeGreaterThanOrEqual(format);
    const earlier = () => openStore(path, migrations.slice(0, format)).close();
    const bytes = await readFile(path);
    if (migrations.length === format) expect(earlier).not.toThrow();
    else
      expect(inEnglish(earlier)).toThrow(
        `has format ${migrations.length}; this software supports up to ${format}`,
      );
    expect(bytes.equals(await readFile(path))).toBe(true);
  }
});
