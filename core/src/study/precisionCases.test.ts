import { describe, expect, it } from "vitest";
import { methodKey } from "../method/method.js";
import { readSaid } from "../readSaid.js";
import type { ExpectedPrecision, ForecastInput } from "./expectedPrecision.js";
import { precisionCases, rowsToAssume } from "./precisionCases.js";
import type { Study } from "./study.js";

describe("rows to assume", () => {
  it("are several, and no more than a site may have", () => {
    expect(rowsToAssume(10_000)).toEqual([1_000, 10_000]);
    expect(rowsToAssume(1_000_000)).toEqual([1_000, 10_000, 100_000]);
    expect(rowsToAssume(5_000)).toEqual([500, 5_000]);
    expect(rowsToAssume(300)).toEqual([30, 300]);
    expect(rowsToAssume(2)).toEqual([1, 2]);
  });
});

/** A study whose one figure is within what a function of rows and ε says. */
function studyWith(
  participation: object,
  likelyOf: ((input: ForecastInput, study: Study) => number | null) | null,
  own: object = {},
): Study {
  const lineOf = (study: Study, input: ForecastInput) =>
    ({ statistic: "share", best: 0, likely: likelyOf!(input, study), useful: 0.1 }) as ExpectedPrecision;
  return {
    variant: "sound",
    privacy: { epsilon: 1, delta: 1e-5 },
    participation: { minimumSites: 4, maxRowsPerSite: 10_000, ...participation },
    [methodKey]: {
      ...(likelyOf === null
        ? {}
        : {
            precision: async () => async (study: Study, input: ForecastInput) => ({
              lines: [lineOf(study, input)],
              remarks: [],
            }),
          }),
    },
    ...own,
  } as unknown as Study;
}
const remarksOf = async (study: Study) => (await precisionCases(study)).flatMap(({ remarks }) => remarks);

describe("the cases of a forecast", () => {
  it("are numbers of rows that sites may have, where the study expects none", async () => {
    const cases = await precisionCases(studyWith({}, ({ rows }) => rows));
    expect(cases.map(({ rows, rowsPerSite }) => [rows, rowsPerSite])).toEqual([
      [4_000, 1_000],
      [40_000, 10_000],
    ]);
  });

  it("say how many rows, or which ε, would do where a figure is too wide", async () => {
    const byRoot = studyWith(
      { expectedRows: 1_000 },
      ({ rows }, { privacy }) => (0.19 * Math.sqrt(1_000 / rows)) / (privacy as { epsilon: number }).epsilon,
    );
    const [remark] = await remarksOf(byRoot);
    expect(readSaid(remark!)).toEqual({
      code: "forecast.enough",
      params: { wide: 1, figures: 1, rows: 4_000, epsilon: 2 },
    });
    expect(await remarksOf(studyWith({ expectedRows: 1_000 }, () => 0.1))).toEqual([]);
    const [never] = await remarksOf(studyWith({ expectedRows: 1_000 }, () => null));
    expect(readSaid(never!)?.params).toMatchObject({ rows: null, epsilon: null });
  });

  it("say by a code why there is none", async () => {
    const expecting = { expectedRows: 1_000 };
    expect(await remarksOf(studyWith(expecting, null))).toEqual(["forecast.no-interval {}"]);
    expect(await remarksOf(studyWith(expecting, null, { privacy: "none" }))).toEqual([
      "forecast.no-noise {}",
    ]);
    expect(await remarksOf(studyWith(expecting, null, { variant: "paper" }))).toEqual([
      "forecast.unproven {}",
    ]);
  });
});
