/** The aggregator is killed within every step of a study: it continues, and nothing that was sent is sent differently. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fromLittleEndianBytes } from "@consilium/core/fixed-point/ringVector";
import type { StudyView } from "@consilium/core/operator/views";
import { unwrap } from "@consilium/core/result";
import { openSystemKernels } from "@consilium/kernels/openSystem";
import { principalSubspace } from "@consilium/methods/shared/pca/subspace";
import { parseStudy } from "@consilium/methods/testing/studies";
import { covarianceFrom } from "@consilium/methods-paper/elfed-pca/covariance";
import { meanFrom } from "@consilium/methods-paper/elfed-pca/moments";
import { asPaperPca } from "@consilium/methods-paper/elfed-pca/study";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  answersOf,
  columns,
  components,
  computedStages,
  FaultFederation,
  type StudyOptions,
  seededUniform,
  stored,
  studyOf,
} from "../support/faultFederation.js";
import { limitByProgress } from "../support/limitByProgress.js";

limitByProgress();

const seed = Number(process.env.CONSILIUM_FAULT_SEED ?? 20260101);
const sites = ["north", "east", "south", "west"];
const privacy = { epsilon: 1, delta: 1e-5 };

let federation: FaultFederation;
let undisturbed: Result & { readonly view: StudyView };

interface Result {
  readonly model: Model;
  readonly rows: number;
  readonly rowsSha256: string;
}

interface Model {
  readonly mean: readonly number[];
  readonly loadings: readonly (readonly number[])[];
  readonly eigenvalues: readonly number[];
  readonly rows: number;
}

/** Numbers of a model that must not differ in a single bit. */
function exact({ mean, loadings, eigenvalues, rows }: Model) {
  return { mean, loadings, eigenvalues, rows };
}

async function resultOf(view: StudyView): Promise<Result> {
  const model = JSON.parse(await federation.released(view, "model.json")) as Model;
  // The order of the rows is random in every run; the rows are not.
  const rows = (await federation.released(view, "data.csv")).trimEnd().split(/\r?\n/).slice(1).sort();
  return { model, rows: rows.length, rowsSha256: sha256(rows.join("\n")) };
}

beforeAll(async () => {
  federation = await FaultFederation.create({ north: 24_000, east: 16_000, south: 9_000, west: 20_000 });
  // The first study of fresh processes is slow; the second one's times are usual.
  await federation.ended(await federation.start({ name: "first" }), "released");
  const study = await federation.start({ name: "undisturbed" });
  const view = await federation.ended(study, "released");
  undisturbed = { view, ...(await resultOf(view)) };
});
afterAll(() => federation?.remove());

interface Kill {
  readonly step: string;
  readonly afterMs: number;
  /** Whether the step was still open when the process had gone. */
  readonly within: boolean;
}

/** Kills the aggregator in every one of the steps, each time at a random moment of the step, and starts it again. */
async function killInSteps(
  study: StudyView,
  steps: readonly string[],
  momentOf: (step: string) => number,
  whileDead: (step: string) => Promise<void>,
): Promise<Kill[]> {
  const kills: Kill[] = [];
  for (const step of steps) {
    const afterMs = momentOf(step);
    await federation.opened(study, step);
    await delay(afterMs);
    await federation.aggregator.stop("SIGKILL");
    kills.push({ step, afterMs, within: !federation.stepDone(study.id, step) });
    await whileDead(step);
    await federation.aggregator.start();
  }
  return kills;
}

async function expectAnswersNeverDiffer(study: StudyView, steps: readonly string[]): Promise<number> {
  let sentAgain = 0;
  for (const site of sites) {
    const { sent, received } = await answersOf(federation, study.id, site);
    expect([...sent.keys()].sort(), await federation.complaints(site)).toEqual([...received.keys()].sort());
    expect([...received.keys()].map((key) => key.split(":")[0]).sort(), site).toEqual(
      [...steps, "countersign"].sort(),
    );
    for (const [key, hashes] of sent) {
      expect(new Set(hashes), `${site}, ${key}`).toEqual(new Set([received.get(key)]));
      sentAgain += hashes.length - 1;
    }
    const computed = await computedStages(federation.site(site), study.id);
    expect([...computed.values()], site).toEqual([1, 1, 1]);
  }
  return sentAgain;
}

/**
 * The moment of a kill, as a part of the step's usual time, is drawn from 0 to this, study by study: a step that was
 * over before its moment had come is tried again in the next study, earlier.
 */
const latestParts = [0.7, 0.3, 0.05, 0];

/**
 * Runs studies until the aggregator was killed within every one of the steps; each must end well.
 * @returns the studies' views
 */
async function runKilled(
  options: StudyOptions,
  steps: readonly string[],
  uniform: () => number,
  whileDead: (study: StudyView, step: string) => Promise<void> = async () => undefined,
): Promise<StudyView[]> {
  const views: StudyView[] = [];
  let missing = steps;
  let sentAgain = 0;
  for (const latest of latestParts) {
    if (missing.length === 0) break;
    const study = await federation.start(options);
    const usualMs = (step: string) =>
      1000 * latest * (undisturbed.view.steps.find((s) => s.id === step)?.seconds ?? 0);
    const kills = await killInSteps(
      study,
      missing,
      (step) => Math.floor(uniform() * usualMs(step)),
      (step) => whileDead(study, step),
    );
    const view = await federation.ended(study, "released");
    expect(view.steps.map((step) => step.status)).toEqual(view.steps.map(() => "done"));
    await federation.verify(view);
    sentAgain += await expectAnswersNeverDiffer(
      study,
      steps.filter((step) => step !== "publish"),
    );
    console.info(`seed ${seed}, ${study.id}: ${JSON.stringify(kills)}`);
    missing = kills.filter((kill) => !kill.within).map((kill) => kill.step);
    views.push(view);
  }
  expect(missing, "steps that no kill came within").toEqual([]);
  // Kills that cost no answer would prove nothing.
  expect(sentAgain).toBeGreaterThan(0);
  return views;
}

it("ends with the same result bit for bit, without noise", async () => {
  const steps = ["join", "deal", "moments", "covariance", "projection", "publish"];
  for (const view of await runKilled({ name: "killed" }, steps, seededUniform(seed))) {
    const result = await resultOf(view);
    expect(exact(result.model)).toEqual(exact(undisturbed.model));
    expect(result.rows).toBe(undisturbed.model.rows);
    expect(result.rowsSha256).toBe(undisturbed.rowsSha256);
  }
});

it("keeps sums and noise together, with the shared noise on", async () => {
  const steps = ["join", "deal", "reveal", "moments", "covariance", "projection", "publish"];
  const options: StudyOptions = { name: "killed-noisy", privacy };
  const sums = new Map<string, { moments: BigUint64Array; covariance: BigUint64Array }>();
  const views = await runKilled(options, steps, seededUniform(seed + 1), async (study, step) => {
    if (step !== "projection") return;
    // Both ends are read while the aggregator is dead: what the sites answered adds up to what was stored.
    const both = {
      moments: await storedSum(study, "moments"),
      covariance: await storedSum(study, "covariance"),
    };
    expect(await sumOfAnswers(study, "moments")).toEqual(both.moments);
    expect(await sumOfAnswers(study, "covariance")).toEqual(both.covariance);
    sums.set(study.id, both);
  });
  const parsed = asPaperPca(unwrap(parseStudy(studyOf(options))));
  const kernels = await openSystemKernels();
  try {
    for (const view of views) {
      const { model } = await resultOf(view);
      expect(model.mean).toEqual(undisturbed.model.mean);
      expect(model.eigenvalues).not.toEqual(undisturbed.model.eigenvalues);
      const both = sums.get(view.id);
      if (both === undefined) continue;
      // The released model is the one of those sums, noise included: nothing was computed a second time.
      const { n } = meanFrom(both.moments, parsed, sites.length);
      const noisy = covarianceFrom(both.covariance, parsed, n, sites.length);
      const subspace = await principalSubspace(noisy, columns, components, kernels);
      expect(model.eigenvalues).toEqual([...subspace.eigenvalues]);
      expect(model.loadings.flat()).toEqual([...subspace.loadings]);
    }
  } finally {
    await kernels.close();
  }
  expect(sums.size).toBeGreaterThan(0);
});

it("leaves nothing of ended studies behind", async () => {
  await federation.until("the sites to acknowledge", async () => {
    const untold = stored(federation.aggregator, "SELECT study FROM participants WHERE told_end = 0");
    return untold.length === 0 || null;
  });
  expect(await readdir(join(federation.aggregator.state, "studies"))).toEqual([]);
  for (const site of sites) {
    expect(await readdir(join(federation.site(site).state, "studies")), site).toEqual([]);
    const secrets = stored(
      federation.site(site),
      "SELECT id FROM studies WHERE exchange_secret IS NOT NULL OR setup IS NOT NULL",
    );
    expect(secrets, site).toEqual([]);
  }
});

/** A large sum is in a file, a small one in the store. */
async function storedSum({ id }: StudyView, stage: string): Promise<BigUint64Array> {
  const asked = "SELECT content FROM results WHERE study = ? AND step = ?";
  const [row] = stored(federation.aggregator, asked, id, stage);
  if (row?.content instanceof Uint8Array) return fromLittleEndianBytes(row.content);
  const folder = join(federation.aggregator.state, "studies", id);
  const name = (await readdir(folder)).find((file) => file.startsWith(`result-${stage}~`));
  return fromLittleEndianBytes(await readFile(join(folder, name!)));
}

async function sumOfAnswers(study: StudyView, stage: string): Promise<BigUint64Array> {
  const answers = await Promise.all(
    sites.map(async (site) =>
      fromLittleEndianBytes(
        await readFile(join(federation.site(site).state, "studies", study.id, `answer-${stage}-1`)),
      ),
    ),
  );
  const sum = new BigUint64Array(answers[0]!.length);
  for (const answer of answers)
    answer.forEach((value, i) => {
      sum[i] = sum[i]! + value;
    });
  return sum;
}
