import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { upperGamma } from "@consilium/core/linalg/upperGamma";
import type { EntryChange, StageNoise } from "@consilium/core/study/plan";
import { addNoiseShare } from "@consilium/gate/noise/noiseShare";
import { describe, expect, test } from "vitest";
import { audit as runCommand } from "../../scripts/audit.js";
import { whatLeaves } from "../what-leaves/audit.js";
import type { AuditedMethod, SoundMethod } from "./auditedMethod.js";
import { epsilonAlpha, measureEpsilon } from "./epsilon.js";
import { auditedMethods } from "./methods/all.js";
import { exactAccounting } from "./methods/exactAccounting.js";
import { vectorSum } from "./methods/vectorSum.js";
import { examineNoise, fitOf, noiseHolds } from "./noise.js";
import { noiseShareLines, sizings } from "./noiseShares.js";
import { scaledNoise } from "./noisySum.js";
import { powerTable } from "./power.js";
import { formatFindings, formatPower } from "./report.js";
import { efforts, type Finding, runAudit } from "./runAudit.js";
import { exhaustNeighbours, holds, multisets } from "./sensitivity.js";
import { chiSquareProbability, normalCdf, normalTwoSided, seededRandom } from "./statistics.js";

/** The audit at a size that every test run can afford. Its seed is fixed, so that it says the same each time. */

const audit = (methods: readonly AuditedMethod[]): Promise<Finding[]> =>
  runAudit({ methods, effort: efforts.gate, seed: "gate", now: () => 0 });

test("every method is as it has to be: the sound ones hold, claims known to be wrong and all controls are caught", async () => {
  const findings = await audit(auditedMethods);
  console.log(formatFindings(findings));
  expect(findings.filter((finding) => !finding.asExpected)).toEqual([]);
  for (const method of auditedMethods) {
    expect(findings.filter((finding) => finding.method === method.name).length).toBeGreaterThan(0);
  }
  for (const finding of findings.filter(({ variant }) => variant === "paper")) {
    expect(finding.verdict).toMatch(/^claimed: violated \(measured ε ≥ \d/);
    expect(finding.epsilon!.atLeast).toBeGreaterThan(finding.epsilon!.claimed);
  }
  for (const finding of findings.filter(({ variant }) => variant === "sound"))
    expect(finding.verdict).toBe("proved: holds");
});

test("the command finds all that it audits, wherever it is started from", async () => {
  const script = fileURLToPath(new URL("../../scripts/audit.mjs", import.meta.url));
  const env: NodeJS.ProcessEnv = { ...process.env, CONSILIUM_BUILT: "1" };
  delete env.TSX_TSCONFIG_PATH;
  const said = await new Promise<string>((resolve) => {
    execFile(process.execPath, [script, "--method", "nobody"], { env }, (error, _stdout, stderr) =>
      resolve(`${error?.code}: ${stderr}`),
    );
  });
  expect(said).toMatch(/^2: (?:.*\n)*no method is called "nobody"; there are: /);
  for (const name of ["counts", "describe", "regression", "survival", "synthetic-table"])
    expect(said).toContain(`, ${name},`);
});

test("a failure of the audit is no fault of the command line, and keeps what was measured before it", async () => {
  const [finding] = await audit([exactAccounting]);
  const failing = () => {
    throw new Error("no space left on device");
  };
  const run = async (json: boolean) => {
    const printed = { out: "", progress: "" };
    const code = await runCommand(
      {
        methods: [],
        beside: [
          { name: "measured", lines: () => [finding!] },
          { name: "failing", lines: failing },
        ],
        full: false,
        json,
        seed: "gate",
      },
      {
        out: (text) => {
          printed.out += text;
        },
        progress: (text) => {
          printed.progress += text;
        },
      },
    );
    return { code, ...printed };
  };
  const { code, out, progress } = await run(false);
  expect(code).toBe(3);
  expect(out).toContain(finding!.measured);
  expect(progress).toContain("failed after 1 findings; the rest was not measured.\nError: no space left");
  expect(progress).not.toContain("Usage");
  const inJson = await run(true);
  expect(inJson.code).toBe(3);
  expect(JSON.parse(inJson.out)).toMatchObject({ asExpected: false, findings: [{}] });
  expect(inJson.out).toContain("no space left");
});

test("the part over the network comes to its end, small, with every control caught", async () => {
  const findings = await runAudit({
    methods: [],
    beside: [() => whatLeaves({ methods: ["counts"], formats: ["csv"] })],
    effort: efforts.gate,
    seed: "gate",
    now: () => 0,
  });
  expect(findings.filter(({ asExpected }) => !asExpected)).toEqual([]);
  expect(findings.map(({ method, variant }) => [method, variant])).toEqual([
    ["counts", "sound"],
    ["dp-pcc", "sound"],
    ["counting by valid studies", "sound"],
    ["counting by valid studies", "control"],
  ]);
});

test("no sum is opened over fewer sites than its noise is sized for", () => {
  const lines = [...noiseShareLines()];
  expect(lines.filter(({ asExpected }) => !asExpected)).toEqual([]);
  expect(lines.filter(({ variant }) => variant === "sound")).toHaveLength(sizings.length);
  expect(lines.filter(({ variant }) => variant === "control").length).toBeGreaterThan(3);
});

test("a conversation is also run as it really is, each stage after the sums of its own run", async () => {
  const methods = auditedMethods.filter(({ name }) => name === "dp-pca, two-round");
  const effort = {
    ...efforts.gate,
    runs: 4000,
    draws: 10_000,
    tableRecords: 1,
    transcripts: 1,
    adaptiveRuns: 600,
  };
  const findings = await runAudit({ methods, effort, seed: "adaptive", now: () => 0 });
  const adaptive = findings.filter(({ subject }) => subject.endsWith("adaptively"));
  expect(adaptive.map(({ variant, asExpected }) => [variant, asExpected])).toEqual([
    ["sound", true],
    ["control", true],
  ]);
});

describe("the audit is not blind", () => {
  const [stage] = vectorSum.mechanism.stages;
  const altered = (change: Partial<typeof stage>): SoundMethod => ({
    ...vectorSum,
    mechanism: { ...vectorSum.mechanism, stages: [{ ...stage!, ...change }] },
  });
  const accused = async (method: AuditedMethod) =>
    (await audit([method]))
      .filter((finding) => !finding.asExpected)
      .map(({ check, variant }) => `${variant} ${check}`);

  test("a sensitivity stated one unit too low is a violation", async () => {
    const event = {
      ...stage!.noise.event,
      l2SensitivitySquared: stage!.noise.event.l2SensitivitySquared - 1,
    };
    const method = altered({ noise: { ...stage!.noise, event } });
    expect(await accused(method)).toEqual(["sound sensitivity"]);
    const [finding] = await exhaustNeighbours(method.mechanism, { transcripts: 1, seed: "" });
    expect(holds(finding!)).toBe(false);
  });

  test("more entries changed than listed, or one by more, is a violation", async () => {
    const listed = (changes: readonly EntryChange[]) => altered({ noise: { ...stage!.noise, changes } });
    const most = 2 ** 20;
    const { length } = await stage!.vector([], []);
    expect(await accused(listed([{ entries: length, most }]))).toEqual([]);
    expect(await accused(listed([{ entries: 1, most }]))).toEqual(["sound sensitivity"]);
    expect(await accused(listed([{ entries: length, most: 1 }]))).toEqual(["sound sensitivity"]);
  });

  test("an accountant that is a hundredth too low, or far too high, is not taken for right", async () => {
    const times = (factor: number): AuditedMethod => ({
      ...exactAccounting,
      epsilon: (parts, delta) => factor * exactAccounting.epsilon(parts, delta),
    });
    expect(await accused(times(1))).toEqual([]);
    expect(await accused(times(0.99))).toEqual(["accounting epsilon"]);
    expect(await accused(times(1.01))).toEqual(["accounting epsilon"]);
  });

  test("one stated twice too high is not attained", async () => {
    const event = {
      ...stage!.noise.event,
      l2SensitivitySquared: 2 * stage!.noise.event.l2SensitivitySquared,
    };
    expect(await accused(altered({ noise: { ...stage!.noise, event } }))).toContain("sound sensitivity");
  });

  test("noise for a fourth of the variance, honestly stated, violates the claim", async () => {
    const findings = await audit([altered({ noise: scaledNoise(stage!.noise, 0.4) })]);
    const epsilon = findings.find(({ variant, check }) => variant === "sound" && check === "epsilon")!;
    expect(epsilon.asExpected).toBe(false);
    expect(epsilon.verdict).toMatch(/^proved: VIOLATED \(measured ε ≥ 1\.\d\d\)$/);
    expect(formatFindings(findings)).toMatch(/1 of 5 findings are NOT as they have to be/);
  });

  test("a claim that no attack refutes and a mutation that breaks nothing are misses", async () => {
    const sample = async ({ runs }: { runs: number }) => new Float64Array(runs);
    const attack = { name: "nothing seen", view: "nobody", runs: 1000, sample };
    const findings = await audit([
      { kind: "paper", name: "fine", claim: vectorSum.claim, attacks: [attack] },
      { kind: "mutation", name: "none", mechanism: vectorSum.mechanism },
    ]);
    expect(findings.map(({ asExpected }) => asExpected)).toEqual([false, false]);
  });
});

describe("noise", () => {
  const noise = (shareVariance: number): StageNoise => ({
    event: {
      kind: "distributed-discrete-gaussian",
      l2SensitivitySquared: 1,
      shareVariance,
      groups: [
        { entries: 1, weight: 1 },
        { entries: 1, weight: 2 },
      ],
      sites: 4,
      noiseShares: 3,
    },
    weights: { kind: "triangles", order: 2 },
  });
  const draws = 40_000;

  test.each([8, 50, 3000, 1e6, 1e20])(
    "of share variance %d is as stated, and five percent less or more is not",
    (v) => {
      expect(noiseHolds(examineNoise({ stated: noise(v), draws, seed: "noise" }))).toBe(true);
      for (const factor of [0.95, 1.05]) {
        const added = scaledNoise(noise(v), factor);
        expect(noiseHolds(examineNoise({ stated: noise(v), added, draws, seed: "noise" }))).toBe(false);
      }
    },
  );

  test("of the right variance but the wrong shape is caught", () => {
    // Uniform on -w..w has variance w(w + 1)/3.
    const uniform = Float64Array.from({ length: draws }, (_, i) => (i % 31) - 15);
    expect(fitOf(uniform, (15 * 16) / 3)).toBeLessThan(1e-12);
  });

  test("that two sites share is caught", () => {
    const shared = (site: number) => {
      const vector = new BigUint64Array(draws);
      addNoiseShare({
        vector,
        shareVariance: 8,
        weightOf: () => 1,
        random: seededRandom(`site ${site % 3}`),
      });
      return Float64Array.from(new BigInt64Array(vector.buffer), Number);
    };
    const [first, fourth] = [shared(0), shared(3)];
    const sum = first.map((value, i) => value + fourth[i]!);
    expect(fitOf(sum, 16)).toBeLessThan(1e-12);
  });
});

describe("what the decisions rest on", () => {
  test("multisets of at most m of n records: all of them, once", () => {
    const all = [...multisets(4, 3)];
    expect(all).toHaveLength(1 + 4 + 10 + 20);
    expect(new Set(all.map((table) => table.join())).size).toBe(all.length);
    expect(all.every((table) => table.every((record, i) => i === 0 || record >= table[i - 1]!))).toBe(true);
  });

  test("tail probabilities are those of the tables", () => {
    expect(normalTwoSided(1.959963984540054)).toBeCloseTo(0.05, 12);
    expect(normalTwoSided(5) / 5.733031437583878e-7).toBeCloseTo(1, 9);
    expect(normalTwoSided(8) / 1.2441921148543568e-15).toBeCloseTo(1, 9);
    expect(normalCdf(-1)).toBeCloseTo(0.15865525393145707, 12);
    expect(normalCdf(2)).toBeCloseTo(0.9772498680518208, 12);
    // Q(1, x) = exp(-x); the χ² of 10 degrees exceeds 18.307 once in twenty.
    expect(upperGamma(1, 3)).toBeCloseTo(Math.exp(-3), 12);
    expect(upperGamma(5, 18.307038053275146 / 2)).toBeCloseTo(0.05, 12);
    expect(chiSquareProbability([60, 40], [50, 50])).toBeCloseTo(0.04550026389635842, 12);
  });

  test("an experiment finds the ε of randomised response, from below", () => {
    const [runs, epsilon] = [200_000, 1.5];
    const truth = Math.exp(epsilon) / (1 + Math.exp(epsilon));
    const answers = (seed: string, probability: number) => {
      const words = new Uint32Array(seededRandom(seed).bytes(4 * runs).buffer);
      return Float64Array.from(words, (word) => (word < probability * 2 ** 32 ? 1 : 0));
    };
    const first = answers("first", truth);
    const second = answers("second", 1 - truth);
    for (const [a, b] of [
      [first, second],
      [second, first],
    ] as const) {
      const { epsilonAtLeast } = measureEpsilon(a, b, 0);
      expect(epsilonAtLeast).toBeLessThan(epsilon);
      expect(epsilonAtLeast).toBeGreaterThan(epsilon - 0.05);
    }
    expect(measureEpsilon(first, answers("third", truth), 0).epsilonAtLeast).toBeLessThan(0.05);
    expect(() => measureEpsilon(first, second.subarray(1), 0)).toThrow(RangeError);
  });

  test("a bound is above the true ε no more often than stated", () => {
    const [repeats, runs] = [300, 2000];
    let above = 0;
    for (let k = 0; k < repeats; k++) {
      const coins = (side: string) =>
        Float64Array.from(seededRandom(`coins ${k} ${side}`).bytes(runs), (byte) => byte & 1);
      if (measureEpsilon(coins("a"), coins("b"), 0).epsilonAtLeast > 0) above++;
    }
    // Binomial(300, 0.01): more than 15 comes once in 10^6.
    expect(above).toBeLessThanOrEqual(15);
    expect(epsilonAlpha).toBe(0.01);
  });

  test("less noise is seen the better, and never more than there is to see", async () => {
    const table = await powerTable(300_000, "power");
    const [right, slightly, half, quarter] = table.map(({ epsilonAtLeast }) => epsilonAtLeast);
    expect(right).toBeLessThan(1);
    expect(slightly).toBeGreaterThan(right!);
    expect(half).toBeGreaterThan(1);
    expect(quarter).toBeGreaterThan(2);
    // An independent program found these with three times as many runs.
    for (const { stdDev, epsilonAtLeast, expected } of table)
      expect(epsilonAtLeast, stdDev).toBeLessThan(expected + 0.1);
    expect(formatPower(table)).toMatch(/σ\/4 +ε ≥ \d\.\d\d +3\.24/);
  });
});
