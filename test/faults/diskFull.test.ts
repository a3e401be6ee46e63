/** Full disks: of the aggregator in every step, of the publisher, of a site. Studies wait, and end as undisturbed ones do. */
import { setTimeout as delay } from "node:timers/promises";
import type { ConsiliumError } from "@consilium/core/errors";
import type { StudyView } from "@consilium/core/operator/views";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { editConfig, type Member } from "../../scripts/localFederation.js";
import { computedStages, FaultFederation } from "../support/faultFederation.js";
import { limitByProgress } from "../support/limitByProgress.js";
import { commitsOf, exactStudy } from "../support/secureSums.js";
import { siteAgent } from "../support/siteAgent.js";
import { hasSmallDisks, SmallDisk } from "../support/smallDisk.js";

limitByProgress();

const sites = ["anna", "bodo", "cleo", "dora"] as const;
const mebibytes = 24;
const reserveBytes = 2 ** 20;
/** Less than the reserve, and enough to write down that there is less. */
const lowBytes = reserveBytes / 2;

let federation: FaultFederation;
/** Of a study that nobody disturbed: every bit is to be the same again. */
let model: string;
const disks = new Map<Member, SmallDisk>();

const isRun = await hasSmallDisks();

beforeAll(async () => {
  if (!isRun) return;
  federation = await FaultFederation.create({ anna: 400, bodo: 300, cleo: 350, dora: 250 });
  const { aggregator, publisher } = federation.local;
  for (const member of [aggregator, publisher, federation.site("anna")]) {
    await member.stop();
    await editConfig(member.state, (config) => {
      config.diskReserveMiB = reserveBytes / 2 ** 20;
    });
    const disk = await SmallDisk.open(mebibytes);
    disks.set(member, disk);
    await disk.take(member);
    await member.start();
  }
  await federation.waitForPresence(sites, "online");
  const study = await start("undisturbed");
  model = await modelOf(await federation.ended(study, "released"));
});
afterEach(async () => {
  for (const disk of disks.values()) await disk.clear();
  if (isRun) process.kill(federation.site("dora").pid!, "SIGCONT");
});
afterAll(async () => {
  await federation?.remove();
  for (const disk of disks.values()) await disk.close();
});

/** Deadlines that no step comes near, so that what is waited for is the disk. */
const start = (name: string): Promise<StudyView> =>
  federation.local.startStudy(exactStudy({ name, sites: [...sites], phaseDeadline: "30m" }));

async function modelOf(view: StudyView): Promise<string> {
  const { mean, loadings, eigenvalues, rows } = JSON.parse(await federation.released(view, "model.json"));
  return JSON.stringify({ mean, loadings, eigenvalues, rows });
}

/** Each site has computed and was charged for each stage once, whatever continued around it. */
async function expectSame(view: StudyView): Promise<void> {
  expect(await modelOf(view)).toBe(model);
  expect(view.steps.flatMap(({ dropped }) => dropped)).toEqual([]);
  for (const site of sites) {
    const computed = await computedStages(federation.site(site), view.id);
    expect([...computed.values()], site).toEqual([1, 1, 1]);
    if (disks.has(federation.site(site))) continue;
    const commits = commitsOf(federation.site(site), view.id);
    expect(new Set(commits).size, site).toBe(commits.length);
  }
}

/** Of a site its console answers so, from what the agent says. */
async function get(member: Member, path: string): Promise<{ status: number; body: string }> {
  if (member.role === "site-agent") {
    if (path === "/metrics") return { status: 200, body: (await siteAgent(member).metrics({})).agent };
    const { connected, code } = await siteAgent(member).health({});
    const ok = path === "/healthz" || (connected && code === null);
    return { status: ok ? 200 : 503, body: JSON.stringify(code === null ? { ok } : { ok, code }) };
  }
  const { http } = await member.addresses();
  const response = await fetch(`http://${http}${path}`);
  return { status: response.status, body: await response.text() };
}

const readiness = (member: Member) => get(member, "/readyz");
const diskOf = (member: Member): SmallDisk => disks.get(member)!;

const viewWhere = (study: StudyView, what: string, holds: (view: StudyView) => boolean) =>
  federation.until(what, async () => {
    const view = await federation.local.study(study.id);
    if (view.status === "failed") throw new Error(`${study.id} failed: ${JSON.stringify(view.failure)}`);
    return holds(view) ? view : null;
  });

describe.runIf(isRun)("a process on a full disk", () => {
  it.each(["aggregator", "publisher", "site-agent"])(
    "that is the %s ends its start with DISK_FULL",
    async (role) => {
      const member = [...disks.keys()].find((one) => one.role === role)!;
      await member.stop();
      const before = (await member.log()).length;
      await diskOf(member).fill();
      await expect(member.start()).rejects.toThrow("ended while starting");
      const said = (await member.log()).slice(before);
      expect(said).toContain(`[DISK_FULL] ${diskOf(member).folder}: disk full, 0 B free`);
      expect(said).not.toContain("INTERNAL");
      expect(said).not.toContain("unexpected");
      await diskOf(member).clear();
      await member.start();
      await federation.waitForPresence(sites, "online");
    },
  );

  it("is not ready below its reserve, and lives", async () => {
    for (const member of disks.keys()) {
      expect((await readiness(member)).status, member.role).toBe(200);
      await diskOf(member).fill(lowBytes);
      const { status, body } = await readiness(member);
      expect([status, JSON.parse(body)], member.role).toEqual([503, { ok: false, code: "DISK_FULL" }]);
      expect((await get(member, "/healthz")).status).toBe(200);
      const { body: metrics } = await get(member, "/metrics");
      expect(metrics).toMatch(/^consilium_disk_full\{.*\} 1$/m);
      expect(metrics).toMatch(new RegExp(`^consilium_disk_reserve_bytes\\{.*\\} ${reserveBytes}$`, "m"));
      await diskOf(member).clear();
      expect((await readiness(member)).status, member.role).toBe(200);
    }
  });
});

describe.runIf(isRun)("the aggregator's full disk", () => {
  it("refuses a new study with the remedy, below the reserve", async () => {
    const disk = diskOf(federation.aggregator);
    await disk.fill(lowBytes);
    const refusal = await start("refused").catch((thrown: ConsiliumError) => thrown);
    const after = await disk.freeBytes();
    expect(refusal).toMatchObject({
      code: "DISK_FULL",
      message: expect.stringMatching(/, not enough for a new study; 1 MiB kept in reserve$/),
      remedy: expect.stringContaining("free space"),
    });
    // Exact, whatever the aggregator commits meanwhile: its log may grow by a page or two.
    const said = Number(/state: (\d+) KiB free,/.exec((refusal as ConsiliumError).message)?.[1]) * 1024;
    expect(said).toBeLessThanOrEqual(lowBytes);
    expect(said).toBeGreaterThanOrEqual(after);
    await disk.clear();
  });

  it("in every step lets the study wait, and end with the same integers", async () => {
    const disk = diskOf(federation.aggregator);
    // A fresh write-ahead log grows with every commit: an old one has room of its own.
    await federation.aggregator.stop();
    await federation.aggregator.start();
    await federation.waitForPresence(sites, "online");
    const waited = new Set<string>();
    let view = await start("aggregator-full");
    while (view.status !== "released") {
      const done = view.steps.filter(({ status }) => status === "done").length;
      await disk.fill();
      view = await viewWhere(view, "the study to wait, or to end", ({ status, waiting }) => {
        return waiting !== null || status === "released";
      });
      if (view.waiting !== null) {
        expect(view.waiting).toMatchObject({
          code: "DISK_FULL",
          message: expect.stringContaining(disk.folder),
        });
        expect(view.deadlineAt).toBeNull();
        expect((await readiness(federation.aggregator)).status).toBe(503);
        waited.add(view.steps.find(({ status }) => status === "open")?.id ?? "between steps");
      }
      await disk.clear();
      // One step further at least, so that every one of them has its full disk.
      view = await viewWhere(view, "the study to continue", ({ status, waiting, steps }) => {
        const now = steps.filter((step) => step.status === "done").length;
        return status === "released" || (waiting === null && now > done);
      });
    }
    console.info(`the study waited in: ${[...waited].join(", ")}`);
    expect(waited.size).toBeGreaterThanOrEqual(3);
    await expectSame(view);
    // A failed write is tried again once a second.
    await federation.until("the aggregator to be ready", async () => {
      return (await readiness(federation.aggregator)).status === 200 ? true : null;
    });
  });

  it("lets a study that waits be cancelled, which the reserve is enough to write down", async () => {
    const disk = diskOf(federation.aggregator);
    // It cannot join, so that the study does not end before disk full.
    process.kill(federation.site("dora").pid!, "SIGSTOP");
    const study = await start("cancelled");
    await disk.fill(lowBytes);
    process.kill(federation.site("dora").pid!, "SIGCONT");
    await viewWhere(study, "the study to wait", ({ waiting }) => waiting !== null);
    // Of what was to be left, the study may have taken all before it waited.
    await disk.fill(lowBytes);
    await federation.local.api("POST", `/api/studies/${study.id}/cancel`);
    await federation.ended(study, "cancelled");
  });
});

describe.runIf(isRun)("the publisher's full disk", () => {
  it("leaves a study waiting beyond its deadline, and takes the release once there is room", async () => {
    const disk = diskOf(federation.local.publisher);
    await disk.fill(lowBytes);
    const phaseMs = 20_000;
    const study = await federation.local.startStudy(
      exactStudy({ name: "publisher-full", sites: [...sites], phaseDeadline: `${phaseMs / 1000}s` }),
    );
    const waiting = await viewWhere(study, "the deposit to be refused", (view) => view.waiting !== null);
    expect(waiting).toMatchObject({
      status: "publishing",
      deadlineAt: null,
      waiting: { code: "DISK_FULL", message: expect.stringContaining("the publisher's disk is full") },
    });
    expect((await federation.local.publisher.log()).includes(`${disk.folder}: `)).toBe(true);
    await delay(phaseMs);
    expect((await federation.local.study(study.id)).waiting?.code).toBe("DISK_FULL");
    await disk.clear();
    await expectSame(await federation.ended(study, "released"));
  });
});

describe.runIf(isRun)("a site's full disk", () => {
  const anna = () => federation.site("anna");
  const annaSays = (code: string | null) => (view: StudyView) =>
    view.siteStates.some((one) => one.site === "anna" && one.code === code);

  it("before a study is told with its code, and the site joins once there is room", async () => {
    await diskOf(anna()).fill(lowBytes);
    const study = await start("site-full-before");
    await viewWhere(study, "anna to say that its disk is full", annaSays("DISK_FULL"));
    await diskOf(anna()).clear();
    await expectSame(await federation.ended(study, "released"));
  });

  it.each([
    ["below its reserve", lowBytes],
    ["to the last byte", 0],
  ])("during a study, %s, is waited for", async (_, leaveBytes) => {
    const message = /a request waits for room on the disk/;
    for (let isNoticed = false, tries = 0; !isNoticed; tries++) {
      expect(tries).toBeLessThan(3);
      // As above: where its write-ahead log has been begun anew, a study fits into what it takes already, though seldom so soon.
      await anna().stop();
      await anna().start();
      await federation.waitForPresence(["anna"], "online");
      const dora = federation.site("dora").pid!;
      process.kill(dora, "SIGSTOP");
      const study = await start("site-full-during");
      const has = (site: string, state: string) => (view: StudyView) =>
        view.siteStates.some((one) => one.site === site && one.state === state);
      await viewWhere(study, "anna to join", has("anna", "accepted"));
      const before = (await anna().log()).length;
      await diskOf(anna()).fill(leaveBytes);
      process.kill(dora, "SIGCONT");
      await federation.until("anna to find its disk full, or the study to end without", async () => {
        isNoticed = message.test((await anna().log()).slice(before));
        return isNoticed || (await federation.local.study(study.id)).status === "released" || null;
      });
      if (leaveBytes > 0) {
        expect(isNoticed).toBe(true);
        await viewWhere(study, "anna to say so", annaSays("DISK_FULL"));
      }
      await diskOf(anna()).clear();
      await expectSame(await federation.ended(study, "released"));
    }
    await federation.local.cliOrThrow("ledger", "verify", "--state", federation.site("bodo").state);
  });
});
