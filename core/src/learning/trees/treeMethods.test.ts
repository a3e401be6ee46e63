import { describe, expect, it } from "vitest";
import type { SecondOrderSettings } from "../../study/secondOrder.js";
import { splitImportances } from "./secondOrderConversation.js";
import {
  boosted,
  expectPrinted,
  featuresOf,
  halfway,
  nextValue,
  type Printed,
  printed,
  type Rows,
  settingsOf,
  studyOf,
} from "./testSecondOrder.js";
import vectors from "./testVectors/v1/xgboostTreeMethods.json" with { type: "json" };
import { outputsOf } from "./tree.js";

/** The tables that the vectors' "rows" describes. */
function rowsOf({ rows, moduli }: { rows: number; moduli: readonly number[] }, classes: number): Rows {
  const [m0, m1, m2] = moduli as [number, number, number];
  const all = Array.from({ length: rows }, (_, r) => {
    const values = [(r * r * 7 + 3 * r) % m0, (r * 37 + 11) % m1, (r * r + r * 5) % m2] as const;
    const [a, b, c] = values;
    return { values, score: a / m0 + (2 * b) / m1 - c / m2 + ((r * r * r) % 17) / 20 };
  });
  const sorted = all.map(({ score }) => score).sort((a, b) => a - b);
  const part = (n: number, of: number) => sorted[Math.floor((n * rows) / of)]!;
  const label = (score: number) =>
    classes === 2 ? Number(score > part(1, 2)) : Number(score >= part(1, 3)) + Number(score >= part(2, 3));
  return all.map(({ values, score }) => [...values, label(score)]);
}

const study = (rows: Rows, classes: number) =>
  studyOf(featuresOf(rows), {
    label: { name: "y", levels: ["no", "yes", "perhaps"].slice(0, classes) },
    participation: { maxRowsPerSite: 3000 },
  });

type Case = (typeof vectors.cases)[number];

function caseOf(one: Case) {
  const rows = rowsOf(vectors.tables[one.table as keyof typeof vectors.tables], one.classes);
  const outputs = one.classes === 2 ? 1 : one.classes;
  const table = study(rows, one.classes);
  const settings = settingsOf(table, {
    ...{ trees: one.rounds * outputs, depth: one.depth, outputs },
    ...{ gamma: one.gamma, minChildWeight: one.minChildWeight },
    ...{ treeMethod: one.treeMethod as SecondOrderSettings["treeMethod"], maxBin: one.maxBin },
  });
  return { rows, outputs, table, settings };
}

describe("tree methods and several classes", () => {
  it.each(
    vectors.cases.map((one) => ({
      one,
      name: `${one.treeMethod}, ${one.maxBin} bins, depth ${one.depth}, γ ${one.gamma}, ${one.classes} classes, ${one.table}`,
    })),
  )("grow XGBoost's own trees: $name", async ({ one }) => {
    const { rows, outputs, table, settings } = caseOf(one);
    const sites = [rows.slice(0, 50), rows.slice(50), []];
    const ensemble = await boosted({ study: table, settings, sites });
    expect(ensemble.trees.length).toBe(one.trees.length);
    ensemble.trees.forEach((tree, t) => {
      const threshold = one.treeMethod === "exact" ? halfway : nextValue;
      expectPrinted(printed(tree, rows, threshold, t % outputs), one.trees[t] as unknown as Printed);
    });
    const kinds = settings.features.map(({ kind }) => kind);
    one.margins.forEach((margins, r) => {
      const binAt = (f: number) => settings.features[f]!.edges.filter((edge) => edge <= rows[r]![f]!).length;
      const found = outputsOf(ensemble, kinds, binAt);
      margins.forEach((margin, c) => {
        expect(found[c]).toBeCloseTo(margin, 5);
      });
    });
    splitImportances(ensemble.trees, 3, outputs).forEach(({ averageGain, totalGain, gainPerTree }, f) => {
      expect(averageGain / (one.averageGain[f]! || 1)).toBeCloseTo(one.averageGain[f] === 0 ? 0 : 1, 4);
      expect(totalGain / (one.totalGain[f]! || 1)).toBeCloseTo(one.totalGain[f] === 0 ? 0 : 1, 4);
      // Over the rounds: of several classes the trees of all of them count.
      expect(gainPerTree).toBeCloseTo(totalGain / one.rounds, 9);
    });
  });
});
