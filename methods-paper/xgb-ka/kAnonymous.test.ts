import { createHash } from "node:crypto";
import type { StageId } from "@consilium/core/ids";
import { heldOutRows } from "@consilium/core/learning/heldOut";
import { streamed } from "@consilium/core/learning/sums";
import { classOf, outputsOf } from "@consilium/core/learning/trees/tree";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { RandomSource } from "@consilium/core/random";
import { unwrap } from "@consilium/core/result";
import type { Broadcast } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { soundSum } from "@consilium/core/study/soundSums";
import { dpKaConversation } from "@consilium/methods/dp-ka/conversation";
import { type DpKaStudy, dpKaLayout } from "@consilium/methods/dp-ka/study";
import { tableRows } from "@consilium/methods/dp-ka/tableRows";
import { binOf } from "@consilium/methods/shared/columns/binning";
import { encodeFeatures } from "@consilium/methods/shared/k-anonymous/candidates";
import {
  asKAnonymous,
  type KAnonymousStudy,
  siteRows,
  siteTags,
  siteVector,
} from "@consilium/methods/testing/families";
import { simulateSelection } from "@consilium/methods/testing/kAnonymous/simulation";
import { parseStudy } from "@consilium/methods/testing/studies";
import fc from "fast-check";
import seedrandom from "seedrandom";
import { describe, expect, it } from "vitest";
import { paperKaConversation } from "./conversation.js";
import { hamDistScore } from "./hamdist.js";
import type { PaperKaStudy } from "./study.js";
import type { TagsInput } from "./vector.js";

/** Levels of four columns, and the class. */
type Row = readonly [number, number, number, number, number];
const widths = [3, 2, 4, 6];

const kernels = plainKernels();

/** SHA-256 in counter mode: tests alone. */
function testRandom(seed: string): RandomSource {
  let counter = 0;
  return {
    bytes(count) {
      const out = new Uint8Array(count);
      for (let at = 0; at < count; at += 32) {
        const block = createHash("sha256").update(`${seed}/${counter++}`).digest();
        out.set(block.subarray(0, Math.min(32, count - at)), at);
      }
      return out;
    },
  };
}

function studyOf(more: Record<string, unknown>): KAnonymousStudy {
  return asKAnonymous(
    unwrap(
      parseStudy({
        name: "select",
        table: "t",
        analysis: "k-anonymous-selection",
        features: [
          // Intervals of one whole number each.
          { name: "age", type: "numeric", min: 0, max: 3, edges: [1, 2], unit: "decades" },
          { name: "sex", type: "categorical", levels: ["f", "m"] },
          { name: "ward", type: "categorical", levels: ["a", "b", "c", "d"] },
          { name: "visits", type: "numeric", min: 0, max: 6, edges: [1, 2, 3, 4, 5] },
        ],
        label: { name: "ill", levels: ["no", "yes"] },
        privacy: "none",
        participation: { minimumSites: 3, maxRowsPerSite: 2000 },
        ...more,
      }),
    ),
  );
}

/** The label goes with the ward, then with the age. */
function rowsOf(count: number, seed: string): Row[] {
  const random = seedrandom(seed);
  return Array.from({ length: count }, () => {
    const [age, sex, ward, visits] = widths.map((width) => Math.floor(width * random() ** 1.5)) as [
      number,
      number,
      number,
      number,
    ];
    const score = (ward === 1 || ward === 3 ? 1 : 0) + 0.3 * age + 0.8 * random();
    return [age, sex, ward, visits, score > 1 ? 1 : 0];
  });
}

function blockOf(rows: readonly Row[]): ColumnBlock {
  return {
    rows: rows.length,
    columns: widths.map((_, f) => Float64Array.from(rows, (row) => row[f]!)),
    labels: Uint16Array.from(rows, (row) => row[4]),
  };
}

/** The rows dealt to sites, some of which may get none; of each site two blocks. */
function dealt(rows: readonly Row[], sites: number, seed: string): ColumnBlock[][] {
  const random = seedrandom(seed);
  const own: Row[][] = Array.from({ length: sites }, () => []);
  for (const row of rows) own[Math.floor(random() ** 2 * sites)]!.push(row);
  return own.map((part) => {
    const half = Math.floor(part.length / 2);
    return [blockOf(part.slice(0, half)), blockOf(part.slice(half))];
  });
}

const paper = (study: KAnonymousStudy, tables: readonly (readonly ColumnBlock[])[]) =>
  simulateSelection({
    study,
    tables,
    kernels,
    random: testRandom("seed"),
    run: (conversation) => paperKaConversation({ study: study as PaperKaStudy, conversation }),
  });

const sound = (study: KAnonymousStudy, tables: readonly (readonly ColumnBlock[])[], seed = "noise") =>
  simulateSelection({
    study,
    tables,
    kernels,
    random: testRandom(seed),
    run: (conversation) => dpKaConversation({ study: study as DpKaStudy, conversation }),
  });

const paperStudy = (parameters: object, method = "xgb-ka") =>
  studyOf({ variant: "paper", method, parameters });

/** One pass of K-anonymity over pooled rows, tuples as text. */
function naivePass(rows: readonly Row[], order: readonly number[], k: number): number[] {
  const selected: number[] = [];
  for (const f of order) {
    const sizes = new Map<string, number>();
    for (const row of rows) {
      const tuple = [...selected, f].map((j) => row[j]).join("/");
      sizes.set(tuple, (sizes.get(tuple) ?? 0) + 1);
    }
    if ([...sizes.values()].every((size) => size >= k) && rows.length > 0) selected.push(f);
  }
  return selected;
}

/** Of all pairs of rows of different class, those that differ in a column. */
function naiveHamDist(rows: readonly Row[], f: number): number {
  let pairs = 0;
  rows.forEach((a, i) => {
    for (const b of rows.slice(0, i)) if (a[4] !== b[4] && a[f] !== b[f]) pairs++;
  });
  return pairs;
}

describe("the Hamming score", () => {
  it("is 4 where one class has its values (2, 1) times and the other (0, 2)", () => {
    // [value × class]
    expect(hamDistScore([2, 0, 1, 2], 2)).toBe(4n);
  });

  it("is exact beyond 2^53", () => {
    expect(hamDistScore([4e9, 0, 0, 4e9 - 1], 2)).toBe(4_000_000_000n * 3_999_999_999n);
  });
});

describe("Greedy-Hamdist", () => {
  it("ranks by pairs of rows that differ, and selects as a pass over pooled rows, for 3 to 20 sites", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 3, max: 20 }),
        fc.integer({ min: 0, max: 90 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 1_000_000 }),
        async (sites, count, k, seed) => {
          const rows = rowsOf(count, `rows ${seed}`);
          const scores = widths.map((_, f) => naiveHamDist(rows, f));
          const order = [0, 1, 2, 3].sort((a, b) => scores[b]! - scores[a]! || a - b);
          const result = await paper(paperStudy({ k }, "greedy-hamdist"), dealt(rows, sites, `${seed}`));
          expect(result.importance.map(({ value }) => value)).toEqual(scores);
          expect(result.order).toEqual(order);
          expect(result.pass.selected).toEqual(naivePass(rows, order, k));
          expect(result.ensemble).toBeNull();
        },
      ),
      { numRuns: 25 },
    );
  });

  it("takes labels of more than two levels", async () => {
    const rows = rowsOf(60, "many").map((row): Row => [row[0], row[1], row[2], row[3], row[3] % 3]);
    const study = studyOf({
      variant: "paper",
      method: "greedy-hamdist",
      label: { name: "ill", levels: ["no", "perhaps", "yes"] },
      parameters: { k: 2 },
    });
    const result = await paper(study, dealt(rows, 3, "many"));
    expect(result.importance.map(({ value }) => value)).toEqual(widths.map((_, f) => naiveHamDist(rows, f)));
  });
});

describe("XGB-KA", () => {
  it("comes to the same however the rows are divided: trees, order and selection", async () => {
    const rows = rowsOf(400, "xgb");
    for (const k of [1, 5, 20, 60]) {
      const study = paperStudy({ k, trees: 4 });
      const pooled = await paper(study, [[blockOf(rows)]]);
      expect(pooled.pass.selected).toEqual(naivePass(rows, pooled.order, k));
      for (const sites of [3, 11]) expect(await paper(study, dealt(rows, sites, `${sites}`))).toEqual(pooled);
    }
  });

  it("ranks first what the label goes with, and releases more features with a smaller K", async () => {
    const rows = rowsOf(400, "xgb");
    const order = (await paper(paperStudy({ k: 5 }), dealt(rows, 3, "a"))).order;
    expect(order[0]).toBe(2);
    const selected = async (k: number) =>
      (await paper(paperStudy({ k }), dealt(rows, 3, "a"))).pass.selected.length;
    expect(await selected(1)).toBe(4);
    expect(await selected(20)).toBeLessThan(4);
    expect(await selected(399)).toBe(0);
  });

  it("ranks by quantiles, by some rows and columns and for several classes, and selects as a pass over pooled rows", async () => {
    const many = rowsOf(400, "xgb").map((row): Row => [row[0], row[1], row[2], row[3], row[2] % 3]);
    const levels = ["no", "perhaps", "yes"];
    for (const parameters of [
      { treeMethod: "hist", maxBin: 4 },
      { treeMethod: "approx", maxBin: 4, importance: "gain-per-tree" },
      { subsample: 0.8, columnSample: 0.8 },
    ]) {
      const k = 5;
      const study = studyOf({
        variant: "paper",
        method: "xgb-ka",
        label: { name: "ill", levels },
        parameters: { k, trees: 3, ...parameters },
      });
      const tables = dealt(many, 3, "several");
      const found = await paper(study, tables);
      expect(found.ensemble).toMatchObject({ link: "softmax", base: [0.5, 0.5, 0.5] });
      expect(found.ensemble!.trees.length).toBe(9);
      expect(found.order[0]).toBe(2);
      expect(found.pass.selected).toEqual(naivePass(many, found.order, k));
      const total = found
        .ensemble!.trees.flatMap(({ nodes }) => nodes.map((node) => (node.kind === "split" ? node.gain : 0)))
        .reduce((a, b) => a + b, 0);
      const parts = found.importance.map(({ value, splits }) =>
        parameters.importance === "gain-per-tree" ? value * 3 : value * splits!,
      );
      expect(parts.reduce((a, b) => a + b, 0)).toBeCloseTo(total, 6);
    }
  });

  it("tests nothing more once fewer than K rows are found", async () => {
    const { pass } = await paper(paperStudy({ k: 50 }), dealt(rowsOf(20, "few"), 3, "few"));
    expect(pass.tried.map(({ test }) => test?.rows ?? null)).toEqual([20, null, null, null]);
    expect(pass.selected).toEqual([]);
  });

  it("ends with nothing selected where no site has a row, and where all rows are of one class", async () => {
    const empty = await paper(paperStudy({ k: 2 }), dealt([], 3, "none"));
    expect(empty.pass.selected).toEqual([]);
    const one = rowsOf(100, "one").map((row): Row => [row[0], row[1], row[2], row[3], 1]);
    const { importance, order } = await paper(paperStudy({ k: 2 }), dealt(one, 3, "one"));
    expect(importance.every(({ value }) => value === 0)).toBe(true);
    expect(order).toEqual([0, 1, 2, 3]);
  });

  it("sends rows that are K-anonymous in the selected features, and nothing of the others", async () => {
    const rows = rowsOf(200, "rows");
    const study = paperStudy({ k: 10 });
    const broadcasts = new Map<StageId, Broadcast>([
      ["test-1" as StageId, { candidate: encodeFeatures([2], 4) }],
      ["test-2" as StageId, { candidate: encodeFeatures([0, 2], 4) }],
      ["rows" as StageId, { selected: encodeFeatures([0, 2], 4) }],
    ]);
    for await (const part of siteRows(study, "rows" as StageId, { ...input(rows), broadcasts })) {
      expect([...part.labels!]).toEqual(rows.map((row) => row[4]));
      expect([...part.values]).toEqual(rows.flatMap(([age, , ward]) => [age, 0, ward, 0]));
    }
  });
});

function input(rows: readonly Row[]): TagsInput {
  return {
    site: "a" as never,
    sites: 3,
    broadcasts: new Map(),
    blocks: streamed([blockOf(rows)]),
    kernels,
    random: testRandom("site"),
    sharedSeed: new Uint8Array(32),
  };
}

/** A table that must not be read. */
const unread = (): TagsInput => ({
  ...input([]),
  // biome-ignore lint/correctness/useYield: it must not come so far
  blocks: (async function* (): AsyncGenerator<ColumnBlock> {
    throw new Error("the table was read");
  })(),
});
const untouched = unread();

describe("dp-ka", () => {
  const privacy = { epsilon: 4, delta: 1e-5 };
  const all = { evaluation: "none" } as const;

  it("trains, tests and releases without the held-out rows, on which its trees are measured", async () => {
    const rows = rowsOf(600, "held");
    const heldOut = heldOutRows(blockOf(rows), 0.3, "lots");
    const parameters = { k: 5, kappa: 0, trees: 3 };
    const study = studyOf({ parameters: { ...parameters, evaluation: { heldOut: 0.3 }, seed: "lots" } });
    const whole = await sound(study, dealt(rows, 4, "held"));
    const rest = rows.filter((_, r) => heldOut[r] === 0);
    const { evaluation: none, ...trained } = await sound(
      studyOf({ parameters: { ...parameters, ...all } }),
      dealt(rest, 3, "rest"),
    );
    const { evaluation, ...found } = whole;
    expect(none).toBeNull();
    expect(found).toEqual(trained);
    expect(found.rows).toBe(rest.length);

    const { features } = dpKaLayout(study as DpKaStudy);
    const kinds = features.map(({ kind }) => kind);
    const held = rows.filter((_, r) => heldOut[r] === 1);
    const right = held.filter((row) => {
      const outputs = outputsOf(found.ensemble, kinds, (f) => binOf(features[f]!, row[f]!));
      return classOf(outputs, "logistic") === row[4];
    });
    expect(evaluation!.rows).toBe(held.length);
    expect(held.length).toBeGreaterThan(100);
    expect(evaluation!.accuracy.value).toBeCloseTo(right.length / held.length, 12);
    expect(evaluation!.accuracy.value).toBeGreaterThan(evaluation!.majority.value);
  });

  it("without noise and with κ = 0 selects as XGB-KA", async () => {
    for (const [count, k] of [
      [300, 5],
      [300, 25],
      [800, 1],
      [40, 60],
    ] as const) {
      const rows = rowsOf(count, `equal ${count}`);
      const tables = dealt(rows, 4, "equal");
      const published = await paper(paperStudy({ k, trees: 3 }), tables);
      const parameters = { k, trees: 3, kappa: 0, importance: "average-gain", ...all };
      const ours = await sound(studyOf({ parameters }), tables);
      expect(ours.ensemble).toEqual(published.ensemble);
      expect(ours.order).toEqual(published.order);
      expect(ours.pass.selected).toEqual(published.pass.selected);
      expect(ours.rows).toBe(count);
    }
  });

  it("without noise releases the joint table of what it selected, small cells left out", async () => {
    const rows = rowsOf(500, "table");
    const k = 12;
    const study = studyOf({ parameters: { k, kappa: 0.2, trees: 3, ...all } });
    const { table, pass } = await sound(study, dealt(rows, 5, "table"));
    const features = [...pass.selected].sort((a, b) => a - b);
    const naive = new Map<string, number[]>();
    for (const row of rows) {
      const cell = features.map((f) => row[f]).join(" ");
      const counts = naive.get(cell) ?? [0, 0];
      counts[row[4]]!++;
      naive.set(cell, counts);
    }
    const large = new Map([...naive].filter(([, [no, yes]]) => no! + yes! >= k));
    expect(new Map(table!.kept.map(({ bins, counts }) => [bins.join(" "), counts]))).toEqual(large);
    expect(large.size).toBeLessThan(naive.size);
    expect(table!.cells).toBe(features.reduce((cells, f) => cells * widths[f]!, 1));

    const written = [...tableRows(table!, 10_000).chunks()].flatMap(({ rows: count, levels }) =>
      Array.from({ length: count }, (_, r) =>
        [...levels.slice(r * (features.length + 1), (r + 1) * (features.length + 1))].join(" "),
      ),
    );
    const kept = rows.map((row) => [...features.map((f) => row[f]), row[4]].join(" "));
    const isKept = (row: string) => large.has(row.slice(0, row.lastIndexOf(" ")));
    expect(written.sort()).toEqual(kept.filter(isKept).sort());
  });

  it("writes no more rows than asked, thinned out alike", () => {
    const kept = [
      { bins: [0], counts: [100.4, -3] },
      { bins: [1], counts: [0.2, 300] },
    ];
    const table = { features: [0], cells: 3, kept, threshold: 5, stdDev: 1 };
    expect(tableRows(table, 1000).rows).toBe(400);
    const thinned = tableRows(table, 40);
    const levels = [...thinned.chunks()].map((chunk) => [chunk.rows, ...chunk.levels.slice(0, 2)]);
    expect(levels).toEqual([
      [10, 0, 0],
      [30, 1, 1],
    ]);
  });

  it("with noise keeps no cell of fewer than K records, and finds the ward", async () => {
    const study = studyOf({
      privacy,
      parameters: { k: 10, trees: 2, maxCells: 150, ...all },
      participation: { minimumSites: 3, maxRowsPerSite: 2000, sites: ["a", "b", "c"] },
    });
    const rows = rowsOf(3000, "noisy");
    for (const seed of ["one", "two"]) {
      const { table, pass, rows: count, importance } = await sound(study, dealt(rows, 3, "noisy"), seed);
      expect(Math.abs(count - 3000)).toBeLessThan(400);
      expect(pass.selected[0]).toBe(2);
      expect(importance[2]!.stdDev).toBeGreaterThan(0);
      expect(importance[2]!.value).toBeGreaterThan(importance[2]!.stdDev!);
      for (const { bins } of table!.kept) {
        const cell = rows.filter((row) => table!.features.every((f, j) => row[f] === bins[j]));
        expect(cell.length).toBeGreaterThanOrEqual(10);
      }
    }
  });

  it("rejects what has too many joint cells without asking", async () => {
    const study = studyOf({ parameters: { k: 1, kappa: 0, maxCells: 8 } });
    const { pass } = await sound(study, dealt(rowsOf(300, "cells"), 3, "cells"));
    for (const { features, test } of pass.tried) {
      const cells = features.reduce((product, f) => product * widths[f]!, 1);
      expect(test === null).toBe(cells > 8);
    }
    expect(pass.tried.some(({ test }) => test === null)).toBe(true);
  });

  it("asks for no table where nothing is selected", async () => {
    const { table, pass } = await sound(studyOf({ parameters: { k: 100 } }), dealt(rowsOf(30, "s"), 3, "s"));
    expect(pass.selected).toEqual([]);
    expect(table).toBeNull();
  });
});

/** The association of one column with the label, from rows: bins by ones, twos and fours where they are ordered. */
function naiveAssociation(rows: readonly Row[], f: number, classes: number): number {
  const merges = f === 1 || f === 2 ? [1] : widths[f] === 3 ? [1, 2] : [1, 2, 4];
  const scores = merges.map((merge) => {
    let score = 0;
    for (let bin = 0; bin < Math.ceil(widths[f]! / merge); bin++) {
      const inside = rows.filter((row) => Math.floor(row[f]! / merge) === bin);
      for (let c = 0; c < classes; c++) {
        const part = rows.filter((row) => row[4] === c).length / rows.length;
        const outside = rows.length - inside.length;
        const variance = (inside.length * (outside / rows.length) * part * (1 - part)) as number;
        const residual = inside.filter((row) => row[4] === c).length - inside.length * part;
        if (variance > 0) score += (1 - part) * (residual ** 2 / variance - 1);
      }
    }
    return score;
  });
  return scores.reduce((sum, score) => sum + score, 0) / merges.length;
}

describe("dp-ka by one histogram", () => {
  const order = "histogram";
  const levels = ["no", "perhaps", "yes"];
  /** Three classes: the ill with many visits are another one. */
  const threeClasses = (rows: readonly Row[]) =>
    rows.map((row): Row => [row[0], row[1], row[2], row[3], row[4] === 1 && row[3] > 1 ? 2 : row[4]]);

  it("without noise orders features by the same measure of the pooled rows, for 3 to 20 sites and 2 or 3 classes", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 3, max: 20 }),
        fc.integer({ min: 20, max: 90 }),
        fc.integer({ min: 2, max: 3 }),
        fc.integer({ min: 0, max: 1_000_000 }),
        async (sites, count, classes, seed) => {
          const two = rowsOf(count, `rows ${seed}`);
          // Of each class one row at least.
          const rows = [...(classes === 3 ? threeClasses(two) : two)];
          for (let c = 0; c < classes; c++) rows[c] = [...rows[c]!.slice(0, 4), c] as unknown as Row;
          const study = studyOf({
            label: { name: "ill", levels: classes === 3 ? levels : ["no", "yes"] },
            parameters: { k: 2, kappa: 0, order, evaluation: "none" },
          });
          const result = await sound(study, dealt(rows, sites, `${seed}`));
          const scores = widths.map((_, f) => naiveAssociation(rows, f, classes));
          result.importance.forEach(({ value }, f) => {
            expect(value).toBeCloseTo(scores[f]!, 8);
          });
          expect(result.pass.selected).toEqual(naivePass(rows, result.order, 2));
          expect(result.importance.every(({ splits, stdDev }) => splits === null && stdDev === 0)).toBe(true);
        },
      ),
      { numRuns: 25 },
    );
  });

  it("measures its naive Bayes on the held-out rows, as its trees predict them", async () => {
    for (const classes of [2, 3]) {
      const rows = classes === 3 ? threeClasses(rowsOf(900, "nb")) : rowsOf(900, "nb");
      const study = studyOf({
        label: { name: "ill", levels: classes === 3 ? levels : ["no", "yes"] },
        parameters: { k: 5, order, evaluation: { heldOut: 0.3 }, seed: "lots" },
      }) as DpKaStudy;
      const { ensemble, evaluation, table } = await sound(study, dealt(rows, 4, "nb"));
      expect(ensemble.link).toBe(classes === 3 ? "softmax" : "logistic");
      const { features } = dpKaLayout(study);
      const kinds = features.map(({ kind }) => kind);
      const heldOut = heldOutRows(blockOf(rows), 0.3, "lots");
      const held = rows.filter((_, r) => heldOut[r] === 1);
      const right = held.filter((row) => {
        const outputs = outputsOf(ensemble, kinds, (f) => binOf(features[f]!, row[f]!));
        return classOf(outputs, ensemble.link) === row[4];
      });
      expect(evaluation!.rows).toBe(held.length);
      expect(evaluation!.accuracy.value).toBeCloseTo(right.length / held.length, 12);
      expect(evaluation!.accuracy.low).toBeGreaterThan(evaluation!.majority.value);
      expect(table!.kept[0]!.counts).toHaveLength(classes);
    }
  });

  it("with noise finds the ward first, of three classes too", async () => {
    const study = studyOf({
      privacy: { epsilon: 4, delta: 1e-5 },
      label: { name: "ill", levels },
      parameters: { k: 10, maxCells: 24, evaluation: "none" },
      participation: { minimumSites: 3, maxRowsPerSite: 2000, sites: ["a", "b", "c"] },
    });
    const rows = threeClasses(rowsOf(1500, "noisy"));
    const { order: tried, importance, rows: count } = await sound(study, dealt(rows, 3, "noisy"));
    expect([2, 3]).toContain(tried[0]);
    expect(importance[tried[0]!]).toMatchObject({ standsOut: true, splits: null });
    expect(Math.abs(count - 1500)).toBeLessThan(400);
  });

  it("has a histogram in which a record is one 1 for each feature: Δ = √m for all neighbours, attained", async () => {
    const study = studyOf({
      privacy: { epsilon: 1, delta: 1e-5 },
      label: { name: "ill", levels },
      parameters: { k: 2, maxCells: 24, evaluation: { heldOut: 0.5 }, seed: "lots" },
    }) as DpKaStudy;
    const { histogram } = dpKaLayout(study);
    const { scale } = soundSum(study, histogram!);
    const domain = [0, 2].flatMap((age) =>
      [0, 1].flatMap((sex) =>
        [0, 3].flatMap((ward) => [0, 1, 2].map((ill): Row => [age, sex, ward, 5, ill])),
      ),
    );
    const vector = async (rows: readonly Row[]) =>
      new BigInt64Array((await siteVector(study, histogram!.id, input(rows))).buffer);
    const most = { attained: 0, least: Number.POSITIVE_INFINITY };
    for (const table of [[], ...domain.map((row) => [row]), ...domain.map((row) => [domain[0]!, row])]) {
      const before = await vector(table);
      for (const added of domain) {
        const after = await vector([...table, added]);
        const squares = after.reduce((sum, entry, i) => sum + (entry - before[i]!) ** 2n, 0n);
        const distance = Number(squares) / scale ** 2;
        // A record that is held out adds nothing here, any other one exactly √m.
        expect([0, histogram!.sensitivitySquared]).toContain(distance);
        most.attained = Math.max(most.attained, distance);
        most.least = Math.min(most.least, distance);
      }
    }
    expect(most).toEqual({ attained: 4, least: 0 });
  });

  it("evaluates only models that the method makes", async () => {
    const study = studyOf({ parameters: { k: 2, order } });
    const evaluated = (broadcast: Broadcast) =>
      siteVector(study, "evaluation" as StageId, {
        ...unread(),
        broadcasts: new Map([["evaluation" as StageId, broadcast]]),
      }).then(
        () => "answered",
        (error: unknown) => (error as { code?: string }).code ?? String(error),
      );
    const cuts = Float64Array.from({ length: 19 }, (_, i) => i / 20);
    // A base and 15 bins.
    const logOdds = Float64Array.from({ length: 16 }, (_, i) => (i - 8) / 4);
    expect(await evaluated({ cuts })).toBe("FIELD_INVALID");
    expect(await evaluated({ logOdds: logOdds.subarray(1), cuts })).toBe("BROADCAST_INVALID");
    expect(await evaluated({ logOdds: logOdds.with(3, 65), cuts })).toBe("BROADCAST_INVALID");
    expect(await evaluated({ logOdds: logOdds.with(3, 2 ** -25), cuts })).toBe("BROADCAST_INVALID");
    expect(await evaluated({ logOdds: logOdds.with(3, Number.NaN), cuts })).toBe("BROADCAST_INVALID");
    expect(await evaluated({ logOdds })).toBe("FIELD_INVALID");
    expect(await evaluated({ logOdds, cuts })).toBe("Error: the table was read");
  });
});

describe("a site", () => {
  const candidates = (...sets: readonly (readonly number[])[]) =>
    new Map(
      sets.map(
        (set, test) => [`test-${test + 1}` as StageId, { candidate: encodeFeatures(set, 4) }] as const,
      ),
    );
  const told = (sets: readonly (readonly number[])[], selected: readonly number[]) =>
    new Map<StageId, Broadcast>([
      ...candidates(...sets),
      ["rows" as StageId, { selected: encodeFeatures(selected, 4) }] as const,
    ]);
  const study = paperStudy({ k: 2 });
  const code = (promise: Promise<unknown>) =>
    promise.then(
      () => "answered",
      (error: unknown) => (error as { code?: string }).code ?? String(error),
    );
  const tags = (broadcasts: TagsInput["broadcasts"], test: number) =>
    code(siteTags(study, `test-${test}` as StageId, { ...untouched, broadcasts }));
  const rows = (broadcasts: TagsInput["broadcasts"]) =>
    code(siteRows(study, "rows" as StageId, { ...untouched, broadcasts }).next());

  it("answers a pass: each candidate is what stood and one feature more", async () => {
    const good = candidates([2], [0, 2], [1, 2], [1, 2, 3]);
    for (const test of [1, 2, 3, 4]) {
      const bytes = await siteTags(study, `test-${test}` as StageId, {
        ...input(rowsOf(10, "x")),
        broadcasts: good,
      });
      expect(bytes.length % 20).toBe(0);
      expect(bytes.length).toBeGreaterThan(0);
    }
  });

  it("refuses an invalid candidate, before it reads a row", async () => {
    expect(await tags(candidates(), 1)).toBe("FIELD_INVALID");
    expect(await tags(candidates([]), 1)).toBe("BROADCAST_INVALID");
    expect(await tags(candidates([0, 1]), 1)).toBe("BROADCAST_INVALID");
    expect(await tags(candidates([0], [0]), 2)).toBe("BROADCAST_INVALID");
    expect(await tags(candidates([0], [1, 2]), 2)).toBe("BROADCAST_INVALID");
    // 0 fell away at the second test, and is back at the third.
    expect(await tags(candidates([0], [1], [0, 2]), 3)).toBe("BROADCAST_INVALID");
    expect(
      await tags(new Map([["test-1" as StageId, { candidate: Float64Array.of(0.5, 0, 0, 0) }]]), 1),
    ).toBe("BROADCAST_INVALID");
    expect(await tags(new Map([["test-1" as StageId, { candidate: Float64Array.of(1) }]]), 1)).toBe(
      "BROADCAST_INVALID",
    );
    expect(await tags(candidates([0]), 5)).toBe("MESSAGE_UNEXPECTED");
  });

  it("evaluates no trees that it was not told whole", async () => {
    const dpKa = studyOf({ parameters: { trees: 1, depth: 1 } });
    const evaluated = (broadcast: Broadcast) =>
      code(
        siteVector(dpKa, "evaluation" as StageId, {
          ...untouched,
          broadcasts: new Map([["evaluation" as StageId, broadcast]]),
        }),
      );
    const [splits, leaves] = [Float64Array.of(2, 0), Float64Array.of(-0.5, 0.5)];
    expect(await evaluated({ splits })).toBe("BROADCAST_INVALID");
    expect(await evaluated({ splits, leaves: Float64Array.of(1) })).toBe("BROADCAST_INVALID");
    expect(await evaluated({ splits: Float64Array.of(9, 0), leaves })).toBe("BROADCAST_INVALID");
    expect(await evaluated({ splits, leaves: Float64Array.of(0, Number.NaN) })).toBe("BROADCAST_INVALID");
    const cuts = Float64Array.from({ length: 19 }, (_, i) => i / 20);
    expect(await evaluated({ splits, leaves })).toBe("FIELD_INVALID");
    expect(await evaluated({ splits, leaves, cuts: cuts.toReversed() })).toBe("BROADCAST_INVALID");
    expect(await evaluated({ splits, leaves, cuts: cuts.with(3, Number.NaN) })).toBe("BROADCAST_INVALID");
    expect(await evaluated({ splits, leaves, cuts: cuts.subarray(1) })).toBe("BROADCAST_INVALID");
    expect(await evaluated({ splits, leaves, cuts })).toBe("Error: the table was read");
  });

  it("sends no rows but of a set that stood at the end of the pass", async () => {
    expect(await rows(told([], [0]))).toBe("BROADCAST_INVALID");
    expect(await rows(told([[0], [0, 1]], [0, 1, 2]))).toBe("BROADCAST_INVALID");
    expect(await rows(told([[0], [0, 1]], [1]))).toBe("BROADCAST_INVALID");
    expect(await rows(told([[0], [0, 1]], []))).toBe("BROADCAST_INVALID");
    for (const selected of [[0], [0, 1]]) {
      const part = siteRows(study, "rows" as StageId, {
        ...input(rowsOf(3, "x")),
        broadcasts: told([[0], [0, 1]], selected),
      });
      expect((await part.next()).value).toMatchObject({ rows: 3 });
    }
  });

  it("answers every sum in the plan's length, and zeros without rows", async () => {
    const privacy = { epsilon: 1, delta: 1e-5 };
    const dp = studyOf({ privacy, parameters: { k: 2, maxCells: 50, order: "boosting" } });
    const byHistogram = studyOf({ privacy, parameters: { k: 2, maxCells: 50, order: "histogram" } });
    expect([...(await siteVector(byHistogram, "histogram" as StageId, input([])))]).toEqual(
      new Array(2 * 15).fill(0n),
    );
    expect(await code(siteVector(dp, "histogram" as StageId, untouched))).toBe("MESSAGE_UNEXPECTED");
    expect(await code(siteVector(byHistogram, "tree-1-level-1" as StageId, untouched))).toBe(
      "MESSAGE_UNEXPECTED",
    );
    const broadcasts = new Map<StageId, Broadcast>([
      ...candidates([2], [0, 2]),
      ["table" as StageId, { selected: encodeFeatures([0, 2], 4) }] as const,
    ]);
    const asked: [string, number][] = [
      ["tree-1-level-1", 2 * 15],
      ["count", 1],
      ["test-2", 50],
      ["table", 100],
    ];
    for (const [id, length] of asked) {
      const vector = await siteVector(dp, id as StageId, { ...input([]), broadcasts });
      expect([...vector]).toEqual(new Array(length).fill(0n));
    }
    const small = { ...(dp as DpKaStudy), parameters: { ...(dp as DpKaStudy).parameters, maxCells: 10 } };
    const refused = siteVector(small, "table" as StageId, { ...untouched, broadcasts });
    expect(await code(refused)).toBe("BROADCAST_INVALID");
    expect(await code(siteVector(dp, "moments" as StageId, untouched))).toBe("MESSAGE_UNEXPECTED");
    expect(await code(siteVector(study, "count" as StageId, untouched))).toBe("MESSAGE_UNEXPECTED");
  });

  it("refuses more rows than the study declares", async () => {
    const many = { ...study, participation: { ...study.participation, maxRowsPerSite: 2 } } as PaperKaStudy;
    const broadcasts = candidates([0]);
    const answer = siteTags(many, "test-1" as StageId, { ...input(rowsOf(3, "x")), broadcasts });
    expect(await code(answer)).toBe("ROWS_TOO_MANY");
  });
});
