import { addInto } from "@consilium/core/fixed-point/ringVector";
import { signedNumbers } from "@consilium/core/learning/exactSums";
import { streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import { noiseWeight, type SumStage } from "@consilium/core/study/plan";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededNormals } from "../shared/draws/seededNormals.js";
import { simulateDpPca } from "../testing/dpPcaSimulation.js";
import { parseStudy } from "../testing/studies.js";
import { dpPcaVector } from "../testing/vectors.js";
import { dpPcaConversation } from "./conversation.js";
import { dpPcaModel, dpPcaModelSchema, projectDpPcaRow } from "./model.js";
import { orthonormalRows, releasedClass } from "./moments.js";
import { checkDirections, roundedDirections } from "./records.js";
import { asDpPca, type DpPcaStage, type DpPcaStudy, dpPcaLayout, planDpPca } from "./study.js";
import { syntheticRows } from "./syntheticRows.js";

const kernels = plainKernels();

/** A row in units of the declared ranges, which are 0 to 1 here, and its class. */
interface Row {
  readonly u: readonly number[];
  readonly label: number;
}

interface Options {
  readonly d: number;
  readonly k?: number;
  readonly classes?: number;
  readonly form?: "one-round" | "two-round" | "iteration";
  readonly centre?: number;
  readonly radius?: number;
  readonly kappa?: number;
  readonly privacy?: unknown;
  readonly maxRowsPerSite?: number;
  readonly iterations?: number;
}

function studyOf(options: Options): DpPcaStudy {
  const { d, k = 1, classes = 1, form = "one-round", iterations } = options;
  const parsed = parseStudy({
    name: "test",
    table: "t",
    analysis: "pca",
    features: Array.from({ length: d }, (_, j) => ({ name: `x${j}`, type: "numeric", min: 0, max: 1 })),
    ...(classes > 1
      ? { label: { name: "class", levels: Array.from({ length: classes }, (_, c) => `l${c}`) } }
      : {}),
    parameters: {
      components: k,
      form,
      centre: options.centre ?? 0,
      radius: options.radius ?? 1,
      kappa: options.kappa ?? 0.5,
      ...(iterations === undefined ? {} : { iterations }),
    },
    privacy: options.privacy ?? "none",
    participation: { sites: ["a", "b", "c"], maxRowsPerSite: options.maxRowsPerSite ?? 1000 },
  });
  return asDpPca(unwrap(parsed));
}

/** Rows as blocks of uneven sizes, as a data layer may hand them out. */
function blocksOf(rows: readonly Row[], d: number, sizes: readonly number[] = [3, 1, 7]): ColumnBlock[] {
  const blocks: ColumnBlock[] = [];
  for (let from = 0, b = 0; from < rows.length; from += blocks[b]!.rows, b++) {
    const part = rows.slice(from, from + sizes[b % sizes.length]!);
    blocks.push({
      rows: part.length,
      columns: Array.from({ length: d }, (_, j) => Float64Array.from(part, ({ u }) => u[j]!)),
      labels: Uint16Array.from(part, ({ label }) => label),
    });
  }
  return blocks;
}

async function vectorOf(
  study: DpPcaStudy,
  stage: DpPcaStage,
  rows: readonly Row[],
  directions: Float64Array | null = null,
  sizes?: readonly number[],
): Promise<BigUint64Array> {
  const blocks = streamed(blocksOf(rows, dpPcaLayout(study).columns, sizes));
  return dpPcaVector({ study, stage, blocks, directions, kernels, random: seededRandom("a site") });
}

/** The sum of squares of the difference of two vectors, each entry times its weight, exactly. */
function squaredDistance(a: BigUint64Array, b: BigUint64Array, weightOf: (index: number) => number): bigint {
  return a.reduce((sum, x, i) => {
    const difference = BigInt.asIntN(64, x - b[i]!);
    return sum + BigInt(weightOf(i)) * difference * difference;
  }, 0n);
}

const withNoise = (study: DpPcaStudy) =>
  asDpPca(
    unwrap(
      parseStudy({ ...JSON.parse(JSON.stringify(sourceOf(study))), privacy: { epsilon: 1, delta: 1e-5 } }),
    ),
  );
const sourceOf = (study: DpPcaStudy) => ({
  ...study,
  participation: { ...study.participation, phaseDeadline: "10m" },
});

const axes = (k: number, d: number) =>
  Float64Array.from({ length: k * d }, (_, p) => (p % (d + 1) === 0 && p < k * d ? 1 : 0));

describe("a site's vector of dp-pca", () => {
  it("is svec of the record, with its sums and its count, on the grid", async () => {
    const study = studyOf({ d: 2 });
    const layout = dpPcaLayout(study);
    const stage = layout.stages[0]!;
    const vector = signedNumbers(await vectorOf(study, stage, [{ u: [0.6, 0.8], label: 0 }]));
    const unit = 4 ** -layout.gridExponent;
    const triangle = [...vector].map((value) => value * unit);
    // (.6, .8, ½): with √2 off the diagonal, svec of the first two is (.36, .678823, .64) of norm 1.
    const expected = [0.36, 0.48, 0.3, 0.64, 0.4, 0.25];
    triangle.forEach((value, i) => {
      expect(Math.abs(value - expected[i]!)).toBeLessThan(2 ** -19);
    });
    const svec = [triangle[0]!, Math.SQRT2 * triangle[1]!, triangle[3]!];
    expect(svec[1]).toBeCloseTo(0.678823, 5);
    expect(Math.hypot(...svec)).toBeCloseTo(1, 5);
    expect(Math.hypot(...svec)).toBeLessThanOrEqual(1);
  });

  it("finds e1 in rows e1, e1, e1, e2 about the origin", async () => {
    const study = studyOf({ d: 2 });
    const stage = dpPcaLayout(study).stages[0]!;
    const rows = [
      [1, 0],
      [1, 0],
      [1, 0],
      [0, 1],
    ].map((u) => ({ u, label: 0 }));
    const m = signedNumbers(await vectorOf(study, stage, rows));
    const unit = 4 ** -dpPcaLayout(study).gridExponent;
    expect(m[0]! * unit).toBeCloseTo(3, 5);
    expect(m[1]).toBe(0);
    expect(m[3]! * unit).toBeCloseTo(1, 5);
    const { subspace } = await simulateDpPca({
      study,
      tables: [blocksOf(rows, 2)],
      kernels,
      random: { bytes: (count) => new Uint8Array(count) },
      seed: "",
    });
    // Centred, e1 - e2 leads; the second moment itself has e1.
    expect(subspace.loadings[0]! * subspace.loadings[1]!).toBeLessThan(0);
  });

  it("clips rows onto the ball and does not normalise shorter ones", async () => {
    const study = studyOf({ d: 2 });
    const layout = dpPcaLayout(study);
    const stage = layout.stages[0]!;
    const norm = async (u: number[]) => {
      const m = signedNumbers(await vectorOf(study, stage, [{ u, label: 0 }]));
      return Math.sqrt(m[0]! + m[3]!) * 2 ** -layout.gridExponent;
    };
    expect(await norm([1, 1])).toBeCloseTo(1, 5);
    expect(await norm([1, 1])).toBeLessThanOrEqual(1);
    expect(await norm([0.3, 0.4])).toBeCloseTo(0.5, 5);
  });

  it("has the same shape for every table: absent classes and an empty table are zeros", async () => {
    const study = studyOf({ d: 3, classes: 3 });
    const stage = dpPcaLayout(study).stages[0]!;
    expect([...(await vectorOf(study, stage, []))]).toEqual(new Array(stage.length).fill(0n));
    const one = await vectorOf(study, stage, [{ u: [0.1, 0.2, 0.3], label: 1 }]);
    expect(one.length).toBe(stage.length);
    const block = stage.length / 3;
    expect(one.subarray(0, block).every((x) => x === 0n)).toBe(true);
    expect(one.subarray(2 * block).every((x) => x === 0n)).toBe(true);
  });

  it("is bit for bit the same for any split into sites and blocks, any order, any class mix", async () => {
    const row = (d: number) =>
      fc.record({
        u: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: d, maxLength: d }),
        label: fc.nat({ max: 2 }),
      });
    const cases = fc.integer({ min: 1, max: 5 }).chain((d) =>
      fc.record({
        d: fc.constant(d),
        rows: fc.array(row(d), { maxLength: 40 }),
        cuts: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
        shift: fc.nat({ max: 40 }),
        form: fc.constantFrom<Options["form"][]>("one-round", "two-round", "iteration"),
        radius: fc.constantFrom(0.1, 0.7, 2),
      }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ({ d, rows, cuts, shift, form, radius }) => {
        const study = studyOf({ d, classes: 3, form: form!, centre: 0.3, radius });
        for (const stage of dpPcaLayout(study).stages) {
          const directions = stage.directed ? axes(1, d) : null;
          const whole = await vectorOf(study, stage, rows, directions, [1000]);
          const turned = [...rows.slice(shift), ...rows.slice(0, shift)];
          const sum = new BigUint64Array(stage.length);
          for (let from = 0, i = 0; from < turned.length; i++) {
            const size = cuts[i % cuts.length]!;
            addInto(sum, await vectorOf(study, stage, turned.slice(from, from + size), directions, cuts));
            from += size;
          }
          expect(sum).toEqual(whole);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("stays exact where sums of doubles would not: many rows at the finest grid", async () => {
    const d = 2;
    const study = studyOf({ d, maxRowsPerSite: 50_000 });
    const layout = dpPcaLayout(study);
    const rows = Array.from({ length: 40_000 }, (_, i) => ({
      u: [((i * 7919) % 10_007) / 10_007, ((i * 104_729) % 9_973) / 9_973],
      label: 0,
    }));
    const vector = await vectorOf(study, layout.stages[0]!, rows, null, [4096]);
    const expected = new Array<bigint>(6).fill(0n);
    for (const { u } of rows) {
      const length = Math.hypot(...u);
      const a = u.map((x) => {
        let squares = 0;
        for (const one of u) squares += one * one;
        const factor =
          length > 1 && squares > 1
            ? 2 ** layout.gridExponent * ((1 - 2 ** -40) / Math.sqrt(squares))
            : 2 ** layout.gridExponent;
        return BigInt(Math.trunc(x * factor));
      });
      a.push(BigInt(layout.kappaUnits));
      let t = 0;
      for (let i = 0; i < 3; i++) for (let j = i; j < 3; j++) expected[t++]! += a[i]! * a[j]!;
    }
    expect([...vector]).toEqual(expected);
    // Beyond 2^53, where a double no longer counts by one.
    expect(expected[5]).toBeGreaterThan(2n ** 53n);
  });

  it("refuses more rows than declared, and counts no row that holds no number", async () => {
    const study = studyOf({ d: 2, maxRowsPerSite: 3 });
    const stage = dpPcaLayout(study).stages[0]!;
    const rows = Array.from({ length: 4 }, () => ({ u: [0.1, 0.2], label: 0 }));
    await expect(vectorOf(study, stage, rows)).rejects.toMatchObject({ code: "ROWS_TOO_MANY" });
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const fine = { u: [0.1, 0.2], label: 0 };
      expect(await vectorOf(study, stage, [{ u: [0.1, bad], label: 0 }, fine])).toEqual(
        await vectorOf(study, stage, [fine]),
      );
    }
  });
});

describe("the sensitivity of dp-pca, by exhaustive neighbours", () => {
  const values = [0, 0.5, 1];
  const d = 3;
  const domain: Row[] = [];
  for (const a of values) {
    for (const b of values) {
      for (const c of values) for (const label of [0, 1]) domain.push({ u: [a, b, c], label });
    }
  }

  /** The largest weighted distance over neighbours, and over the bound; the transcript is the same for both. */
  async function worst(options: Options, directions: Float64Array, data: readonly (readonly Row[])[]) {
    const study = withNoise(studyOf({ ...options, d, classes: 2 }));
    const layout = dpPcaLayout(study);
    const limit = BigInt(layout.squaredNormLimit);
    const largest = new Map<string, bigint>();
    for (const stage of layout.stages) {
      const planned = planDpPca(study).stages.find((one) => one.id === stage.id) as SumStage;
      const weightOf = noiseWeight(planned.noise!.weights);
      const broadcast = stage.directed ? directions : null;
      let most = 0n;
      for (const rows of data) {
        const base = await vectorOf(study, stage, rows, broadcast);
        for (const added of domain) {
          const more = await vectorOf(study, stage, [...rows, added], broadcast);
          const distance = squaredDistance(more, base, weightOf);
          if (distance > most) most = distance;
        }
      }
      expect(most).toBeLessThanOrEqual(BigInt(planned.noise!.event.l2SensitivitySquared));
      largest.set(stage.shape + (stage.directed ? " reduced" : ""), most);
    }
    return { largest, bound: limit * limit };
  }

  const someData = [[], [domain[5]!], [domain[17]!, domain[40]!, domain[53]!, domain[2]!]];

  it("is A² for one round, and attained", async () => {
    const { largest, bound } = await worst({ d }, axes(1, d), someData);
    const attained = largest.get("triangles")!;
    // e1 lies on the ball and on the grid: nothing is cut.
    expect(attained).toBe(bound);
  });

  it("is A² for both rounds of two, whatever directions were published before", async () => {
    const { largest, bound } = await worst({ d, form: "two-round", k: 2 }, axes(2, d), someData);
    expect(largest.get("triangles")).toBe(bound);
    expect(largest.get("triangles reduced")).toBe(bound);
    const turned = roundedDirections(orthonormalRows(Float64Array.of(1, 2, 3, -1, 0.5, 0.2), d));
    await worst({ d, form: "two-round", k: 2 }, turned, someData);
  });

  it("is A² for a round of power iteration, whatever directions were published before", async () => {
    const { largest, bound } = await worst(
      { d, form: "iteration", k: 2, iterations: 1 },
      axes(2, d),
      someData,
    );
    expect(largest.get("rectangle reduced")).toBe(bound);
  });

  it("would catch rows that are centred by their own mean and normalised, as in the articles", async () => {
    const study = withNoise(studyOf({ d, classes: 2 }));
    const stage = dpPcaLayout(study).stages[0]!;
    const { event, weights } = (planDpPca(study).stages[0] as SumStage).noise!;
    const distance = async (prepare: (rows: readonly Row[]) => readonly Row[]) => {
      const rows = Array.from({ length: 60 }, () => ({ u: [0, 0, 0], label: 0 }));
      const before = await vectorOf(study, stage, prepare(rows));
      const after = await vectorOf(study, stage, prepare([...rows, { u: [1, 1, 1], label: 0 }]));
      return squaredDistance(after, before, noiseWeight(weights));
    };
    const asInTheArticles = (rows: readonly Row[]) => {
      const mean = [0, 1, 2].map((j) => rows.reduce((sum, { u }) => sum + u[j]!, 0) / rows.length);
      return rows.map(({ u, label }) => {
        const centred = u.map((x, j) => x - mean[j]!);
        return { label, u: centred.map((x) => x / (Math.hypot(...centred) || 1)) };
      });
    };
    const bound = BigInt(event.l2SensitivitySquared);
    expect(await distance((rows) => rows)).toBeLessThanOrEqual(bound);
    expect(await distance(asInTheArticles)).toBeGreaterThan(1000n * bound);
  });
});

describe("directions that a site is sent", () => {
  const d = 4;
  const good = roundedDirections(orthonormalRows(Float64Array.of(1, 2, 3, 4, -1, 1, 0, 2), d));

  it("are taken when they are orthonormal but for their rounding", () => {
    const integers = checkDirections(good, 2, d);
    expect(integers.every(Number.isInteger)).toBe(true);
    for (const size of [10, 1000]) {
      const normal = seededNormals(`directions ${size}`);
      const many = roundedDirections(
        orthonormalRows(
          Float64Array.from({ length: 5 * size }, () => normal()),
          size,
        ),
      );
      expect(() => checkDirections(many, 5, size)).not.toThrow();
    }
  });

  it.each<[string, Float64Array]>([
    ["too long", good.map((x) => Math.round(1.5 * x * 2 ** 24) / 2 ** 24)],
    ["the same twice", Float64Array.of(...good.subarray(0, d), ...good.subarray(0, d))],
    ["zero", new Float64Array(2 * d)],
    ["finer than the grid", good.map((x) => x + 2 ** -30)],
    ["of another length", good.subarray(1)],
    ["no numbers", good.map(() => Number.NaN)],
    ["infinite", good.map((x, i) => (i === 3 ? Number.POSITIVE_INFINITY : x))],
    ["huge", good.map((x, i) => (i === 0 ? 2 ** 20 : x))],
  ])("are refused when %s", async (_, directions) => {
    const study = studyOf({ d, k: 2, form: "two-round" });
    const stage = dpPcaLayout(study).stages[1]!;
    await expect(vectorOf(study, stage, [], directions)).rejects.toMatchObject({ code: "BROADCAST_INVALID" });
  });
});

describe("what follows from the sums", () => {
  const d = 4;
  const normal = seededNormals("rows of the release");
  const rows: Row[] = Array.from({ length: 400 }, (_, i) => {
    const label = i % 3 === 0 ? 1 : 0;
    const common = 0.15 * normal();
    const u = [0.5 + common, 0.4 - 0.7 * common + 0.05 * normal(), 0.3 + 0.2 * label, 0.6 + 0.02 * normal()];
    return { label, u: u.map((x) => Math.min(1, Math.max(0, x))) };
  });
  const random = { bytes: (count: number) => new Uint8Array(count) };

  /** PCA of the clipped rows in plain arrays: shares nothing with the product's path. */
  function central(centre: number, radius: number, only?: number) {
    const used = rows.filter(({ label }) => only === undefined || label === only);
    const y = used.map(({ u }) => {
      const row = u.map((x) => (x - centre) / radius);
      const length = Math.hypot(...row);
      return length > 1 ? row.map((x) => x / length) : row;
    });
    const mean = [0, 1, 2, 3].map((j) => y.reduce((sum, row) => sum + row[j]!, 0) / y.length);
    const covariance = mean.map((_, i) =>
      mean.map(
        (__, j) => y.reduce((sum, row) => sum + (row[i]! - mean[i]!) * (row[j]! - mean[j]!), 0) / y.length,
      ),
    );
    return { n: y.length, mean, covariance };
  }

  for (const form of ["one-round", "two-round", "iteration"] as const) {
    it(`is PCA of the clipped rows when there is no noise (${form})`, async () => {
      const k = 2;
      const study = studyOf({ d, k, classes: 2, form, centre: 0.4, radius: 0.5 });
      const tables = [rows.slice(0, 50), rows.slice(50, 300), rows.slice(300)].map((part) =>
        blocksOf(part, d),
      );
      const result = await simulateDpPca({ study, tables, kernels, random, seed: "s" });
      const whole = central(0.4, 0.5);
      const reference = await kernels.symmetricEigen(Float64Array.from(whole.covariance.flat()), d, k);
      expect(result.pooled.rows).toBeCloseTo(whole.n, 6);
      const tolerance = form === "iteration" ? 1e-3 : 1e-5;
      reference.vectors.forEach((value, p) => {
        expect(Math.abs(result.subspace.loadings[p]! - value)).toBeLessThan(
          form === "iteration" ? 0.03 : 1e-3,
        );
      });
      reference.values.slice(0, k).forEach((value, i) => {
        expect(Math.abs(result.subspace.eigenvalues[i]! - value)).toBeLessThan(tolerance);
      });
      for (const [c, own] of result.classes.entries()) {
        const { n, mean } = central(0.4, 0.5, c);
        expect(own.rows).toBeCloseTo(n, 6);
        for (let a = 0; a < k; a++) {
          const reduced = mean.reduce((sum, x, j) => sum + x * result.subspace.loadings[a * d + j]!, 0);
          expect(Math.abs(own.mean[a]! - reduced)).toBeLessThan(1e-4);
        }
      }
    });
  }

  it("comes nearer to that with more privacy budget", async () => {
    const tables = [rows.slice(0, 100), rows.slice(100, 250), rows.slice(250)].map((part) =>
      blocksOf(part, d),
    );
    const angle = async (epsilon: number) => {
      const study = studyOf({ d, k: 1, centre: 0.4, radius: 0.5, privacy: { epsilon, delta: 1e-5 } });
      const whole = central(0.4, 0.5);
      const { vectors } = await kernels.symmetricEigen(Float64Array.from(whole.covariance.flat()), d, 1);
      let sum = 0;
      for (let run = 0; run < 12; run++) {
        const { subspace } = await simulateDpPca({
          study,
          tables,
          kernels,
          random: seededBytes(`${epsilon} ${run}`),
          seed: "s",
        });
        const cosine = subspace.loadings.reduce((total, x, j) => total + x * vectors[j]!, 0);
        sum += cosine * cosine;
      }
      return sum / 12;
    };
    const [little, some, much] = [await angle(0.05), await angle(1), await angle(100)];
    expect(little!).toBeLessThan(some!);
    expect(some!).toBeLessThan(much!);
    expect(much!).toBeGreaterThan(0.99);
  });

  it("refuses a sum that honest sites cannot send", async () => {
    const study = studyOf({ d, k: 1 });
    const conversation = dpPcaConversation({
      study,
      kernels,
      seed: "s",
      sum: async (stage) => new BigUint64Array(stage.length).fill(2n ** 62n),
    });
    await expect(conversation).rejects.toThrow(RangeError);
  });

  it("is a model that reduces a row as the sites did", async () => {
    const study = studyOf({ d, k: 2, classes: 2, centre: 0.4, radius: 0.5 });
    const tables = [blocksOf(rows, d)];
    const result = await simulateDpPca({ study, tables, kernels, random, seed: "s" });
    const drawn = syntheticRows({ classes: result.classes, rowsMost: 1e6, seed: "s" });
    const synthetic = { seed: "s", counts: drawn.counts };
    const model = dpPcaModel({ study, ...result, synthetic, solver: "plain" });
    expect(dpPcaModelSchema.parse(JSON.parse(JSON.stringify(model)))).toEqual(model);
    expect(model.classes.map(({ level }) => level)).toEqual(["l0", "l1"]);
    // The mean of the reduced rows is the model's, to what cutting to the grid takes away.
    const reduced = rows.map(({ u }) =>
      projectDpPcaRow(model, Object.fromEntries(u.map((x, j) => [`x${j}`, x]))),
    );
    for (let a = 0; a < 2; a++) {
      const mean = reduced.reduce((sum, row) => sum + row[a]!, 0) / rows.length;
      expect(Math.abs(mean - model.mean[a]!)).toBeLessThan(1e-5);
    }
    expect(() => projectDpPcaRow(model, { x0: 1 })).toThrow(/x1/);
  });
});

describe("synthetic rows", () => {
  const reduced = async (rows: number, mean: number[], variances: number[]) => {
    const k = mean.length;
    const covariance = Float64Array.from({ length: k * k }, (_, p) =>
      p % (k + 1) === 0 ? variances[p % k]! : 0,
    );
    return releasedClass({ rows, mean: Float64Array.from(mean), covariance }, kernels);
  };

  it("have the classes' counts, means and variances", async () => {
    const classes = [
      await reduced(20_000.4, [0.5, -0.2], [0.04, 0.01]),
      await reduced(9_999.6, [-0.3, 0.1], [0.09, 0.02]),
    ];
    const { counts, chunks } = syntheticRows({ classes, rowsMost: 1e6, seed: "moments" });
    expect(counts).toEqual([20_000, 10_000]);
    const sums = classes.map(() => ({ n: 0, mean: [0, 0], squares: [0, 0] }));
    for (const { rows, values, labels } of chunks()) {
      for (let r = 0; r < rows; r++) {
        const own = sums[labels[r]!]!;
        own.n++;
        for (let i = 0; i < 2; i++) {
          own.mean[i]! += values[2 * r + i]!;
          own.squares[i]! += (values[2 * r + i]! - classes[labels[r]!]!.mean[i]!) ** 2;
        }
      }
    }
    sums.forEach((own, c) => {
      expect(own.n).toBe(counts[c]);
      for (let i = 0; i < 2; i++) {
        const variance = classes[c]!.covariance[3 * i]!;
        // Five standard deviations: a false alarm once in 10^6.
        expect(Math.abs(own.mean[i]! / own.n - classes[c]!.mean[i]!)).toBeLessThan(
          5 * Math.sqrt(variance / own.n),
        );
        expect(Math.abs(own.squares[i]! / own.n / variance - 1)).toBeLessThan(5 * Math.sqrt(2 / own.n));
      }
    });
  });

  it("are the same from the same seed, mixed in class, others from another", async () => {
    const classes = [await reduced(50, [0], [0.1]), await reduced(50, [1], [0.1])];
    const draw = (seed: string) => [...syntheticRows({ classes, rowsMost: 1000, seed }).chunks()][0]!;
    expect(draw("a")).toEqual(draw("a"));
    expect(draw("a").values).not.toEqual(draw("b").values);
    const { labels } = draw("a");
    expect([...labels]).not.toEqual([...labels].sort());
  });

  it("are none for a class that noise made negative, and at most as many as stated", async () => {
    const classes = [
      await reduced(-40, [0], [0.1]),
      await reduced(300, [0], [0.1]),
      await reduced(0.4, [0], [0.1]),
    ];
    expect(syntheticRows({ classes, rowsMost: 1000, seed: "" }).counts).toEqual([0, 300, 0]);
    expect(syntheticRows({ classes, rowsMost: 100, seed: "" }).counts).toEqual([0, 100, 0]);
    expect([...syntheticRows({ classes: classes.slice(0, 1), rowsMost: 9, seed: "" }).chunks()]).toEqual([]);
    const huge = [await reduced(9e6, [0], [0.1]), await reduced(1e6, [0], [0.1])];
    expect(syntheticRows({ classes: huge, rowsMost: 1e9, seed: "" }).counts).toEqual([900_000, 100_000]);
  });

  it("have variances from 1e-6 to 1, whatever the noise made of them", async () => {
    const { covariance } = await reduced(10, [0, 0, 0], [-0.3, 0.2, 7]);
    expect([0, 4, 8].map((p) => covariance[p])).toEqual([1e-6, 0.2, 1]);
  });
});

/** Not random at all, but spread: for reproducible noise in tests. */
function seededBytes(seed: string) {
  const normal = seededNormals(seed);
  return {
    bytes: (count: number) =>
      Uint8Array.from({ length: count }, () => Math.floor(Math.abs(normal()) * 1e6) & 255),
  };
}
