/**
 * SIGKILL at random moments, and whether the ledger has lost or doubled anything: of a process that does nothing but
 * spend, and of whole site agents in the middle of studies. Shared by the tests and `npm run bench -- ledger-kills`.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { StudyView } from "@consilium/core/operator/views";
import { unwrap } from "@consilium/core/result";
import { openLibsql } from "@consilium/runtime/store/driver";
import { openStore, type Store } from "@consilium/runtime/store/store";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { anchorFileName, readAnchor } from "@consilium/site-agent/ledger/anchors";
import type { VerifiedChain } from "@consilium/site-agent/ledger/chain";
import type { EntryOf } from "@consilium/site-agent/ledger/entry";
import { type LedgerHead, readHead } from "@consilium/site-agent/ledger/head";
import { holdsHead } from "@consilium/site-agent/ledger/history";
import { storedEntries, verifyRows } from "@consilium/site-agent/ledger/ledger";
import { populationsOf } from "@consilium/site-agent/ledger/spending";
import { migrations } from "@consilium/site-agent/store/schema";
import { build } from "esbuild";
import { spentUnder } from "../../site-agent/src/ledger/spending.js";
import { type FaultFederation, seededUniform, stored, studyOf } from "./faultFederation.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface KillReport {
  readonly kills: number;
  /** What was found wrong; nothing, if all is well. */
  readonly faults: readonly string[];
  /** Commitments in the ledgers at the end. */
  readonly commits: number;
  /** Of the killed processes, how many had something under way: by what was open, or `idle`. */
  readonly moments: Readonly<Record<string, number>>;
}

// ---- what must hold of any ledger -------------------------------------------------------------------------------

interface CheckedLedger {
  readonly chain: VerifiedChain;
  readonly commits: readonly EntryOf<"commit">[];
}

/** By the ledger's own entries: it verifies, and nothing is committed twice. */
function checkLedger(store: Pick<Store, "all">, fault: (what: string) => void): CheckedLedger | null {
  const chain = verifyRows(storedEntries(store), null);
  if (!chain.ok) {
    fault(chain.error.message);
    return null;
  }
  const commits = chain.value.entries.flatMap(({ entry }) => (entry.kind === "commit" ? [entry] : []));
  const places = new Set(commits.map((one) => placeOf(one.study, one.stage, one.attempt)));
  if (places.size < commits.length) fault(`${commits.length - places.size} commitments came twice`);
  return { chain: chain.value, commits };
}

function placeOf(study: string, stage: string, attempt: number): string {
  return `${study} ${stage} ${attempt}`;
}

/** The anchor beside the database is the ledger's own, and as new as anything that left. */
function checkAnchor(
  folder: string,
  { chain }: CheckedLedger,
  newest: number,
  fault: (what: string) => void,
): LedgerHead | null {
  const anchor = readAnchor(join(folder, anchorFileName));
  if (anchor === null) {
    if (newest > 0) fault(`entry ${newest} left without an anchor`);
    return null;
  }
  const head = readHead(anchor, chain);
  if (!head.ok) {
    fault(head.error.message);
    return null;
  }
  if (head.value.sequence < newest) fault(`entry ${newest} left, the anchor is at ${head.value.sequence}`);
  if (!holdsHead(chain.entries, head.value)) fault(`the anchor ${head.value.sequence} is not held`);
  return head.value;
}

// ---- a process that only spends ---------------------------------------------------------------------------------

/** One process's life after another on the same folder; a fresh folder every so many, for its ledger only grows. */
const livesPerFolder = 15;

interface SpenderKills {
  readonly kills: number;
  readonly seed: number;
  /** A process is killed at a random moment of so many milliseconds after it is ready. */
  readonly longestMs?: number;
  /** The control: outgoing data are charged a little later, as it must not be. */
  readonly late?: boolean;
}

export async function killSpenders(options: SpenderKills): Promise<KillReport> {
  const folders = Math.ceil(options.kills / livesPerFolder);
  const reports: KillReport[] = [];
  const spender = await compiledSpender();
  try {
    for (let done = 0; done < folders; done += 2) {
      const lanes = [done, done + 1].filter((folder) => folder < folders);
      reports.push(...(await Promise.all(lanes.map((folder) => killInFolder(spender, folder, options)))));
    }
  } finally {
    await rm(spender);
  }
  const moments: Record<string, number> = {};
  for (const report of reports)
    for (const [moment, count] of Object.entries(report.moments))
      moments[moment] = (moments[moment] ?? 0) + count;
  const sum = (of: (report: KillReport) => number) => reports.reduce((total, one) => total + of(one), 0);
  return {
    kills: sum(({ kills }) => kills),
    commits: sum(({ commits }) => commits),
    faults: reports.flatMap(({ faults }) => faults),
    moments,
  };
}

/** For each kill that was asked for. */
const livesMost = 10;

async function killInFolder(spender: string, index: number, options: SpenderKills): Promise<KillReport> {
  const { seed, longestMs = 200, late = false } = options;
  const uniform = seededUniform(seed + index);
  const kills = Math.min(livesPerFolder, options.kills - index * livesPerFolder);
  const faults: string[] = [];
  const moments: Record<string, number> = {};
  const left: string[] = [];
  let commits = 0;
  let lives = 0;
  const folder = await mkdtemp(join(tmpdir(), "consilium-ledger-kills-"));
  try {
    const { privateKey } = generateKeyPairSync("ed25519");
    await writeFile(join(folder, "key.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
    // On a busy machine a life has few commits: further ones follow until there were more than kills were asked for.
    for (let n = 1; n <= kills || (commits <= kills && n <= livesMost * kills); n++) {
      // The control has shown what it is for.
      if (late && faults.length > 0) break;
      lives = n;
      const life = `life ${n} in folder ${index + 1}`;
      const lines = await liveAndDie(spender, folder, uniform() * longestMs, late);
      if (lines[0] !== "ready") faults.push(`${life}: ${lines.join(", ")}`);
      const last = lines.at(-1)?.split(" ").slice(2, 4).join(" ");
      const moment = lines.length < 2 ? "before anything left" : `after ${last} left`;
      moments[moment] = (moments[moment] ?? 0) + 1;
      left.push(...lines.slice(1));
      commits = checkSpender(folder, left, (what) => faults.push(`${life}: ${what}`));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return { kills: lives, faults, commits, moments };
}

/** The spender as one file, which starts in a fraction of the time that its sources take; where our packages are found. */
async function compiledSpender(): Promise<string> {
  const outfile = join(root, "node_modules", ".cache", "consilium", `spender-${process.pid}.mjs`);
  await build({
    entryPoints: [join(root, "site-agent", "testing", "ledger", "spender.ts")],
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    logLevel: "error",
  });
  return outfile;
}

/** Starts a spender, kills it and gives the whole lines that it wrote. */
async function liveAndDie(
  spender: string,
  folder: string,
  afterMs: number,
  late: boolean,
): Promise<string[]> {
  const args = [spender, folder, ...(late ? ["late"] : [])];
  const child: ChildProcess = spawn(process.execPath, args, {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  const closed = new Promise((resolve) => child.once("close", resolve));
  const begun = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout! }).on("line", (line) => {
      lines.push(line);
      resolve();
    });
    child.once("exit", () => resolve());
  });
  await begun;
  await delay(afterMs);
  child.kill("SIGKILL");
  await closed;
  return lines;
}

/** @returns commitments in the ledger */
function checkSpender(folder: string, left: readonly string[], fault: (what: string) => void): number {
  const store = openStore(join(folder, "state.db"), migrations);
  try {
    const ledger = checkLedger(store, fault);
    if (ledger === null) return 0;
    const answers = new Map(
      store
        .all("SELECT name, value FROM facts WHERE name LIKE 'answer %'")
        .map((row) => [String(row.name).slice("answer ".length), sha256(row.value as Uint8Array)]),
    );
    const committed = new Map(
      ledger.commits.map((one) => [placeOf(one.study, one.stage, one.attempt), one.sequence]),
    );
    if (answers.size !== committed.size || [...answers.keys()].some((place) => !committed.has(place)))
      fault(`${answers.size} answers are stored, ${committed.size} are charged`);
    let newest = 0;
    for (const line of left) {
      const [, study, stage, attempt, entry, hash] = line.split(" ");
      const place = placeOf(study!, stage!, Number(attempt));
      if (committed.get(place) !== Number(entry)) fault(`${line}: it is not charged so`);
      if (answers.get(place) !== hash) fault(`${line}: it left in another form`);
      newest = Math.max(newest, Number(entry));
    }
    checkAnchor(folder, ledger, newest, fault);
    const rho = ledger.commits.length / 1024;
    if (spentUnder("patients", ledger.chain.totals.bookings()).rho !== rho) fault(`the total is not ${rho}`);
    return ledger.commits.length;
  } finally {
    store.close();
  }
}

// ---- site agents in the middle of studies -----------------------------------------------------------------------

/** A study of two secure sums with noise. Its deadline is for sites that are lost, not for those of a busy machine. */
export function studyOfSums(name: string, sites: readonly string[]): object {
  const privacy = { epsilon: 0.5, delta: 1e-5 };
  const { parameters, ...study } = studyOf({ name, sites, privacy, phaseDeadline: "90s" }) as {
    parameters: object;
  };
  return { ...study, method: "dp-pca", variant: "sound", parameters: { ...parameters, form: "two-round" } };
}

const studiesAtOnce = 2;

/**
 * Kills site agents at random moments of studies and starts them again, until so many were killed; then lets the studies
 * end and holds every ledger against the site's egress log and the aggregator's store.
 * @param options.atOnce - so many sites may be dead at a time
 */
export async function killAgents(
  federation: FaultFederation,
  options: { readonly kills: number; readonly seed: number; readonly atOnce?: number },
): Promise<KillReport & { readonly studies: Readonly<Record<string, number>> }> {
  const uniform = seededUniform(options.seed);
  const sites = [...federation.local.sites.keys()];
  const free = new Set(sites);
  const moments: Record<string, number> = {};
  const studies: Record<string, number> = {};
  let killed = 0;
  let failed = false;
  const keepStudying = async (lane: number): Promise<void> => {
    for (let n = 1; killed < options.kills && !failed; n++) {
      const ended = await studyToItsEnd(federation, studyOfSums(`killed-${lane}-${n}`, sites));
      studies[ended.status] = (studies[ended.status] ?? 0) + 1;
    }
  };
  const keepKilling = async (): Promise<void> => {
    while (killed < options.kills && !failed) {
      await delay(uniform() * 200);
      await nextAnswer(federation);
      await delay(uniform() * 60);
      if (killed >= options.kills) return;
      killed++;
      const site = [...free][Math.floor(uniform() * free.size)]!;
      free.delete(site);
      const moment = openStep(federation);
      moments[moment] = (moments[moment] ?? 0) + 1;
      await federation.site(site).stop("SIGKILL");
      await federation.site(site).start();
      free.add(site);
    }
  };
  const lanes = [
    ...Array.from({ length: studiesAtOnce }, (_, lane) => keepStudying(lane + 1)),
    ...Array.from({ length: options.atOnce ?? 3 }, keepKilling),
  ];
  for (const lane of lanes)
    lane.catch(() => {
      failed = true;
    });
  // All of them come to an end before anybody takes the federation away from under them.
  const ends = await Promise.allSettled(lanes);
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  await federation.waitForPresence(sites, "online");
  const faults: string[] = [];
  let commits = 0;
  for (const site of sites) {
    await settled(federation, site);
    commits += checkAgent(federation, site, (what) => faults.push(`${site}: ${what}`));
  }
  return { kills: killed, faults, commits, moments, studies };
}

async function studyToItsEnd(federation: FaultFederation, study: object): Promise<StudyView> {
  const begun = await federation.local.startStudy(study);
  return federation.until(`study ${begun.id} to end`, async () => {
    const view = await federation.local.study(begun.id);
    return view.endedAt === null ? null : view;
  });
}

/** The moment at which the aggregator has heard something new. */
async function nextAnswer(federation: FaultFederation, atMostMs = 5_000): Promise<void> {
  const database = openLibsql(join(federation.aggregator.state, "state.db"));
  try {
    const newest = database.prepare("SELECT max(id) AS id FROM events");
    const before = newest.get([])?.id;
    const giveUpAt = Date.now() + atMostMs;
    while (newest.get([])?.id === before && Date.now() < giveUpAt) await delay(5);
  } finally {
    database.close();
  }
}

/** The step of the newest study that is open now. */
function openStep(federation: FaultFederation): string {
  const [step] = stored(
    federation.aggregator,
    "SELECT step FROM steps WHERE done_at IS NULL ORDER BY opened_at DESC LIMIT 1",
  );
  return step === undefined ? "idle" : String(step.step);
}

/** Until a site knows that all its studies have ended. */
async function settled(federation: FaultFederation, site: string): Promise<void> {
  await federation.until(`${site} to know that its studies have ended`, async () => {
    const open = stored(federation.site(site), "SELECT id FROM studies WHERE status = 'joined'");
    return open.length === 0 || null;
  });
}

/** The egress log, the charges and the received data agree. @returns commitments in the site's ledger */
function checkAgent(federation: FaultFederation, site: string, fault: (what: string) => void): number {
  const member = federation.site(site);
  const ledger = checkLedger({ all: (sql, ...params) => stored(member, sql, ...params) }, fault);
  if (ledger === null) return 0;
  const committed = new Map(ledger.commits.map((one) => [one.sequence, one]));
  const places = new Map(
    ledger.commits.map((one) => [placeOf(one.study, one.stage, one.attempt), one.sequence]),
  );

  // What was computed and what it costs are one durable write.
  const answers = new Map(
    stored(member, "SELECT study, step, attempt, sha256 FROM answers WHERE kind IN ('sum', 'rows')").map(
      (row) => [placeOf(String(row.study), String(row.step), Number(row.attempt)), String(row.sha256)],
    ),
  );
  if (answers.size !== places.size || [...answers.keys()].some((place) => !places.has(place)))
    fault(`${answers.size} vectors are stored, ${places.size} are charged`);

  // Every vector that left is charged, as what it is, and left in one form only.
  let newest = 0;
  const left = stored(
    member,
    "SELECT study, step, sha256, charge FROM egress WHERE what IN ('masked vector', 'reduced rows')",
  );
  for (const { study, step, sha256: hash, charge } of left) {
    const commit = committed.get(Number(charge ?? 0));
    const words = `data sent for ${step} of ${study}`;
    if (commit === undefined || commit.study !== study || commit.stage !== step)
      fault(`${words} is charged by entry ${charge}, which is not its own`);
    else if (answers.get(placeOf(commit.study, commit.stage, commit.attempt)) !== hash)
      fault(`${words} is not what is stored`);
    newest = Math.max(newest, Number(charge ?? 0));
  }

  // What the aggregator holds was charged and left.
  const logged = new Set(left.map((row) => `${row.study} ${row.step} ${row.sha256}`));
  const uploads = stored(
    federation.aggregator,
    "SELECT study, step, attempt, sha256 FROM uploads WHERE site = ? AND complete_at IS NOT NULL",
    site,
  );
  for (const { study, step, attempt, sha256: hash } of uploads) {
    if (answers.get(placeOf(String(study), String(step), Number(attempt))) !== hash)
      fault(`the aggregator holds a vector for ${step} of ${study} that is not charged`);
    if (!logged.has(`${study} ${step} ${hash}`)) fault(`${step} of ${study} is not in the egress log`);
  }
  if (uploads.length === 0) fault("nothing arrived at all");

  // What ended reserves nothing any more, and the heads that were given out are held.
  const { totals, entries } = ledger.chain;
  for (const name of populationsOf(totals)) {
    const { rho, unbounded } = spentUnder(name, totals.reservations());
    if (rho > 0 || unbounded > 0) fault(`population ${name} still reserves rho ${rho}`);
  }
  checkAnchor(member.state, ledger, newest, fault);
  const [shown] = stored(
    federation.aggregator,
    "SELECT head, signature FROM ledger_heads WHERE site = ?",
    site,
  );
  const wire = {
    head: String(shown?.head ?? ""),
    signature: (shown?.signature ?? new Uint8Array()) as Uint8Array,
  };
  if (!holdsHead(entries, unwrap(readHead(wire, ledger.chain)))) fault("the aggregator's head is not held");
  return ledger.commits.length;
}
