/** The publisher dies while it takes a release, or is away for long: nobody ever sees a part of one. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { StudyView } from "@consilium/core/operator/views";
import { afterAll, beforeAll, expect, it } from "vitest";
import { FaultFederation, seededUniform } from "../support/faultFederation.js";
import { limitByProgress } from "../support/limitByProgress.js";

limitByProgress();

const seed = Number(process.env.CONSILIUM_FAULT_SEED ?? 20260103);

let federation: FaultFederation;
/** How long a deposit takes that nobody disturbs. */
let depositMs: number;

beforeAll(async () => {
  federation = await FaultFederation.create({ first: 40_000, second: 40_000, third: 40_000 });
  const study = await federation.start({ name: "undisturbed" });
  const view = await federation.ended(study, "released");
  depositMs = 1000 * view.steps.find((step) => step.id === "publish")!.seconds!;
});
afterAll(() => federation?.remove());

interface Certificate {
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
}

/** What is wrong with the folder of a release that can be seen; null when it is whole. */
async function faultOf(folder: string): Promise<string | null> {
  const certificate = await readFile(join(folder, "certificate.json"), "utf8").catch(() => null);
  if (certificate === null) return "it has no certificate";
  for (const { name, bytes } of (JSON.parse(certificate) as Certificate).files) {
    const size = await stat(join(folder, name)).then(
      (found) => found.size,
      () => -1,
    );
    if (size !== bytes) return `${name} has ${size} of ${bytes} bytes`;
  }
  return (await stat(join(folder, "certificate.jws")).catch(() => null)) === null
    ? "it has no signature"
    : null;
}

/** Watches catalogue and folders until it is stopped, and tells of every half release that could be seen. */
class Watch {
  readonly faults: string[] = [];
  looks = 0;
  listed = new Set<string>();
  /** Found whole: they are looked at again every twentieth time. */
  #whole = new Set<string>();
  #stopped = false;
  readonly #ended: Promise<void>;

  constructor() {
    this.#ended = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { publisher } = federation.local;
    const releases = join(publisher.state, "releases");
    const { http } = await publisher.addresses();
    while (!this.#stopped) {
      this.looks++;
      for (const id of await readdir(releases)) {
        if (this.#whole.has(id)) continue;
        const fault = await faultOf(join(releases, id));
        if (fault !== null) this.faults.push(`${id}: ${fault}`);
        else this.#whole.add(id);
      }
      if (this.looks % 20 === 0) {
        this.#whole.clear();
        await this.#lookIntoCatalogue(http!);
      }
      await delay(2);
    }
  }

  /** Whatever is listed can be fetched whole. A publisher that is dead lists nothing. */
  async #lookIntoCatalogue(http: string): Promise<void> {
    const origin = `http://${http}`;
    try {
      const list = (await (await fetch(`${origin}/api/releases`)).json()) as { releases: { id: string }[] };
      for (const { id } of list.releases) {
        if (this.listed.has(id)) continue;
        const response = await fetch(`${origin}/releases/${id}/certificate.json`);
        if (!response.ok) this.faults.push(`${id}: listed, its certificate gives HTTP ${response.status}`);
        else this.listed.add(id);
      }
    } catch (thrown) {
      if (!(thrown instanceof TypeError)) throw thrown;
    }
  }
}

/** Waits until a deposit is under way; false when the release is out instead. */
async function depositing(study: StudyView): Promise<boolean> {
  const staging = join(federation.local.publisher.state, "staging");
  const watchdog = federation.watchdog();
  for (let looks = 0; ; looks++) {
    // To open the aggregator's store takes longer than to look for a deposit.
    if (looks % 20 === 0 && federation.stepDone(study.id, "publish")) return false;
    if ((await readdir(staging)).length > 0) return true;
    if (await watchdog.hasStalled()) throw new Error("the aggregator does not deposit again");
    await delay(1);
  }
}

/** Kills within a deposit, at least: later moments of a deposit are harder to meet than early ones. */
const killsLeast = 3;
const studiesMost = 8;

it("killed at random moments of deposits leaves nothing or the whole; the aggregator deposits again", async () => {
  const uniform = seededUniform(seed);
  const { publisher } = federation.local;
  const releases = join(publisher.state, "releases");
  const watch = new Watch();
  const kills: { study: string; afterMs: number; staged: boolean }[] = [];
  const stagedKills = () => kills.filter((kill) => kill.staged).length;
  try {
    for (let n = 1; stagedKills() < killsLeast && n <= studiesMost; n++) {
      const study = await federation.start({ name: `killed-${n}` });
      await federation.opened(study, "publish");
      for (let kill = 0; kill < 3 && (await depositing(study)); kill++) {
        const afterMs = Math.floor(uniform() * depositMs * 0.7);
        await delay(afterMs);
        await publisher.stop("SIGKILL");
        const staged = (await readdir(join(publisher.state, "staging"))).length > 0;
        kills.push({ study: study.id, afterMs, staged });
        // The deposit was over before: the one that was measured had met a busier machine.
        if (!staged) depositMs = Math.min(depositMs, afterMs);
        for (const id of await readdir(releases)) expect(await faultOf(join(releases, id)), id).toBeNull();
        await publisher.start();
      }
      const view = await federation.ended(study, "released");
      await federation.verify(view);
      await federation.until("the catalogue to list it", async () => watch.listed.has(study.id) || null);
    }
  } finally {
    await watch.stop();
  }
  console.info(`seed ${seed}: a deposit takes ${Math.round(depositMs)} ms; ${JSON.stringify(kills)}`);
  expect(stagedKills()).toBeGreaterThanOrEqual(killsLeast);
  expect(watch.faults).toEqual([]);
  expect(watch.looks).toBeGreaterThan(100);
});

it("away for longer than the deadline ends the study; resumed, it is released", async () => {
  await federation.local.publisher.stop("SIGKILL");
  const study = await federation.start({ name: "unreachable", phaseDeadline: "10s" });
  await federation.opened(study, "publish");
  const waiting = await federation.local.study(study.id);
  expect(waiting.status).toBe("publishing");
  expect(waiting.atDeadline).toContain("publisher");
  expect(Date.parse(waiting.deadlineAt!)).toBeGreaterThan(Date.now());
  const failed = await federation.ended(study, "failed");
  expect(failed.failure?.code).toBe("PUBLISHER_UNREACHABLE");
  await federation.local.publisher.start();
  await federation.local.api<StudyView>("POST", `/api/studies/${study.id}/resume`);
  const view = await federation.ended(study, "released");
  await federation.verify(view);
});
