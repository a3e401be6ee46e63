/**
 * One stage with many sites: the aggregator as a process of its own, as it is; the sites simulated, many to a process, each
 * with its certificate and its connection over mutual TLS. One in a hundred drops out at each step.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ringVectorFromBytes } from "@consilium/core/fixed-point/ringVector";
import type { SiteId } from "@consilium/core/ids";
import type { StudyView } from "@consilium/core/operator/views";
import { unwrap } from "@consilium/core/result";
import { planStudy, type SumStage } from "@consilium/core/study/plan";
import { parseStudy } from "@consilium/methods/testing/studies";
import { openLibsql, type SqlDriver } from "@consilium/runtime/store/driver";
import { sumParameters } from "@consilium/secure-sum/parameters";
import { LocalFederation } from "../../scripts/localFederation.js";
import { peakMemoryMiB, processorMs } from "./processFigures.js";
import { type BenchRow, compare, printReport, wholeNumbers } from "./report.js";
import { roundStage, studyOf } from "./roundTiming.js";
import { enrolInStore } from "./scaleEnrolment.js";
import type { ScaleFigures, ScaleRequest } from "./scaleSites.js";
import { droppedPerStep, siteName } from "./simulatedSite.js";

const usage = `Usage: npm run bench -- scale [--sites 50,200,1000] [--length 1e5] [--processes 2] [--json]

One stage with so many sites. The aggregator is a process as it is in production, with everything durable on disk. The
sites are simulated, many to a process: each has a certificate of the aggregator's issuing key, a connection of its own over
mutual TLS and the state machine of a real site, but no table, ledger or disk. They check a signature once per process.
At every step (keys, shares, masked vectors, survivors, unmasking) one site in a hundred, at least one, answers that it
cannot, so that no deadline is waited for. The sum is compared with that of the sites that it names.

  --sites      numbers of sites, from 20; 20 are always measured: they predict the others
  --length     entries of the vector
  --processes  among which the sites are divided
  --json       one JSON object in place of the table

It prints for every number of sites
  the processor time of the aggregator for each site, beside that of 20 sites: at most 3 times as much;
  the time of the stage for each site, beside that of 20 sites; no mark, for it counts the work of all sites on this one
  machine, and at hospitals each does its own;
  the aggregator's peak memory: at most 1 GiB;
and, as notes, the time of each step and the bytes of messages at the aggregator and at a site.

With 1,000 sites a run takes eight minutes of two cores, and some 0.8 GiB at the aggregator.`;

/** The number of sites that predicts the others. */
const baseSites = 20;
const timesMost = 3;
const memoryMostMiB = 1024;

interface Options {
  readonly sites: readonly number[];
  readonly length: number;
  readonly processes: number;
  readonly json: boolean;
}

/** @returns null where help is asked for */
function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      sites: { type: "string", default: "50,200,1000" },
      length: { type: "string", default: "1e5" },
      processes: { type: "string", default: "2" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return null;
  const sites = new Set([baseSites, ...wholeNumbers(values.sites, baseSites, usage)]);
  return {
    sites: [...sites].sort((a, b) => a - b),
    length: wholeNumbers(values.length, 3, usage)[0]!,
    processes: wholeNumbers(values.processes, 1, usage)[0]!,
    json: values.json,
  };
}

// ---- sites -----------------------------------------------------------------------------------------------------------

/** A process of simulated sites. It is asked one thing at a time. */
class SitesProcess {
  readonly #child: ChildProcess;

  constructor() {
    const program = fileURLToPath(new URL("./scaleSites.ts", import.meta.url));
    this.#child = spawn(process.execPath, ["--import", import.meta.resolve("tsx"), program], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
  }

  ask(request: ScaleRequest): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const ended = () => reject(new Error("a process of simulated sites ended"));
      this.#child.once("exit", ended);
      this.#child.once("message", (answer: { readonly value?: unknown; readonly fault?: string }) => {
        this.#child.off("exit", ended);
        if (answer.fault === undefined) resolve(answer.value);
        else reject(new Error(answer.fault));
      });
      this.#child.send(request);
    });
  }

  async figures(): Promise<ScaleFigures> {
    return (await this.ask({ kind: "figures" })) as ScaleFigures;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.send({ kind: "stop" } satisfies ScaleRequest);
    await gone;
  }
}

class Sites {
  readonly #federation: LocalFederation;
  readonly #home: string;
  readonly #processes: readonly SitesProcess[];
  #count = 0;

  constructor(federation: LocalFederation, home: string, processes: number) {
    this.#federation = federation;
    this.#home = home;
    this.#processes = Array.from({ length: processes }, () => new SitesProcess());
  }

  /** Enrols so many, while the aggregator stands still. */
  async enrol(count: number): Promise<void> {
    const { aggregator } = this.#federation;
    await aggregator.stop();
    const names = Array.from({ length: count }, (_, i) => siteName(i + 1) as SiteId);
    await enrolInStore(aggregator.state, names, (site) => this.#folder(site));
    await aggregator.start();
  }

  #folder(site: string): string {
    return join(this.#home, "sites", site);
  }

  /** Has further ones attend, until there are so many. */
  async growTo(count: number): Promise<void> {
    const { grpc: aggregator } = await this.#federation.aggregator.addresses();
    const shares = this.#processes.map(() => [] as string[]);
    for (; this.#count < count; this.#count++)
      shares[this.#count % shares.length]!.push(this.#folder(siteName(this.#count + 1)));
    await Promise.all(
      this.#processes.map((one, i) =>
        one.ask({ kind: "attend", folders: shares[i]!, aggregator: aggregator! }),
      ),
    );
  }

  async figures(): Promise<ScaleFigures> {
    const all = await Promise.all(this.#processes.map((one) => one.figures()));
    const sum = (part: (figures: ScaleFigures) => number) => all.reduce((total, one) => total + part(one), 0);
    return {
      sent: sum(({ sent }) => sent),
      received: sum(({ received }) => received),
      cpuMs: sum(({ cpuMs }) => cpuMs),
      faults: all.flatMap(({ faults }) => faults),
    };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#processes.map((one) => one.stop()));
  }
}

// ---- one stage -------------------------------------------------------------------------------------------------------

interface Measured {
  readonly sites: number;
  readonly length: number;
  readonly neighbours: number;
  readonly stageMs: number;
  readonly steps: readonly { readonly step: string; readonly ms: number }[];
  readonly survivors: number;
  readonly aggregatorCpuMs: number;
  readonly sitesCpuMs: number;
  readonly peakMiB: number;
  /** Bytes of messages at the aggregator. */
  readonly bytesIn: number;
  readonly bytesOut: number;
}

async function measureStage(
  federation: LocalFederation,
  sites: Sites,
  count: number,
  options: Options,
): Promise<Measured> {
  const pid = federation.aggregator.pid!;
  const names = Array.from({ length: count }, (_, i) => siteName(i + 1));
  const study = {
    ...studyOf(names, options.length, true),
    participation: { sites: names, minimumSites: 3, maxRowsPerSite: 100_000, phaseDeadline: "2h" },
  };
  const { stages } = planStudy(unwrap(parseStudy(study)));
  const { length, ringBits } = stages.find(({ id }) => id === roundStage) as SumStage;
  // Forgets the peak of what was before.
  await writeFile(`/proc/${pid}/clear_refs`, "5");
  const database = openLibsql(join(federation.aggregator.state, "state.db"));
  try {
    const { id } = await federation.startStudy(study);
    const opened = database.prepare("SELECT 1 FROM steps WHERE study = ? AND step = ?");
    await until(database, id, () => opened.get([id, `${roundStage}-keys`]) !== undefined);
    const before = { cpu: await processorMs(pid), ...(await sites.figures()) };
    const attempts = database.prepare(
      "SELECT attempt, done_at, survivors FROM attempts WHERE study = ? AND stage = ?",
    );
    const done = () => attempts.all([id, roundStage]).find((one) => one.done_at !== null);
    await until(database, id, () => done() !== undefined);
    const after = { cpu: await processorMs(pid), ...(await sites.figures()) };
    const peakMiB = await peakMemoryMiB(pid);
    const { attempt, done_at, survivors } = done()!;
    if (after.faults.length > 0)
      throw new Error(`simulated sites failed: ${after.faults.slice(0, 3).join("; ")}`);
    if (attempt !== 1) throw new Error(`the stage took ${attempt} attempts`);
    const named = JSON.parse(String(survivors)) as string[];
    const folder = join(federation.aggregator.state, "studies", id);
    await checkSum({ database, folder }, id, { named, length, ringBits });
    const steps = database
      .prepare(
        "SELECT step, opened_at, done_at FROM steps WHERE study = ? AND step LIKE ? ORDER BY opened_at",
      )
      .all([id, `${roundStage}%`]);
    const tolerateColluding = unwrap(parseStudy(study)).participation.tolerateColluding;
    const { graph } = sumParameters({ sites: count, minimumSites: 3, tolerateColluding });
    return {
      sites: count,
      length,
      neighbours: graph.kind === "complete" ? count - 1 : graph.degree,
      stageMs: Number(done_at) - Number(steps[0]!.opened_at),
      steps: steps.map((one) => ({
        step: String(one.step),
        ms: Number(one.done_at) - Number(one.opened_at),
      })),
      survivors: named.length,
      aggregatorCpuMs: after.cpu - before.cpu,
      sitesCpuMs: after.cpuMs - before.cpuMs,
      peakMiB,
      bytesIn: after.sent - before.sent,
      bytesOut: after.received - before.received,
    };
  } finally {
    const [running] = database.prepare("SELECT id FROM studies WHERE ended_at IS NULL").all([]);
    database.close();
    if (running !== undefined) {
      await federation.api<StudyView>("POST", `/api/studies/${running.id}/cancel`).catch(() => undefined);
      // What follows the sum would be in the next stage's way.
      while ((await federation.study(String(running.id))).endedAt === null) await delay(200);
    }
  }
}

/** Looks into the store: the aggregator's own views of a thousand sites would be in its measured time. */
async function until(database: SqlDriver, id: string, isReached: () => boolean): Promise<void> {
  const failed = database.prepare("SELECT failure_code, failure_message FROM studies WHERE id = ?");
  while (!isReached()) {
    const { failure_code: code, failure_message: message } = failed.get([id])!;
    if (code !== null && !isReached()) throw new Error(`study ${id} failed: [${code}] ${message}`);
    await delay(500);
  }
}

/** A site's vector has its number in every entry: the sum is that of the survivors' numbers. */
async function checkSum(
  { database, folder }: { readonly database: SqlDriver; readonly folder: string },
  id: string,
  { named, length, ringBits }: { readonly named: readonly string[] } & Pick<SumStage, "length" | "ringBits">,
): Promise<void> {
  const [stored] = database
    .prepare("SELECT content FROM results WHERE study = ? AND step = ?")
    .all([id, roundStage]);
  // A small sum is in the store, a large one in a file.
  const bytes = (stored?.content as Uint8Array | null | undefined) ?? (await sumFile(folder));
  const sum = ringVectorFromBytes(bytes, ringBits);
  const due = named.reduce((total, name) => total + Number(name.slice(-4)), 0);
  if (sum.length !== length || sum.some((entry) => Number(entry) !== due))
    throw new Error(`the sum is not that of the ${named.length} sites that it names`);
}

async function sumFile(folder: string): Promise<Uint8Array> {
  const file = (await readdir(folder)).find((name) => name.startsWith(`result-${roundStage}~`));
  if (file === undefined) throw new Error("the sum is neither in the store nor in a file");
  return readFile(join(folder, file));
}

// ---- the whole -------------------------------------------------------------------------------------------------------

async function measure(options: Options): Promise<Measured[]> {
  const home = await mkdtemp(join(tmpdir(), "consilium-scale-"));
  const federation = await LocalFederation.create(join(home, "federation"), "scale");
  const sites = new Sites(federation, home, options.processes);
  try {
    const measured: Measured[] = [];
    await sites.enrol(Math.max(...options.sites));
    for (const count of options.sites) {
      await sites.growTo(count);
      // The first stage of a fresh process is slower; what the others are held against is a later one.
      if (measured.length === 0) await measureStage(federation, sites, count, options);
      measured.push(await measureStage(federation, sites, count, options));
      if (!options.json) console.error(words(measured.at(-1)!));
    }
    return measured;
  } finally {
    await sites.stop();
    await federation.remove();
    await rm(home, { recursive: true, force: true, maxRetries: 10 });
  }
}

function words(one: Measured): string {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  const steps = one.steps.map(
    ({ step, ms }) => `${step.slice(roundStage.length + 1) || "masked"} ${seconds(ms)}`,
  );
  return (
    `${one.sites} sites with ${one.neighbours} neighbours: ${seconds(one.stageMs)} (${steps.join(", ")}); ` +
    `${one.survivors} in the sum, ${droppedPerStep(one.sites)} dropped out at each step; ` +
    `processor time ${seconds(one.aggregatorCpuMs)} aggregator, ${seconds(one.sitesCpuMs)} all sites; ` +
    `aggregator ${megabytes(one.bytesIn)} in, ${megabytes(one.bytesOut)} out; ` +
    `a site ${megabytes(one.bytesOut / one.sites)} in, ${megabytes(one.bytesIn / one.sites)} out; ` +
    `peak memory ${Math.round(one.peakMiB)} MiB`
  );
}

function report(measured: readonly Measured[], options: Options): void {
  const base = measured[0]!;
  const rows = measured.flatMap((one): BenchRow[] => {
    const name = `${one.sites} sites × ${one.length.toLocaleString("en")}`;
    const perSite = (what: "aggregatorCpuMs" | "stageMs", label: string) =>
      compare(`${name}, ${label}`, one[what] / one.sites, base[what] / base.sites, timesMost, "lower");
    return [
      ...(one === base
        ? []
        : [
            perSite("aggregatorCpuMs", "aggregator: ms of processor a site"),
            // Not held to the mark: at hospitals each site does its own work.
            { ...perSite("stageMs", "stage: ms a site, all sites on this machine"), pass: undefined },
          ]),
      compare(`${name}, aggregator: MiB at most`, one.peakMiB, memoryMostMiB, 1, "lower"),
    ];
  });
  const whole = {
    bench: "scale",
    unit: "one stage with one site in a hundred dropping out at each step",
    reference: `reference: ${baseSites} sites, of the same run; ${memoryMostMiB} MiB`,
    better: "lower" as const,
    rows,
    notes: measured.map(words),
    measured,
  };
  printReport(whole, { json: options.json, repeats: 1 });
}

export async function run(args: string[]): Promise<void> {
  const options = readOptions(args);
  if (options === null) console.log(usage);
  else report(await measure(options), options);
}
