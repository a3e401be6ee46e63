import { addInto } from "@consilium/core/fixed-point/ringVector";
import type { StageId } from "@consilium/core/ids";
import { heldOutRows } from "@consilium/core/learning/heldOut";
import { rowWeights } from "@consilium/core/learning/patientRows";
import { type SumConversation, simulatedSite, simulateSums, streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import { unwrap } from "@consilium/core/result";
import type { Broadcast, Broadcasts } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { unitOfStudy } from "@consilium/core/study/patientWeights";
import { noiseWeight, planStudy, type SumStage } from "@consilium/core/study/plan";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { additiveConversation } from "../../dp-additive/conversation.js";
import { asAdditive } from "../../dp-additive/study.js";
import { histBoostConversation } from "../../dp-histboost/conversation.js";
import { asHistBoost } from "../../dp-histboost/study.js";
import { dpKaConversation } from "../../dp-ka/conversation.js";
import { toldBall } from "../../dp-pca/chosenBall.js";
import { dpPcaConversation } from "../../dp-pca/conversation.js";
import { asDpPca, directionsName, dpPcaLayout } from "../../dp-pca/study.js";
import { dpPccConversation } from "../../dp-pcc/conversation.js";
import type { DpPccStudy } from "../../dp-pcc/study.js";
import { felpAConversation } from "../../felp-a/conversation.js";
import { asFelpA } from "../../felp-a/study.js";
import { asKAnonymous, siteVector } from "../../testing/families.js";
import { withPatients } from "../../testing/patients.js";
import { parseStudy, type Study } from "../../testing/studies.js";
import { additiveVector, dpPcaVector, felpAVector, histBoostVector } from "../../testing/vectors.js";

/** Whole patients more or less: docs/METHODS.md#patient-weights. */

const kernels = plainKernels();

interface Row {
  readonly x: number;
  readonly c: number;
  readonly label: number;
}

function blockOf(rows: readonly Row[]): ColumnBlock {
  return {
    rows: rows.length,
    columns: [Float64Array.from(rows, ({ x }) => x), Float64Array.from(rows, ({ c }) => c)],
    labels: Uint16Array.from(rows, ({ label }) => label),
  };
}

/** A table of patients with their rows. */
type Table = readonly (readonly Row[])[];
const tableOf = (patients: Table): ColumnBlock =>
  withPatients(
    blockOf(patients.flat()),
    patients.flatMap((rows, patient) => rows.map(() => patient)),
  );

/** The twin: every row weighs as the only one of its patient. */
const undivided = (block: ColumnBlock): ColumnBlock => ({
  ...block,
  patientRows: { ...block.patientRows!, counts: block.patientRows!.counts.map(() => 1) },
});

const source = {
  name: "weighed",
  table: "visits",
  features: [
    { name: "x", type: "numeric", min: 0, max: 1, edges: [0.5] },
    { name: "c", type: "categorical", levels: ["u", "v"] },
  ],
  label: { name: "ill", levels: ["no", "yes"] },
  privacy: { epsilon: 1, delta: 1e-6 },
  participation: { sites: ["a", "b", "c"], minimumSites: 3, maxRowsPerSite: 10_000 },
};

interface Case {
  readonly what: string;
  readonly own: Record<string, unknown>;
  readonly vector: (
    study: Study,
    stage: StageId,
    input: { readonly broadcasts: Broadcasts; readonly blocks: AsyncIterable<ColumnBlock> },
  ) => Promise<BigUint64Array>;
  readonly run: (study: Study, conversation: SumConversation) => Promise<unknown>;
}

const evaluation = { heldOut: 0.3, share: 0.1 };
const site = { site: simulatedSite(0), sites: 3, kernels, random: seededRandom("site") };

const selection: Pick<Case, "vector" | "run"> = {
  vector: (study, id, input) => siteVector(asKAnonymous(study), id, { ...site, ...input }),
  run(study, conversation) {
    const own = asKAnonymous(study);
    if (own.method !== "dp-ka") throw new Error("another method");
    return dpKaConversation({ study: own, conversation });
  },
};

const pca: Pick<Case, "vector" | "run"> = {
  vector(study, id, { broadcasts, blocks }) {
    const own = asDpPca(study);
    const layout = dpPcaLayout(own);
    const stage = layout.stages.find((one) => one.id === id)!;
    const directions = broadcasts.get(id)?.[directionsName] ?? null;
    const ball = toldBall(layout, stage, broadcasts);
    return dpPcaVector({ ...site, study: own, stage, blocks, directions, ball });
  },
  run: (study, { sum }) =>
    dpPcaConversation({
      study: asDpPca(study),
      kernels,
      seed: "s",
      sum: (stage, broadcast) => sum(stage.id, broadcast),
    }),
};

const cases: readonly Case[] = [
  {
    what: "dp-histboost",
    own: { analysis: "boosted-trees", parameters: { trees: 2, depth: 1, featuresPerNode: 2, evaluation } },
    vector: (study, id, input) => histBoostVector(asHistBoost(study), id, { ...site, ...input }),
    run: (study, conversation) => histBoostConversation({ study: asHistBoost(study), conversation }),
  },
  {
    what: "dp-additive",
    own: { analysis: "boosted-trees", method: "dp-additive", parameters: { epochs: 2, evaluation } },
    vector: (study, id, input) => additiveVector(asAdditive(study), id, { ...site, ...input }),
    run: (study, conversation) => additiveConversation({ study: asAdditive(study), conversation }),
  },
  {
    what: "dp-ka by boosting",
    own: {
      analysis: "k-anonymous-selection",
      method: "dp-ka",
      parameters: { k: 3, order: "boosting", trees: 1, depth: 2, kappa: 0.9, evaluation },
    },
    ...selection,
  },
  {
    what: "dp-ka by one histogram",
    own: {
      analysis: "k-anonymous-selection",
      method: "dp-ka",
      parameters: { k: 3, order: "histogram", kappa: 0.9, evaluation },
    },
    ...selection,
  },
  {
    what: "dp-pcc",
    own: { analysis: "correlation-tree", method: "dp-pcc", parameters: { depth: 2, evaluation } },
    vector: (study, id, input) => siteVector(study, id, { ...site, ...input }),
    run: (study, conversation) => dpPccConversation({ study: study as DpPccStudy, conversation }),
  },
  {
    what: "felp-a",
    own: { analysis: "feature-selection", method: "felp-a", parameters: { select: 1, rounds: 2, clip: 0.2 } },
    vector: (study, id, input) => felpAVector(asFelpA(study), id, { ...site, ...input }),
    run: (study, conversation) => felpAConversation(asFelpA(study), conversation),
  },
  ...(["one-round", "two-round", "iteration"] as const).map((form) => ({
    what: `dp-pca in the form ${form}`,
    own: { analysis: "pca", parameters: { components: 1, form, ball: "private", radius: 0.8 } },
    ...pca,
  })),
];

const studyOf = (one: Case, patient: object | null, more: object = {}): Study =>
  unwrap(parseStudy({ ...source, ...one.own, ...(patient !== null && { patient }), ...more }));

const corners: readonly Row[] = [0, 1].flatMap((x) =>
  [0, 1].flatMap((c) => [0, 1].map((label): Row => ({ x, c, label }))),
);

/** All patients of 1 to m rows among these, in whatever order. */
function patientsOf(rows: readonly Row[], m: number): Row[][] {
  const all: Row[][] = [];
  const extend = (own: Row[], from: number) => {
    if (own.length > 0) all.push(own);
    if (own.length === m) return;
    for (let i = from; i < rows.length; i++) extend([...own, rows[i]!], i);
  };
  extend([], 0);
  return all;
}

/** What is told at each stage of a run over tables that have something to tell, with seeded noise. */
async function transcriptOf(one: Case, study: Study): Promise<Broadcasts> {
  const told = new Map<StageId, Broadcast>();
  const crowd: Table = Array.from({ length: 1500 }, (_, i) => {
    const x = (i % 10) / 9;
    const ill = i % 7 === 0 ? x <= 0.5 : x > 0.5;
    return Array.from({ length: 1 + (i % 2) }, () => ({ x, c: i % 3 === 0 ? 1 : 0, label: ill ? 1 : 0 }));
  });
  await simulateSums({
    plan: planStudy(study),
    tables: [[tableOf(crowd)], [tableOf(crowd)], [tableOf(crowd)]],
    kernels,
    random: seededRandom("transcript"),
    vector(id, input) {
      told.set(id, input.broadcasts.get(id)!);
      return one.vector(study, id, input);
    },
    run: (conversation) => one.run(study, conversation),
  });
  return told;
}

/** All numbers of a result, in their order. */
function numbersIn(value: unknown): number[] {
  if (typeof value === "number") return [value];
  if (typeof value !== "object" || value === null) return [];
  return (ArrayBuffer.isView(value) ? [...(value as Float64Array)] : Object.values(value)).flatMap(numbersIn);
}

const stagesOf = (study: Study) => planStudy(study).stages as readonly SumStage[];
const signed = (vector: BigUint64Array) => new BigInt64Array(vector.buffer, vector.byteOffset, vector.length);

/** Σ w_j·(q_j - q'_j)², exactly. */
function distance(stage: SumStage, a: BigUint64Array, b: BigUint64Array): bigint {
  const [one, other] = [signed(a), signed(b)];
  const weight = noiseWeight(stage.noise!.weights);
  return one.reduce((sum, q, j) => sum + BigInt(weight(j)) * (q - other[j]!) ** 2n, 0n);
}

describe.each(cases)("a patient more or less in $what", (one) => {
  const m = 3;
  const study = studyOf(one, { column: "who", maxRows: m });
  const crowds: readonly Table[] = [[], [[corners[0]!, corners[7]!], [corners[3]!]]];

  it("changes every sum by no more than one row may, which is what is charged", async () => {
    const told = await transcriptOf(one, study);
    const ask = (stage: SumStage, block: ColumnBlock) =>
      one.vector(study, stage.id, { broadcasts: told, blocks: streamed([block]) });
    // Of a test that was not made nothing is asked.
    const asked = stagesOf(study).filter(({ id }) => told.has(id));
    expect(asked.length).toBeGreaterThan(2);
    for (const stage of asked) {
      let twin = 0;
      let largest = 0n;
      const { event } = stage.disclosure;
      expect(event).toEqual(stage.noise!.event);
      const bound = BigInt(stage.noise!.event.l2SensitivitySquared);
      for (const crowd of crowds) {
        const before = await ask(stage, tableOf(crowd));
        for (const patient of patientsOf(corners, crowd.length === 0 ? m : 2)) {
          const block = tableOf([...crowd, patient]);
          const change = distance(stage, await ask(stage, block), before);
          expect(change).toBeLessThanOrEqual(bound);
          if (change > largest) largest = change;
          if (crowd.length > 0 || patient.length === 1) continue;
          if (distance(stage, await ask(stage, undivided(block)), before) > bound) twin++;
        }
      }
      // The bound is of use, and weights are what keeps it.
      expect(4n * largest, stage.id).toBeGreaterThan(bound);
      expect(twin, stage.id).toBeGreaterThan(0);
    }
  });

  it("changes them so with a bound that its weights are rounded for", async () => {
    const many = studyOf(one, { column: "who", maxRows: 40 });
    expect(unitOfStudy(many)).toBe(4096);
    const told = await transcriptOf(one, many);
    const stages = stagesOf(many).filter(({ id }) => told.has(id));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...corners), { minLength: 1, maxLength: 40 }),
        fc.constantFrom(...stages),
        async (patient, stage) => {
          const ask = (table: Table) =>
            one.vector(many, stage.id, { broadcasts: told, blocks: streamed([tableOf(table)]) });
          const change = distance(stage, await ask([patient]), await ask([]));
          expect(change).toBeLessThanOrEqual(BigInt(stage.noise!.event.l2SensitivitySquared));
        },
      ),
      { numRuns: 60 },
    );
  });

  it("adds up to the same over any sites and blocks", async () => {
    const told = await transcriptOf(one, study);
    const patients: Table = patientsOf(corners, 2);
    for (const { id } of stagesOf(study)) {
      if (!told.has(id)) continue;
      const ask = (blocks: readonly ColumnBlock[]) =>
        one.vector(study, id, { broadcasts: told, blocks: streamed(blocks) });
      const whole = await ask([tableOf(patients)]);
      const sum = new BigUint64Array(whole.length);
      for (const part of [patients.slice(0, 5), patients.slice(5, 6), patients.slice(6)])
        addInto(sum, await ask([tableOf(part)]));
      expect(sum).toEqual(whole);
      const block = tableOf(patients);
      const cut = (from: number, to: number): ColumnBlock => ({
        rows: to - from,
        columns: block.columns.map((column) => column.slice(from, to)),
        labels: block.labels!.slice(from, to),
        patientRows: {
          counts: block.patientRows!.counts.slice(from, to),
          draws: block.patientRows!.draws.slice(from, to),
        },
      });
      // A patient's rows may lie in several blocks.
      expect(await ask([cut(0, 9), cut(9, block.rows)])).toEqual(whole);
    }
  });

  it("is the row as before where a patient has one at most: the same plan and the same integers", async () => {
    const byRow = studyOf(one, null);
    const byPatient = studyOf(one, { column: "who", maxRows: 1 });
    expect(byPatient.patient).toEqual({ column: "who", maxRows: 1 });
    const said = studyOf(one, { column: "who", maxRows: 1, weighting: "patients" });
    const { claim, ...plan } = planStudy(byRow);
    for (const other of [byPatient, said]) {
      const { claim: own, ...rest } = planStudy(other);
      expect(rest).toEqual(plan);
      expect(own).toMatchObject({
        epsilon: claim.epsilon,
        unit: "one patient of one site, with at most 1 row",
      });
    }
    const told = await transcriptOf(one, byRow);
    const block = tableOf(corners.map((row) => [row]));
    const { patientRows: _, ...bare } = block;
    for (const { id } of stagesOf(byRow)) {
      if (!told.has(id)) continue;
      const ask = (of: Study, blocks: ColumnBlock) =>
        one.vector(of, id, { broadcasts: told, blocks: streamed([blocks]) });
      expect(await ask(said, bare)).toEqual(await ask(byRow, bare));
    }
  });

  it("counts as much however often a row of theirs is repeated", async () => {
    const own = one.own as { parameters: object };
    const hasModel = !one.what.startsWith("dp-pca") && one.what !== "felp-a";
    const parameters = { ...own.parameters, ...(hasModel && { evaluation: "none" }) };
    const exact = studyOf(one, { column: "who", maxRows: 5 }, { parameters, privacy: "none" });
    const results = [];
    for (const rowsOf of [() => 1, (i: number) => 1 + (i % 5)]) {
      const people: Table = Array.from({ length: 400 }, (_, i) => {
        const row = { x: (i % 20) / 19, c: i % 3 === 0 ? 1 : 0, label: (i * 7) % 20 > 8 + (i % 4) ? 1 : 0 };
        return Array.from({ length: rowsOf(i) }, () => row);
      });
      const result = await simulateSums({
        plan: planStudy(exact),
        tables: [
          [tableOf(people.slice(0, 150))],
          [tableOf(people.slice(150, 300))],
          [tableOf(people.slice(300))],
        ],
        kernels,
        random: seededRandom("nothing is drawn"),
        vector: (id, input) => one.vector(exact, id, input),
        run: (conversation) => one.run(exact, conversation),
      });
      results.push(numbersIn(result));
    }
    const [single, repeated] = results as [number[], number[]];
    expect(single.length).toBeGreaterThan(3);
    expect(repeated).toHaveLength(single.length);
    // Counts are exact, for 60 divides by 1 to 5; on a grid each row is cut to it.
    const isCounted = ["dp-histboost", "dp-ka by one histogram", "dp-pcc"].includes(one.what);
    if (isCounted) expect(repeated).toEqual(single);
    repeated.forEach((value, i) => {
      expect(Math.abs(value - single[i]!)).toBeLessThanOrEqual(2e-4 * (1 + Math.abs(single[i]!)));
    });
  });

  it("is refused where a block does not say whose rows it holds, and absent with rows that nobody may have", async () => {
    const told = await transcriptOf(one, study);
    const ask = (block: ColumnBlock) =>
      one.vector(study, stagesOf(study)[0]!.id, { broadcasts: told, blocks: streamed([block]) });
    const { patientRows, ...bare } = tableOf([[corners[0]!, corners[1]!]]);
    const counting = (...counts: number[]) =>
      ask({ ...bare, patientRows: { ...patientRows!, counts: Uint16Array.from(counts) } });
    await expect(ask(bare)).rejects.toThrow(RangeError);
    await expect(counting(2)).rejects.toThrow(RangeError);
    const nobody = await ask(tableOf([]));
    expect(await counting(2, 2)).not.toEqual(nobody);
    for (const rows of [0, m + 1]) expect(await counting(rows, rows)).toEqual(nobody);
  });
});

describe("weights", () => {
  it("add up to U at most, and to U where the bound is small", () => {
    for (const maxRows of [2, 3, 5, 8, 9, 40, 1000, 10_000]) {
      const study = studyOf(cases[0]!, { column: "who", maxRows });
      const unit = unitOfStudy(study);
      for (const rows of [1, 2, 3, 7, 8, 9, 39, 40, 999, 1000, 9999, 10_000].filter((k) => k <= maxRows)) {
        const [weight] = rowWeights(study, tableOf([Array.from({ length: rows }, () => corners[0]!)]))!;
        expect(weight! * rows).toBeLessThanOrEqual(unit);
        expect(weight).toBeGreaterThanOrEqual(1);
        if (maxRows <= 8) expect(weight! * rows).toBe(unit);
        if (maxRows <= 1000) expect(weight! * rows).toBeGreaterThan(unit * (1 - 1 / 64));
      }
    }
  });

  it("are none where rows count", () => {
    const rows = studyOf(cases[0]!, { column: "who", maxRows: 3, weighting: "rows" });
    expect(rowWeights(rows, tableOf([[corners[0]!, corners[1]!]]))).toBeNull();
  });
});

describe("the rows that are held out", () => {
  const patients: Table = Array.from({ length: 4000 }, (_, i) =>
    Array.from({ length: 1 + (i % 3) }, (_, r) => ({ x: (i * 7 + r * 13) / 40_000, c: r % 2, label: i % 2 })),
  );
  const held = (table: Table) => heldOutRows(tableOf(table), 0.2, "seed");

  it("are all rows of a patient or none, and about as many patients as asked", () => {
    const rows = held(patients);
    let at = 0;
    let count = 0;
    for (const own of patients) {
      const part = [...rows.subarray(at, at + own.length)];
      expect(new Set(part).size).toBe(1);
      count += part[0]!;
      at += own.length;
    }
    expect(count / patients.length).toBeGreaterThan(0.17);
    expect(count / patients.length).toBeLessThan(0.23);
    // The twin: by themselves the rows of a patient part.
    const alone = heldOutRows(blockOf(patients.flat()), 0.2, "seed");
    expect(alone).not.toEqual(rows);
  });

  it("do not depend on the order of a patient's rows, nor on other patients", () => {
    const [first, ...others] = [patients[2]!, patients[5]!, patients[8]!];
    const alone = held([first!])[0];
    expect(held([first!.toReversed()])[0]).toBe(alone);
    expect(held([...others, first!]).at(-1)).toBe(alone);
  });
});
