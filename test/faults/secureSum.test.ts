/** Secure sums over real processes: sites drop out before phases, are killed in steps of a study, and so is the aggregator. */
import { setTimeout as delay } from "node:timers/promises";
import type { StudyView } from "@consilium/core/operator/views";
import { inGate } from "@consilium/core/testing/wholeRun";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { egressOf, FaultFederation, type StudyOptions, seededUniform } from "../support/faultFederation.js";
import { limitByProgress } from "../support/limitByProgress.js";
import {
  certificateOf,
  clippedStudy,
  commitsOf,
  exactStudy,
  expectOneFormEach,
  keepPosts,
  meanOver,
  reservedOf,
  Staircase,
  signedOf,
  simulatedOver,
  thaw,
} from "../support/secureSums.js";

limitByProgress();

const seed = Number(process.env.CONSILIUM_FAULT_SEED ?? 20260103);
/** Five sites, of which four make a sum. */
const sites = ["anna", "bodo", "cleo", "dora", "emil"];
const [first, second, ...rest] = sites as [string, string, string, string, string];
const privacy = { epsilon: 1, delta: 1e-5 };
/** Between these a study is held; the others are free to die. */
const holding = [first, second] as const;
const victim = rest[2]!;
const without = (...gone: readonly string[]) => sites.filter((site) => !gone.includes(site));

let federation: FaultFederation;
/** What a dropout costs: long enough for those that are there, also on a busy machine. */
let phaseDeadline: string;
/** Long enough for a site to be started and to answer. */
let restartDeadline: string;
/** Without noise, and nobody was killed. */
let undisturbed: StudyView;

beforeAll(async () => {
  federation = await FaultFederation.create({ anna: 700, bodo: 500, cleo: 900, dora: 400, emil: 800 });
  keepPosts(federation);
  const noisy = clippedStudy({ name: "noisy", sites, form: "two-round", privacy });
  const quick = exactStudy({ name: "undisturbed", sites });
  const first = await federation.ended(await federation.local.startStudy(noisy), "released");
  undisturbed = await federation.ended(await federation.local.startStudy(quick), "released");
  const usual = Math.max(first.seconds, undisturbed.seconds);
  phaseDeadline = `${Math.min(20, Math.max(5, Math.ceil(1.5 * usual)))}s`;
  const killedAt = Date.now();
  await kill(victim);
  await bringBack();
  const restart = (Date.now() - killedAt) / 1000;
  restartDeadline = `${Math.min(40, Math.max(8, Math.ceil(4 * restart)))}s`;
  console.info(
    `seed ${seed}: undisturbed ${usual} s, so a phase may take ${phaseDeadline}; a restart ${restart} s, so ${restartDeadline}`,
  );
});
afterAll(() => federation?.remove());
/** Whatever became of a test, the next one has all sites. */
afterEach(bringBack);

async function bringBack(): Promise<void> {
  for (const member of sites.map((site) => federation.site(site))) {
    if (member.running) thaw(member);
    await member.start();
  }
  await federation.waitForPresence(sites, "online");
}

async function kill(...gone: readonly string[]): Promise<void> {
  await Promise.all(gone.map((site) => federation.site(site).stop("SIGKILL")));
}

interface Model {
  readonly mean: readonly number[];
  readonly loadings: readonly (readonly number[])[];
  readonly eigenvalues: readonly number[];
  readonly rows: number;
}

async function modelOf(view: StudyView): Promise<Model> {
  const { mean, loadings, eigenvalues, rows } = JSON.parse(
    await federation.released(view, "model.json"),
  ) as Model;
  return { mean, loadings, eigenvalues, rows };
}

/** Steps that were gone through, without those before the first sum and after the last. */
function stepsOf(view: StudyView): string[] {
  return view.steps.map((step) => step.id).filter((id) => !["join", "countersign", "publish"].includes(id));
}

const stepNamed = (view: StudyView, id: string) => view.steps.find((step) => step.id === id);

/** The exact model of these sites' rows, to the last bit of every sum. */
async function expectModelOf(view: StudyView, study: object, of: readonly string[]): Promise<void> {
  const model = await modelOf(view);
  const simulated = await simulatedOver(federation, study, of);
  expect(model.rows).toBe(simulated.pooled.rows);
  expect(model.mean).toEqual([...simulated.pooled.mean]);
  expect(model.eigenvalues).toEqual([...simulated.subspace.eigenvalues]);
  expect(model.loadings.flat()).toEqual([...simulated.subspace.loadings]);
}

function expectMeanOver(model: Model, of: readonly string[]): void {
  const mean = meanOver(federation, of);
  for (const [j, value] of model.mean.entries()) expect(Math.abs(value - mean[j]!)).toBeLessThan(1e-12);
}

/** Everybody is back, and nothing of what was before shows. */
async function expectNextStudyWell(): Promise<void> {
  await bringBack();
  const study = exactStudy({ name: "next", sites });
  const view = await federation.ended(await federation.local.startStudy(study), "released");
  expect(view.steps.flatMap((step) => step.dropped)).toEqual([]);
  expectMeanOver(await modelOf(view), sites);
  const certificate = await certificateOf(federation, view);
  expect(certificate.countersignatures.map((one) => one.site)).toEqual(sites);
  // Each has noted what it signed before it signed, and the head that it signed with it stands for that.
  const { statement, countersignatures } = JSON.parse(await federation.released(view, "certificate.json"));
  const signed = sha256("consilium statement v2\n", statement);
  for (const { site, ledgerHead } of countersignatures)
    expect(signedOf(federation.site(site), view.id)).toEqual([
      { entry: ledgerHead.sequence, statement: signed },
    ]);
}

describe("a site that is killed", () => {
  /** The site answers this step, and dies before the next. */
  const phases = [
    { phase: "sharing", answers: "moments-keys", dropsIn: "moments-shares" },
    { phase: "masking", answers: "moments-shares", dropsIn: "moments" },
  ];
  const atKeys = { phase: "key advertisement", answers: "join", dropsIn: "moments-keys" };
  it.each(inGate(phases, { whole: [atKeys, ...phases] }))(
    "before $phase is left out: the others' sum is exact, and the next study whole",
    async (given) => {
      const study = exactStudy({ name: "dropout", sites, phaseDeadline });
      const held = await Staircase.start(federation, study, holding);
      await held.holdAt(given.answers);
      await held.answered(victim);
      await kill(victim);
      held.letGo();
      const view = await federation.ended(held.study, "released");
      expect(stepNamed(view, given.dropsIn)?.dropped).toEqual([victim]);
      expect(stepsOf(view).includes("moments-survivors")).toBe(given.dropsIn === "moments");
      expectMeanOver(await modelOf(view), without(victim));
      const certificate = await certificateOf(federation, view);
      expect(
        certificate.sites.attempts.map(({ stage, attempt, dropped }) => [stage, attempt, dropped]),
      ).toEqual(["moments", "subspace", "projection"].map((stage) => [stage, 1, [victim]]));
      expect(certificate.missing).toEqual([victim]);
      await federation.verify(view);
      await expectOneFormEach(federation, view.id, without(victim));
      await expectNextStudyWell();
    },
  );

  it("before unmasking is in the sum, which the others open", async () => {
    const study = clippedStudy({ name: "dropout", sites, phaseDeadline, form: "one-round" });
    const held = await Staircase.start(federation, study, holding);
    await held.holdAt("class-moments");
    await held.answered(victim);
    await kill(victim);
    held.letGo();
    const view = await federation.ended(held.study, "released");
    expect(stepNamed(view, "class-moments-unmask")?.dropped).toEqual([victim]);
    expect(stepNamed(view, "class-moments")?.dropped).toEqual([]);
    await expectModelOf(view, study, sites);
    const certificate = await certificateOf(federation, view);
    expect(certificate.sites.attempts).toMatchObject([
      { stage: "flow", attempt: 1, survivors: sites, dropped: [] },
      { stage: "class-moments", attempt: 1, survivors: sites, dropped: [] },
    ]);
    expect(certificate.missing).toEqual([victim]);
    await federation.verify(view);
    await expectNextStudyWell();
  });

  it("before unmasking a sum without noise is waited for: no other set of sites is opened", async () => {
    const study = exactStudy({ name: "dropout", sites, phaseDeadline: restartDeadline });
    const held = await Staircase.start(federation, study, holding);
    await held.holdAt("moments");
    await held.answered(victim);
    await kill(victim);
    held.letGo();
    // Its shares for the next sum would have come with the answer that it never gave: that sum begins afresh.
    await federation.opened(held.study, "subspace-keys");
    await federation.site(victim).start();
    const view = await federation.ended(held.study, "released");
    expect(stepNamed(view, "moments-unmask")?.dropped).toEqual([victim]);
    expect(stepNamed(view, "subspace")).toMatchObject({ attempt: 2, dropped: [] });
    expectMeanOver(await modelOf(view), sites);
    const certificate = await certificateOf(federation, view);
    expect(
      certificate.sites.attempts.map(({ stage, attempt, survivors }) => [stage, attempt, survivors]),
    ).toEqual([
      ["moments", 1, sites],
      ["subspace", 2, sites],
      ["projection", 1, sites],
    ]);
    await federation.verify(view);
  });
});

describe("a stage after the first", () => {
  /** What a site sends for the stage, one round trip each. */
  async function roundTrips(view: StudyView, site: string, stage: string): Promise<string[]> {
    const log = await egressOf(federation.site(site));
    return log.filter((entry) => entry.study === view.id && entry.step === stage).map((entry) => entry.what);
  }
  const study = (name: string) => clippedStudy({ name, sites, phaseDeadline, form: "two-round", privacy });
  const before = [
    "flow-keys",
    "flow-shares",
    "flow",
    "flow-unmask",
    "pooled-moments",
    "pooled-moments-unmask",
  ];

  it("costs two round trips when nobody drops", async () => {
    const view = await federation.ended(await federation.local.startStudy(study("whole")), "released");
    expect(stepsOf(view)).toEqual([...before, "class-moments", "class-moments-unmask"]);
    for (const site of sites) {
      const sent = await roundTrips(view, site, "class-moments");
      expect(sent).toEqual(["masked vector", "shares that open a sum"]);
    }
    await federation.verify(view);
  });

  it("costs three when somebody does", async () => {
    const held = await Staircase.start(federation, study("dropout"), holding);
    await held.holdAt("pooled-moments-unmask");
    await held.answered(victim);
    await kill(victim);
    held.letGo();
    const view = await federation.ended(held.study, "released");
    expect(stepsOf(view)).toEqual([
      ...before,
      "class-moments",
      "class-moments-survivors",
      "class-moments-unmask",
    ]);
    for (const site of without(victim)) {
      const sent = await roundTrips(view, site, "class-moments");
      expect(sent).toEqual([
        "masked vector",
        "signature on the survivors of a secure sum",
        "shares that open a sum",
      ]);
    }
    const certificate = await certificateOf(federation, view);
    expect(certificate.sites.attempts.map(({ stage, dropped }) => [stage, dropped])).toEqual([
      ["flow", []],
      ["pooled-moments", []],
      ["class-moments", [victim]],
    ]);
    expect(certificate.privacy.verdict).toBe("proved");
    await federation.verify(view);
  });
});

describe("two of five sites that are killed", () => {
  const gone = rest.slice(1);
  const left = without(...gone);
  const opening = ["signature on the survivors of a secure sum", "shares that open a sum"];

  async function sentOf(study: StudyView, site: string): Promise<string[]> {
    const log = await egressOf(federation.site(site));
    return log.filter((entry) => entry.study === study.id).map((entry) => `${entry.step}: ${entry.what}`);
  }

  async function keysOf(study: StudyView, site: string): Promise<string[]> {
    const log = await egressOf(federation.site(site));
    return log
      .filter((entry) => entry.study === study.id && entry.step === "flow")
      .filter((entry) => entry.what === "keys of a secure sum")
      .map((entry) => entry.sha256);
  }

  async function settled(study: StudyView, of: readonly string[]): Promise<void> {
    await federation.until(
      "what was reserved to be given back",
      async () => of.every((site) => reservedOf(federation.site(site), study.id).length === 0) || null,
    );
  }

  async function failedWhenTwoAreGoneAfter(held: Staircase, step: string): Promise<StudyView> {
    await held.holdAt(step);
    for (const site of gone) await held.answered(site);
    await kill(...gone);
    held.letGo();
    const failed = await federation.ended(held.study, "failed");
    expect(failed.failure?.code).toBe("PHASE_DEADLINE");
    expect(failed.failure?.message).toContain(`missing: ${gone.join(", ")}`);
    return failed;
  }

  it("end the study with nothing revealed; resumed, it is tried again, with new keys and charged again", async () => {
    const study = clippedStudy({
      name: "below",
      sites,
      phaseDeadline,
      form: "two-round",
      privacy,
    });
    // Before sharing: no vector has left anybody, and nobody is charged.
    const view = await failedWhenTwoAreGoneAfter(
      await Staircase.start(federation, study, holding),
      "flow-keys",
    );
    expect(view.failure?.message).toContain("step flow-shares");
    await settled(view, left);
    for (const site of left) expect(commitsOf(federation.site(site), view.id), site).toEqual([]);
    await bringBack();
    // A site that was away when the study failed hears of it, and sets nothing aside either.
    await settled(view, sites);

    // Before masking: the vectors of the others have left, and are masked permanently.
    const again = await Staircase.resume(federation, view, holding);
    const failed = await failedWhenTwoAreGoneAfter(again, "flow-shares");
    expect(failed.failure?.message).toContain("step flow 3 sites had answered, 4 are required");
    expect(failed.failure?.message).toContain("with new noise, charged again");
    await settled(view, left);
    for (const site of left) {
      expect(commitsOf(federation.site(site), view.id), site).toEqual(["flow 2"]);
      const sent = await sentOf(view, site);
      expect(sent).toContain("flow: masked vector");
      for (const what of opening) expect(sent, site).not.toContain(`flow: ${what}`);
    }
    await bringBack();
    await settled(view, sites);

    await federation.local.cliOrThrow("study", "resume", view.id);
    const released = await federation.ended(view, "released");
    for (const site of sites) {
      const spent = left.includes(site)
        ? ["flow 2", "flow 3", "pooled-moments 1", "class-moments 1"]
        : ["flow 3", "pooled-moments 1", "class-moments 1"];
      expect(commitsOf(federation.site(site), view.id), site).toEqual(spent);
      const keys = await keysOf(view, site);
      expect(new Set(keys).size, site).toBe(3);
    }
    const certificate = await certificateOf(federation, released);
    expect(certificate.sites.attempts).toMatchObject([
      { stage: "flow", attempt: 2, survivors: null, dropped: null },
      { stage: "flow", attempt: 3, survivors: sites, dropped: [] },
      { stage: "pooled-moments", attempt: 1, survivors: sites, dropped: [] },
      { stage: "class-moments", attempt: 1, survivors: sites, dropped: [] },
    ]);
    // Data sent twice are charged twice, and the certificate says so.
    expect(certificate.sites.attempts).toHaveLength(4);
    expect(certificate.privacy.epsilon).toBeGreaterThan(1);
    await federation.verify(released);
    await settled(view, sites);
  });
});

describe("SIGKILL in the steps of a study", () => {
  const steps = [
    "join",
    "moments-keys",
    "moments-shares",
    "moments",
    "moments-unmask",
    "subspace",
    "subspace-unmask",
    "projection",
    "countersign",
  ];
  const study = (name: string): object =>
    exactStudy({ name, sites, phaseDeadline: "60s" } satisfies StudyOptions);
  /** Of the gate: a sum's first keys, its vectors, what opens it, and the rows after it. */
  const killedIn = inGate(["moments-keys", "moments", "moments-unmask", "projection"], { whole: steps });

  /** Kills at a random moment of such steps, which are held open until anyone who was killed is back. */
  async function killInSteps(name: string, killed: () => Promise<void>): Promise<StudyView> {
    expect(stepsOf(undisturbed)).toEqual(steps.slice(1, -1));
    const uniform = seededUniform(seed);
    const held = await Staircase.start(federation, study(name), holding);
    for (const [index, step] of steps.entries()) {
      if (index > 0) await held.next();
      expect(held.step).toBe(step);
      if (!killedIn.includes(step)) continue;
      await delay(uniform() * 40);
      await killed();
    }
    held.letGo();
    const view = await federation.ended(held.study, "released");
    expect(await modelOf(view)).toEqual(await modelOf(undisturbed));
    expect(view.steps.flatMap((one) => one.dropped)).toEqual([]);
    await federation.verify(view);
    return view;
  }

  it("of a site, with its restart: the result is the same, and nothing was sent in two forms", async () => {
    const view = await killInSteps("killed-site", async () => {
      await kill(victim);
      await federation.site(victim).start();
    });
    await expectOneFormEach(federation, view.id, sites);
    expect(commitsOf(federation.site(victim), view.id)).toEqual(["moments 1", "subspace 1", "projection 1"]);
  });

  it("of the aggregator, with its restart: the result is the same bit for bit", async () => {
    const view = await killInSteps("killed-aggregator", async () => {
      await federation.aggregator.stop("SIGKILL");
      await federation.aggregator.start();
    });
    const again = await expectOneFormEach(federation, view.id, sites);
    // Kills that cost no answer would prove nothing.
    expect(again).toBeGreaterThan(0);
    console.info(`seed ${seed}: ${again} answers were sent again`);
  });
});
