import type { StageId } from "@consilium/core/ids";
import { streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import { unwrap } from "@consilium/core/result";
import type { Broadcast } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { noiseShares } from "@consilium/core/study/onRoster";
import type { SumStage } from "@consilium/core/study/plan";
import { noiseStdDev, soundSum } from "@consilium/core/study/soundSums";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededNormals } from "../shared/draws/seededNormals.js";
import { capturedEnergy } from "../shared/pca/subspace.js";
import { exactSum, simulateDpPca } from "../testing/dpPcaSimulation.js";
import { parseStudy } from "../testing/studies.js";
import { ballNames, ballStages, type DpPcaBall, distanceCounts, radii } from "./ball.js";
import { chosenCentre, chosenRadiusStep, toldBall } from "./chosenBall.js";
import { dpPcaConversation } from "./conversation.js";
import { dpPcaModel, dpPcaModelSchema, projectDpPcaRow } from "./model.js";
import {
  asDpPca,
  type DpPcaStage,
  type DpPcaStudy,
  dpPcaLayout,
  dpPcaMomentStages,
  dpPcaStdDev,
  planDpPca,
} from "./study.js";
import { dpPcaVector } from "./vector.js";

const kernels = plainKernels();
const forms = ["one-round", "two-round", "iteration"] as const;
type Row = readonly number[];

function studyOf(
  d: number,
  parameters: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): DpPcaStudy {
  const parsed = parseStudy({
    name: "ball",
    table: "t",
    analysis: "pca",
    features: Array.from({ length: d }, (_, j) => ({ name: `x${j}`, type: "numeric", min: 0, max: 1 })),
    parameters: { components: 1, ball: "private", ...parameters },
    privacy: { epsilon: 1, delta: 1e-5 },
    participation: { sites: ["a", "b", "c", "d", "e"], minimumSites: 5, maxRowsPerSite: 1000 },
    ...more,
  });
  return asDpPca(unwrap(parsed));
}

const blockOf = (rows: readonly Row[], d: number): ColumnBlock => ({
  rows: rows.length,
  columns: Array.from({ length: d }, (_, j) => Float64Array.from(rows, (row) => row[j]!)),
  labels: new Uint16Array(rows.length),
});

function vectorOf(
  study: DpPcaStudy,
  stage: DpPcaStage,
  rows: readonly Row[],
  ball?: DpPcaBall,
): Promise<BigUint64Array> {
  const blocks = streamed([blockOf(rows, dpPcaLayout(study).columns)]);
  const random = seededRandom("a site");
  return dpPcaVector({ study, stage, blocks, directions: null, kernels, random, ...(ball && { ball }) });
}

const squaredDistance = (a: BigUint64Array, b: BigUint64Array) =>
  a.reduce((sum, x, i) => sum + BigInt.asIntN(64, x - b[i]!) ** 2n, 0n);

/** Concentrated rows off the middle, as tables between bounds with room are. */
function concentrated(rows: number, d: number, seed: string): Row[] {
  const normal = seededNormals(seed);
  return Array.from({ length: rows }, () => {
    const [first, second] = [normal(), normal()];
    return Array.from({ length: d }, (_, j) =>
      Math.min(
        1,
        Math.max(0, 0.15 + 0.03 * j + 0.06 * ((j % 2) * first + ((j + 1) % 3) * second) + 0.02 * normal()),
      ),
    );
  });
}

/** The conversation over exact sums: what the study's own numbers make of them, without any noise. */
async function overExactSums(study: DpPcaStudy, tables: readonly (readonly Row[])[]) {
  const layout = dpPcaLayout(study);
  const broadcasts = new Map<StageId, Broadcast>();
  const blocks = tables.map((rows) => [blockOf(rows, layout.columns)]);
  const result = await dpPcaConversation({
    study,
    kernels,
    seed: "s",
    sum(stage, broadcast) {
      broadcasts.set(stage.id, broadcast);
      const directions = broadcast.directions ?? null;
      const ball = toldBall(layout, stage, broadcasts);
      return exactSum({
        study,
        stage,
        tables: blocks,
        kernels,
        random: seededRandom("exact"),
        directions,
        ball,
      });
    },
  });
  return { ...result, broadcasts };
}

describe("the sensitivity of the choice of a ball, by exhaustive neighbours", () => {
  const d = 3;
  const values = [0, 0.25, 0.5, 1];
  const domain: Row[] = values.flatMap((a) => values.flatMap((b) => values.map((c) => [a, b, c])));
  const someTables: Row[][] = [[], [[0.5, 0.5, 0.5]], [domain[7]!, domain[20]!, domain[42]!, domain[42]!]];
  // About the middle with radius ½, so that rows lie inside, on and beyond the ball.
  const study = studyOf(d, { radius: 0.5 });
  const layout = dpPcaLayout(study);
  const [centreStage, radiusStage] = layout.stages;
  const eventOf = (id: StageId) =>
    (planDpPca(study).stages.find((stage) => stage.id === id) as SumStage).noise!.event;

  /** The largest squared distance between neighbours; both are told the same. */
  async function worst(
    stage: DpPcaStage,
    ball: DpPcaBall,
    vector = (rows: readonly Row[]) => vectorOf(study, stage, rows, ball),
  ): Promise<bigint> {
    let most = 0n;
    for (const rows of someTables) {
      const base = await vector(rows);
      for (const added of domain) {
        const distance = squaredDistance(await vector([...rows, added]), base);
        if (distance > most) most = distance;
      }
    }
    return most;
  }

  it("is 4^h + K² for the sums, and attained", async () => {
    const scale = BigInt(soundSum(study, layout.choice!.centre).scale);
    const most = await worst(centreStage!, layout.declared);
    expect(most).toBe(BigInt(layout.squaredNormLimit) * scale ** 2n);
    expect(BigInt(eventOf(ballStages.centre).l2SensitivitySquared)).toBe(most);
  });

  it("is 1 for the counts, and attained, whatever centre was published before", async () => {
    const scale = BigInt(soundSum(study, layout.choice!.radius).scale);
    expect(BigInt(eventOf(ballStages.radius).l2SensitivitySquared)).toBe(scale ** 2n);
    for (const centre of [
      [0.5, 0.5, 0.5],
      [0, 0, 0],
      [1, 0.25, 0],
      [2 ** -24, 1 - 2 ** -24, 0.5],
    ]) {
      const ball = { centre: Float64Array.from(centre), radius: layout.declared.radius };
      expect(await worst(radiusStage!, ball)).toBe(scale ** 2n);
    }
  });

  it("of second moments is A² about any ball that a site takes", async () => {
    const [moments] = dpPcaMomentStages(layout);
    const { event, weights } = (planDpPca(study).stages.find((stage) => stage.id === moments!.id) as SumStage)
      .noise!;
    expect(weights).toEqual({ kind: "triangles", order: d + 1 });
    for (const centre of [
      [0, 0, 0],
      [0.25, 0.5, 1],
    ]) {
      for (let step = 0; step < radii; step++) {
        const told = new Map<StageId, Broadcast>([
          [ballStages.radius, { [ballNames.centre]: Float64Array.from(centre) }],
          [moments!.id, { [ballNames.radiusStep]: Float64Array.of(step) }],
        ]);
        const ball = toldBall(layout, moments!, told);
        const base = await vectorOf(study, moments!, [], ball);
        for (const row of domain) {
          const own = await vectorOf(study, moments!, [row], ball);
          let distance = 0n;
          for (let i = 0, t = 0; i <= d; i++) {
            for (let j = i; j <= d; j++, t++) {
              distance += (i === j ? 1n : 2n) * BigInt.asIntN(64, own[t]! - base[t]!) ** 2n;
            }
          }
          expect(distance).toBeLessThanOrEqual(BigInt(event.l2SensitivitySquared));
        }
      }
    }
  });

  it("would catch distances that are taken to the table's own mean", async () => {
    const bound = BigInt(eventOf(ballStages.radius).l2SensitivitySquared);
    const ownMean = (rows: readonly Row[]) =>
      Float64Array.from({ length: d }, (_, j) =>
        rows.length === 0 ? 0.5 : rows.reduce((sum, row) => sum + row[j]!, 0) / rows.length,
      );
    const most = await worst(radiusStage!, layout.declared, (rows) =>
      vectorOf(study, radiusStage!, rows, { centre: ownMean(rows), radius: layout.declared.radius }),
    );
    expect(most).toBeGreaterThan(bound);
  });

  it("would catch sums of rows that are not clipped", async () => {
    const bound = BigInt(eventOf(ballStages.centre).l2SensitivitySquared);
    const unclipped = async (rows: readonly Row[]) => {
      const sums = new BigInt64Array(d + 1);
      for (const row of rows) {
        row.forEach((x, j) => {
          sums[j]! += BigInt(Math.trunc(((x - 0.5) / 0.5) * 2 ** layout.gridExponent));
        });
        sums[d]! += BigInt(layout.kappaUnits);
      }
      return new BigUint64Array(sums.buffer);
    };
    expect(await worst(centreStage!, layout.declared, unclipped)).toBeGreaterThan(bound);
  });
});

describe("the choice of a ball", () => {
  const d = 3;

  /** Centre and radius in plain arrays, from rows in one place: shares nothing with the product's path. */
  function naive(study: DpPcaStudy, rows: readonly Row[]) {
    const layout = dpPcaLayout(study);
    const { declared, choice } = layout;
    const { radius } = declared;
    const sum = new Array<number>(d).fill(0);
    for (const row of rows) {
      const y = row.map((x, j) => (x - declared.centre[j]!) / radius);
      const length = Math.max(1, Math.hypot(...y));
      y.forEach((x, j) => {
        sum[j]! += x / length;
      });
    }
    const mean = sum.map((x) => x / Math.max(rows.length, 1));
    const unit = 2 ** -layout.gridExponent;
    const sigma = (noiseStdDev(study, choice!.centre, noiseShares(study)) * unit) / Math.max(rows.length, 1);
    const squares = mean.reduce((total, x) => total + x * x, 0);
    const kept = squares === 0 ? 0 : Math.max(0, 1 - (d * sigma ** 2) / squares);
    const centre = mean.map((x, j) => Math.min(1, Math.max(0, declared.centre[j]! + radius * kept * x)));
    return { centre, sigma: dpPcaStdDev(study) };
  }

  /** R²T and what is cut off the rows, of every radius, rows between two radii taken for even in r². */
  function losses(rows: readonly Row[], centre: Float64Array, radius: number, worth: number): number[] {
    const counts = new Array<number>(distanceCounts).fill(0);
    for (const row of rows) {
      const part = row.reduce((sum, x, j) => sum + ((x - centre[j]!) / radius) ** 2, 0);
      let at = 0;
      while (at < distanceCounts - 1 && part <= 2 ** -at) at++;
      counts[at]!++;
    }
    return Array.from({ length: radii }, (_, step) => {
      const squared = 2 ** -step;
      return counts.slice(0, step + 1).reduce((loss, count, i) => {
        const middle = i === 0 ? 1 : 0.75 * 2 ** -(i - 1);
        return loss + count * Math.max(0, middle - squared);
      }, worth * squared);
    });
  }

  it("is that of one table in one place, however its rows are dealt out, when there is no noise", async () => {
    const coordinate = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 0.5, 1));
    const cases = fc.record({
      rows: fc.array(fc.array(coordinate, { minLength: d, maxLength: d }), { maxLength: 60 }),
      cuts: fc.array(fc.nat({ max: 60 }), { minLength: 4, maxLength: 4 }),
      epsilon: fc.constantFrom(1, 20, 300),
      form: fc.constantFrom(...forms),
      spread: fc.constantFrom(1, 0.1),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ rows: drawn, cuts, epsilon, form, spread }) => {
        const rows = drawn.map((row) => row.map((x) => 0.3 + spread * (x - 0.3)));
        const study = studyOf(d, { form }, { privacy: { epsilon, delta: 1e-5 } });
        const at = [0, ...cuts.map((cut) => Math.min(cut, rows.length)).sort((a, b) => a - b), rows.length];
        const tables = at.slice(1).map((to, i) => rows.slice(at[i], to));
        const { ball, broadcasts } = await overExactSums(study, tables);
        const whole = await overExactSums(study, [rows]);
        expect(ball).toEqual(whole.ball);
        const central = naive(study, rows);
        const { radius } = dpPcaLayout(study).declared;
        // Cutting each coordinate to the grid takes at most a unit of it.
        const tolerance = 2 * radius * 2 ** -dpPcaLayout(study).gridExponent + 2 ** -24;
        central.centre.forEach((x, j) => {
          expect(Math.abs(ball.centre[j]! - x)).toBeLessThan(tolerance);
        });
        const directions = form === "iteration" ? Math.sqrt(d) + 1 : Math.sqrt(2 * d);
        const worth = Math.min(4 * central.sigma * directions, rows.length / 2);
        const loss = losses(rows, ball.centre, radius, worth);
        const [step] = broadcasts.get(dpPcaMomentStages(dpPcaLayout(study))[0]!.id)![ballNames.radiusStep]!;
        expect(loss[step!]!).toBeLessThanOrEqual(Math.min(...loss) * (1 + 1e-9) + 1e-9);
        expect(ball.radius).toBeCloseTo(radius * Math.SQRT2 ** -step!, 12);
      }),
      { numRuns: 80 },
    );
  });

  it("finds a concentrated table, and a ball that most of it lies in", async () => {
    const rows = concentrated(900, 6, "found");
    const study = studyOf(6);
    const { ball } = await simulateDpPca({
      study,
      tables: [[blockOf(rows, 6)]],
      kernels,
      random: seededRandom("found"),
      seed: "s",
    });
    const mean = Array.from({ length: 6 }, (_, j) => rows.reduce((sum, row) => sum + row[j]!, 0) / 900);
    const { declared } = dpPcaLayout(study);
    expect(Math.hypot(...mean.map((x, j) => x - ball.centre[j]!))).toBeLessThan(0.2 * declared.radius);
    expect(Math.hypot(...mean.map((x) => x - 0.5))).toBeGreaterThan(0.8 * declared.radius);
    expect(ball.radius).toBeLessThan(0.6 * declared.radius);
    const within = rows.filter((row) => Math.hypot(...row.map((x, j) => x - ball.centre[j]!)) <= ball.radius);
    expect(within.length).toBeGreaterThan(450);
  });

  it("keeps to the declared centre where the sum is nothing but noise", () => {
    const study = studyOf(d);
    const layout = dpPcaLayout(study);
    const sd = noiseStdDev(study, layout.choice!.centre, noiseShares(study));
    const noise = Float64Array.of(0.9 * sd, -0.9 * sd, 0.9 * sd, 300 * layout.kappaUnits);
    expect([...chosenCentre(study, layout, layout.choice!, noise).centre]).toEqual([
      ...layout.declared.centre,
    ]);
    // The same sums of ten times the noise are rows.
    const rows = noise.map((x, j) => (j < d ? 10 * x : x));
    const found = chosenCentre(study, layout, layout.choice!, rows).centre;
    expect(found[0]).toBeGreaterThan(0.5);
    expect(found[1]).toBeLessThan(0.5);
  });

  it("takes a smaller ball where more noise is to come, and never one without half of the rows", () => {
    const steps = (counts: readonly number[]) =>
      [100, 4, 1, 0.1].map((epsilon) => {
        const study = studyOf(d, {}, { privacy: { epsilon, delta: 1e-5 } });
        return chosenRadiusStep(study, dpPcaLayout(study), Float64Array.from(counts), 300);
      });
    // 300 rows. Step s has the squared radius 2^-s of the declared one; counts 0 to s lie beyond it.
    const outward = steps([0, 0, 100, 120, 80, 0, 0, 0]);
    const inward = steps([0, 0, 100, 80, 120, 0, 0, 0]);
    for (const one of [outward, inward]) {
      expect(one).toEqual([...one].sort((a, b) => a - b));
      expect(one[0]).toBe(1);
    }
    // The middle row is the fiftieth of the third range that has any, or beyond it.
    expect(outward.at(-1)).toBe(2);
    expect(inward.at(-1)).toBe(3);
  });

  for (const form of forms) {
    it(`is in the model, by which a row is reduced as the sites did (${form})`, async () => {
      const rows = concentrated(400, 4, "model");
      const study = studyOf(
        4,
        { components: 2, form, ballShare: 0.2 },
        { privacy: { epsilon: 50, delta: 1e-5 } },
      );
      const result = await overExactSums(study, [rows.slice(0, 100), rows.slice(100)]);
      const model = dpPcaModel({ study, ...result, synthetic: { seed: "s", counts: [0] }, solver: "plain" });
      expect(dpPcaModelSchema.parse(JSON.parse(JSON.stringify(model)))).toEqual(model);
      expect(model.ball).toEqual({ origin: "private", share: 0.2 });
      expect(model.radius).toBe(result.ball.radius);
      expect(model.radius).toBeLessThan(dpPcaLayout(study).declared.radius);
      const reduced = rows.map((row) =>
        projectDpPcaRow(model, Object.fromEntries(row.map((x, j) => [`x${j}`, x]))),
      );
      for (let a = 0; a < 2; a++) {
        const mean = reduced.reduce((sum, row) => sum + row[a]!, 0) / rows.length;
        expect(Math.abs(mean - model.mean[a]!)).toBeLessThan(1e-4);
      }
    });
  }

  it("refuses a sum that honest sites cannot send, at either stage", async () => {
    const study = studyOf(d);
    for (const broken of [ballStages.centre, ballStages.radius]) {
      const conversation = dpPcaConversation({
        study,
        kernels,
        seed: "s",
        sum: async (stage) => {
          if (![ballStages.centre, ballStages.radius].includes(stage.id)) throw new Error("it continued");
          return new BigUint64Array(stage.length).fill(stage.id === broken ? 2n ** 62n : 0n);
        },
      });
      await expect(conversation).rejects.toThrow(/larger than the study's sites/);
    }
  });
});

describe("a ball that a site is told", () => {
  const d = 3;
  const study = studyOf(d);
  const layout = dpPcaLayout(study);
  const [moments] = dpPcaMomentStages(layout);
  const told = (centre: readonly number[] | undefined, step: readonly number[] | undefined) => {
    const broadcasts = new Map<StageId, Broadcast>();
    if (centre) broadcasts.set(ballStages.radius, { [ballNames.centre]: Float64Array.from(centre) });
    if (step) broadcasts.set(moments!.id, { [ballNames.radiusStep]: Float64Array.from(step) });
    return () => toldBall(layout, moments!, broadcasts);
  };

  it("is taken where an honest aggregator may have chosen it", () => {
    for (let step = 0; step < radii; step++) {
      const { centre, radius } = told([0, 0.25, 1 - 2 ** -24], [step])();
      expect([...centre]).toEqual([0, 0.25, 1 - 2 ** -24]);
      expect(radius).toBeCloseTo(0.5 * Math.SQRT2 ** -step, 14);
    }
  });

  it.each<[string, number[] | undefined, number[] | undefined, string]>([
    ["without a centre", undefined, [0], "FIELD_INVALID"],
    ["without a radius", [0, 0, 0], undefined, "FIELD_INVALID"],
    ["of too few columns", [0, 0], [0], "BROADCAST_INVALID"],
    ["finer than the grid", [2 ** -25, 0, 0], [0], "BROADCAST_INVALID"],
    ["below the range", [-0.5, 0, 0], [0], "BROADCAST_INVALID"],
    ["above the range", [0, 1.5, 0], [0], "BROADCAST_INVALID"],
    ["no number", [Number.NaN, 0, 0], [0], "BROADCAST_INVALID"],
    ["of half a step", [0, 0, 0], [0.5], "BROADCAST_INVALID"],
    ["wider than declared", [0, 0, 0], [-1], "BROADCAST_INVALID"],
    ["smaller than the smallest", [0, 0, 0], [radii], "BROADCAST_INVALID"],
    ["of no step", [0, 0, 0], [Number.NaN], "BROADCAST_INVALID"],
    ["of no radius", [0, 0, 0], [], "BROADCAST_INVALID"],
    ["of two radii", [0, 0, 0], [0, 1], "BROADCAST_INVALID"],
  ])("is refused %s", (_, centre, step, code) => {
    expect(told(centre, step)).toThrow(expect.objectContaining({ code }));
  });

  it("is needed by every stage after the first", async () => {
    for (const stage of layout.stages.slice(1)) {
      await expect(vectorOf(study, stage, [])).rejects.toThrow(/needs the ball/);
    }
    await expect(vectorOf(study, layout.stages[0]!, [])).resolves.toHaveLength(d + 1);
  });

  it("counts no row that holds no number", async () => {
    const ball = { centre: Float64Array.of(0, 0, 0), radius: 1 };
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const sums = await vectorOf(study, layout.stages[1]!, [[0.1, bad, 0.2]], ball);
      expect(sums.every((sum) => sum === 0n)).toBe(true);
    }
  });
});

describe("what a chosen ball is worth", () => {
  const seeds = 6;

  function covarianceOf(rows: readonly Row[], d: number): Float64Array {
    const mean = Array.from(
      { length: d },
      (_, j) => rows.reduce((sum, row) => sum + row[j]!, 0) / rows.length,
    );
    return Float64Array.from({ length: d * d }, (_, p) => {
      const [i, j] = [Math.floor(p / d), p % d];
      return rows.reduce((sum, row) => sum + (row[i]! - mean[i]!) * (row[j]! - mean[j]!), 0) / rows.length;
    });
  }

  /** Mean over the seeds of the energy of the rows themselves, not clipped, that two components capture; 1 is the most. */
  async function energyOf(rows: readonly Row[], d: number, ball: string, epsilon: number): Promise<number> {
    const study = studyOf(
      d,
      { components: 2, ball },
      {
        privacy: { epsilon, delta: 1e-5 },
        participation: {
          sites: ["a", "b", "c", "d", "e"],
          minimumSites: 5,
          maxRowsPerSite: 1000,
          expectedRows: rows.length,
        },
      },
    );
    expect(dpPcaLayout(study).choice === null).toBe(ball === "declared");
    const covariance = covarianceOf(rows, d);
    const { vectors } = await kernels.symmetricEigen(covariance, d, 2);
    const best = capturedEnergy(vectors, covariance);
    const tables = Array.from({ length: 5 }, (_, site) => [
      blockOf(
        rows.filter((__, r) => r % 5 === site),
        d,
      ),
    ]);
    let sum = 0;
    for (let seed = 0; seed < seeds; seed++) {
      const { subspace } = await simulateDpPca({
        study,
        tables,
        kernels,
        random: seededRandom(`${ball} ${epsilon} ${seed}`),
        seed: "s",
      });
      sum += capturedEnergy(subspace.loadings, covariance) / best;
    }
    return sum / seeds;
  }

  it.each([
    [6, 900, 0.5],
    [8, 600, 1],
    [20, 1000, 1],
  ])("is more energy of concentrated rows: %i columns, %i rows, epsilon %d", async (d, n, epsilon) => {
    const rows = concentrated(n, d, `worth ${d}`);
    const [declared, chosen] = [
      await energyOf(rows, d, "declared", epsilon),
      await energyOf(rows, d, "auto", epsilon),
    ];
    expect(chosen).toBeGreaterThan(declared + 0.1);
  });

  it("is hardly less of rows that fill the declared ranges, the worst that it can meet", async () => {
    const d = 8;
    const normal = seededNormals("wide");
    // Even on [0, 1], but for half of the columns, which go with the first.
    const rows = Array.from({ length: 600 }, () => {
      const even = Array.from({ length: d }, () => Math.abs(normal() * 1e4) % 1);
      return even.map((x, j) => (j < 4 ? (even[0]! + 0.3 * x) / 1.3 : x));
    });
    const declared = await energyOf(rows, d, "declared", 1);
    expect(await energyOf(rows, d, "auto", 1)).toBeGreaterThan(declared - 0.03);
  });
});
