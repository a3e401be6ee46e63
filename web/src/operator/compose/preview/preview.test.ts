import type { MethodResult } from "@consilium/core/method/aggregatorSide";
import { aggregatorSideOf } from "@consilium/core/method/aggregatorSideOf";
import { methodKey } from "@consilium/core/method/method";
import { drawFigure } from "@consilium/core/release/drawing/draw";
import { sayLines } from "@consilium/core/sayLines";
import type { ColumnBlock } from "@consilium/core/study/design";
import type { ExpectedPrecision } from "@consilium/core/study/expectedPrecision";
import { rowsExpected } from "@consilium/core/study/soundSums";
import type { Study } from "@consilium/core/study/study";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { answerOf } from "@consilium/gate/answer";
import { aloneInTests } from "@consilium/methods/testing/aggregatorSums";
import { simulated } from "@consilium/methods/testing/describe";
import { allMethods } from "@consilium/methods-paper/all";
import { sayEnglish } from "@consilium/words/english";
import seedrandom from "seedrandom";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type Choice, chosenOf, provenQuestions, publishedQuestions } from "../questions/questions";
import { startOf } from "../questions/starts";
import { studySpec } from "../schemaFields";
import { templates } from "../templates";
import { declaredOf } from "./declared";
import { precisionTable, smallestGroup } from "./precision";
import { type Preview, previewOf } from "./preview";

const { methods } = studySpec(allMethods.jsonSchema());
const questions = provenQuestions(methods);
const choices = questions.flatMap((question) => question.choices);

function studyOf(text: string): Study {
  const parsed = allMethods.parse(parse(text));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error.issues));
  return parsed.value;
}

const previewed = (text: string, choice: Choice): Preview =>
  previewOf(declaredOf(parse(text), { ...studyOf(text).parameters }), choice)!;

/** Rows of made-up values within what is declared; the label follows the first column. */
function drawnBlock({ features, label }: Study, rows: number, seed: string): ColumnBlock {
  const uniform = seedrandom(seed);
  const columns = features.map((feature) =>
    Float64Array.from({ length: rows }, () =>
      feature.type === "numeric"
        ? feature.min + (feature.max - feature.min) * uniform()
        : Math.floor(feature.levels.length * uniform()),
    ),
  );
  const [first] = columns;
  const middle = first!.reduce((sum, value) => sum + value, 0) / rows;
  const levels = label?.levels.length ?? 0;
  const labels =
    levels === 0
      ? null
      : Uint16Array.from(first!, (value) => (uniform() < 0.1 || value > middle ? levels - 1 : 0));
  return { rows, columns, labels };
}

/** The method's own program at the aggregator, over three sites in this process. */
function released(study: Study): Promise<MethodResult> {
  const tables = [0, 1, 2].map((site) => [drawnBlock(study, 400, `${site}`)]);
  return simulated(study, tables, seededRandom("noise"), async ({ study: sized, conversation }) =>
    (await aggregatorSideOf(sized))({
      ...aloneInTests,
      study: sized,
      sites: conversation.sites,
      survivors: conversation.survivors,
      kernels: conversation.kernels,
      sum: (stage, broadcast) => conversation.sum(stage, broadcast),
      draw: (name, make) => conversation.draw(name, make),
      rows: () => Promise.reject(new Error("no rows are asked for")),
      tags: () => Promise.reject(new Error("no tags are asked for")),
      async writeRows(path, shape, parts) {
        let rows = 0;
        for await (const part of parts) rows += part.rows;
        return { path, rows, ...shape };
      },
    }),
  );
}

/** Only records tell which columns are published in groups, and in which order. */
const chosenByRecords = new Set(["dp-ka"]);

describe("the preview of a release", () => {
  it.each(choices.map((choice) => [choice.id, choice] as const))(
    "of %s has the tables, columns, figures and files of what the method releases",
    async (id, choice) => {
      // So little noise that every figure is there.
      const text = startOf(choice).replace("epsilon: 1,", "epsilon: 50,");
      const preview = previewed(text, choice);
      const result = await released(studyOf(text));
      const tables = result.tables ?? [];
      expect(preview.tables.map(({ name, columns }) => [name, columns])).toEqual(
        tables
          .filter(({ name }) => preview.tables.some((shown) => shown.name === name))
          .map(({ name, columns }) => [name, columns.map((column) => column.name)]),
      );
      expect([...preview.tables.map(({ name }) => name), ...preview.otherTables].sort()).toEqual(
        tables.map(({ name }) => name).sort(),
      );
      // Which column's curve is the first one, records tell.
      const figures = result.figures ?? [];
      expect(preview.figures.map(({ name }) => name).sort()).toEqual(figures.map(({ name }) => name).sort());
      expect(preview.figures.map(({ kind }) => kind).sort()).toEqual(figures.map(({ kind }) => kind).sort());
      const files = preview.files.map(({ name }) => name);
      expect(files.includes("model.onnx")).toBe(result.predictor != null);
      expect(files.includes("curves.csv")).toBe(result.curves !== undefined);
      expect(preview.data !== null).toBe(result.table !== null);
      if (result.table !== null && !chosenByRecords.has(id))
        expect(preview.data!.columns).toEqual(
          result.table.columns.map((column) =>
            id === "synthetic-table" && "unit" in column ? `${column.name} (${column.unit})` : column.name,
          ),
        );
    },
  );

  it("draws every figure, of every example", () => {
    const all = [...questions, ...publishedQuestions(methods)];
    for (const { text } of templates) {
      const { choice } = chosenOf(all, methods, parse(text))!;
      for (const figure of previewed(text, choice).figures)
        expect(JSON.stringify(drawFigure(figure).shapes)).not.toMatch(/NaN|Infinity|undefined/);
    }
  });

  const choiceOf = (id: string) => choices.find((choice) => choice.id === id)!;
  const startPreview = (id: string) => previewed(startOf(choiceOf(id)), choiceOf(id));

  it("names the draft's columns, levels and conditions", () => {
    const numbersOf = (column: string) =>
      [
        "median (95 % interval)",
        "quartiles (95 % intervals)",
        "mean (95 % interval)",
        "SD (95 % interval)",
      ].map((statistic) => `${column} ${statistic}`);
    const [tableOne] = startPreview("describe").tables;
    expect(tableOne!.columns).toEqual([
      "variable",
      "statistic",
      "overall",
      "treatment: standard",
      "treatment: new",
    ]);
    expect(tableOne!.rows.map(([variable, statistic]) => `${variable} ${statistic}`)).toEqual([
      "rows n (95 % interval)",
      ...numbersOf("age (years)"),
      "sex female, n, % (95 % intervals)",
      "sex male, n, % (95 % intervals)",
      ...numbersOf("body_mass_index (kg/m2)"),
    ]);
    expect(startPreview("counts").tables[0]!.rows.map((row) => row.slice(0, 3))).toEqual([
      ["all patients", "every record", "all sites"],
      ["65 and older", "age is at least 65 years", "all sites"],
      ["obese women", "sex is female, and body_mass_index is at least 30 kg/m2", "all sites"],
    ]);
    expect(startPreview("regression-logistic").tables[0]!.rows.map((row) => row.slice(0, 4))).toEqual([
      ["(intercept)", "", "", ""],
      ["age", "age", "", ""],
      ["sex=male", "sex", "male", "female"],
      ["body_mass_index", "body_mass_index", "", ""],
    ]);
    const [curves] = startPreview("survival").figures;
    expect(curves).toMatchObject({
      title: "Survival (grouped times), event: status = dead",
      xLabel: "follow_up (months)",
      series: [
        { label: "treatment = standard, with 95 % interval" },
        { label: "treatment = new, with 95 % interval" },
      ],
    });
  });

  it("holds of a half-written draft what can be told", () => {
    const broken = {
      features: [{ type: "numeric" }, "sex", { name: "arm", type: "categorical", levels: "a, b" }],
      label: { name: 3 },
      parameters: { conditions: [{ name: "x", all: [null, { column: "age", in: 3 }] }], intervals: -1 },
    };
    for (const choice of choices) {
      const preview = previewOf(declaredOf(broken, null), choice)!;
      for (const figure of preview.figures)
        expect(JSON.stringify(drawFigure(figure).shapes)).not.toMatch(/NaN|Infinity|undefined/);
      expect(previewOf(declaredOf({ features: null }, null), choice)).toBeNull();
    }
  });
});

describe("the precision to expect", () => {
  const linesOf = (lines: readonly ExpectedPrecision[]) =>
    precisionTable([{ lines }]).map(({ what, likely }) => ({
      what: sayLines(what, sayEnglish),
      likely: sayLines(likely[0]!, sayEnglish),
    }));
  const expected = async (id: string, change = (text: string) => text): Promise<ExpectedPrecision[]> => {
    const study = studyOf(change(startOf(choices.find((choice) => choice.id === id)!)));
    const precision = await study[methodKey].precision!();
    return [...(await precision(study, { rows: rowsExpected(study), answer: answerOf })).lines];
  };
  const with10 = (text: string) => text.replace("epsilon: 1,", "epsilon: 10,");
  const likelyOf = (lines: readonly ExpectedPrecision[], statistic: string) =>
    lines.find((one) => one.statistic === statistic)!.likely;

  it("of a table one is told for each column, and falls with ε", async () => {
    const [at1, at10] = [await expected("describe"), await expected("describe", with10)];
    expect(linesOf(at1).map(({ what }) => what)).toEqual([
      "Median of age",
      "Mean of age",
      "Each count of age",
      "Each count of sex",
      "Proportion of each category of sex",
      "Median of body_mass_index",
      "Mean of body_mass_index",
      "Each count of body_mass_index",
    ]);
    expect(linesOf(at1)[0]!.likely).toMatch(/^±[\d.]+ years/);
    for (const statistic of ["mean", "share", "count"])
      expect(likelyOf(at10, statistic)).toBeLessThan(likelyOf(at1, statistic)!);
  });

  it("of counts is an interval's width and the smallest group", async () => {
    for (const id of ["describe", "counts", "synthetic-table"])
      expect(smallestGroup(await expected(id))).toBeGreaterThan(0);
    const [at1, at10] = [await expected("counts"), await expected("counts", with10)];
    expect(smallestGroup(at10)!).toBeLessThan(smallestGroup(at1)! / 5);
    expect(smallestGroup(await expected("survival"))).toBeNull();
  });

  it("of coefficients is told for each column, and that few rows tell nothing", async () => {
    const few = (text: string) =>
      text.replace("maxRowsPerSite: 10000", "maxRowsPerSite: 300").replace("epsilon: 1,", "epsilon: 0.05,");
    const [usual, scarce] = [
      await expected("regression-logistic", with10),
      await expected("regression-logistic", few),
    ];
    expect(
      linesOf(usual)
        .map(({ likely }) => likely)
        .join(),
    ).not.toContain("too imprecise");
    expect(linesOf(scarce)[0]!.likely).toBe("too imprecise to interpret");
  });
});
