import { readSaid } from "@consilium/core/readSaid";
import { releaseContentSchema } from "@consilium/core/release/content";
import { figureSchema } from "@consilium/core/release/figures";
import { resultTableSchema } from "@consilium/core/release/tables";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { english } from "@consilium/runtime/http/spoken";
import { describe, expect, it } from "vitest";
import { Root } from "../shared/counts/root.js";
import { releasedOfImplausible, releasedWithRows } from "../testing/aggregatorSums.js";
import { onRosterOfAll } from "../testing/rosterOfAll.js";
import {
  type Followed,
  followedBlock,
  followedRows,
  survivalSource,
  survivalTestStudy,
} from "../testing/survival/study.js";
import { survivalModelSchema } from "./model.js";
import { Slope } from "./streams.js";
import type { SurvivalStudy } from "./study.js";

/** The analysis over three sites in this process, and the rows that it writes. */
async function released(of: SurvivalStudy, rows: readonly Followed[]) {
  const tables = [0, 1, 2].map((site) => [
    followedBlock(
      rows.filter((_, i) => (i % 5) % 3 === site),
      of.features.length > 1,
    ),
  ]);
  const { result, parts } = await releasedWithRows({
    study: onRosterOfAll(of, tables),
    tables,
    random: seededRandom("noise of the sites"),
  });
  const model = survivalModelSchema.parse(result.model);
  return { result, model, parts };
}

const inEnglish = (notes: readonly string[]) => notes.map(english).join("\n");

const many = Array.from({ length: 20 }, () => followedRows).flat();
const privacy = { epsilon: 1, delta: 1e-6 };

describe("survival at the aggregator", () => {
  it("releases curves as rows, a model that its schema knows, figures with bands and the error to expect", async () => {
    const { result, model, parts } = await released(survivalTestStudy({ privacy }), many);
    const { columns, rows } = result.table!;
    expect([rows.rows, rows.columns, rows.levels]).toEqual([12, 17, 1]);
    expect(columns.map(({ name }) => name).slice(0, 5)).toEqual([
      "time",
      "survival",
      "survival_low",
      "survival_high",
      "at_risk",
    ]);
    expect(columns[0]).toMatchObject({ unit: "months" });
    expect(columns.at(-1)).toMatchObject({ name: "group", type: "level", levels: ["standard", "new"] });
    expect(() => releaseContentSchema.shape.columns.parse(columns)).not.toThrow();
    parts.forEach(({ rows: count, values, labels }, g) => {
      expect([...labels!]).toEqual(new Array(count).fill(g));
      for (let r = 0; r < count; r++) {
        const [time, survival, low, high] = values.subarray(17 * r, 17 * r + 4);
        expect(time).toBe([6, 12, 24, 36, 48, 60][r]);
        expect(low).toBeLessThan(survival!);
        expect(high).toBeGreaterThan(survival!);
      }
    });
    expect(model.groups.map(({ group }) => group)).toEqual(["standard", "new"]);
    for (const { records, recordsStdDev, median } of model.groups) {
      expect(records).toBeGreaterThan(1000);
      // Two sums of all seven cells.
      const noise = new Root(7, 8);
      const slope = new Slope(noise, 2);
      slope.addFrom(0, 256);
      expect(recordsStdDev).toBeCloseTo(model.noise.stdDev * slope.noise, 9);
      expect(median.low).toBeGreaterThan(0);
    }
    expect(model.logRank).toMatchObject({ degreesOfFreedom: 1, until: 60 });
    expect(model.logRank!.pValue).toBeLessThan(1e-4);
    const [summary, risk] = result.tables!.map((table) => resultTableSchema.parse(table));
    const figures = result.figures!.map((figure) => figureSchema.parse(figure));
    expect(figures.map(({ name }) => name)).toEqual(["survival", "cumulative-hazard"]);
    expect(figures[0]).toMatchObject({
      kind: "curves",
      xLabel: "months",
      series: risk!.rows.map((row) => ({
        style: "band",
        label: `arm = ${row[0]}, with 95 % interval`,
        below: [0, 6, 12, 24, 36, 48].map((x, i) => ({ x, value: row[1 + i] })),
      })),
      belowLabel: "number at risk",
    });
    const notes = inEnglish(result.notes);
    expect(notes).toMatch(
      /Expected error: the noise moves survival of arm = standard by a standard deviation of 0\.0/,
    );
    expect(notes).toMatch(/sampling gives 0\.0\d+ \(the interval is 1\.\d+ times as wide as without noise\)/);
    expect(notes).toMatch(
      /Median survival, with its interval of 95 %: \d+\.\d+ months \(36 months to 48 months\) of arm/,
    );
    expect(notes).toMatch(/p = less than 0\.0001\. Its variance counts the noise\./);
    expect(notes).not.toMatch(/Few records|ends at|no curve|leaves out/);
    expect(result.notes.every((note) => readSaid(note) !== null)).toBe(true);
    expect(summary!.rows.map(([group, , , median]) => [group, median])).toEqual(
      model.groups.map(({ group, median }) => [group, median.value]),
    );
    expect(risk!.columns.map(({ name }) => name)).toEqual([
      "group",
      ...[0, 6, 12, 24, 36, 48].map((time) => `${time} months`),
    ]);
    for (const row of risk!.rows)
      row.slice(2).forEach((number, i) => {
        expect(number).toBeLessThan(Number(row[i + 1]));
      });
    expect(result.rowsUsed).toBeNull();
    expect(result.finding).toMatchObject({ isClear: true, by: "test" });
    expect(inEnglish([result.finding!.text])).toMatch(
      /^Survival differs by arm \(log-rank p < 0\.0001, up to \d+ months\)\..* Median survival: \d+ months \(95% CI \d+ to \d+\) for arm = standard and/,
    );
    const counted = result.counted!.map(({ of, name }) => [of, name]);
    expect(counted.slice(0, 2)).toEqual([
      ["used", "arm = standard"],
      ["events", "status = dead, arm = standard"],
    ]);
  });

  it("warns of too few records, and of a curve that ends early, from what is released", async () => {
    const { result, model } = await released(survivalTestStudy({ privacy }), followedRows.slice(0, 120));
    const notes = result.notes.join("\n");
    expect(notes).toMatch(
      /survival\.few-records \{"groups":\["standard","new"\],"needed":\d+,"records":\[\d+,\d+\]\}/,
    );
    expect(inEnglish(result.notes)).toMatch(
      /A curve ends where by the end of the next interval the number at risk is within twice .*: that of arm = \w+ at \d+ months/,
    );
    expect(model.groups.some(({ curveEnds }) => curveEnds !== 60)).toBe(true);
  });

  it("says on its face where nobody took part, and is valid nonetheless", async () => {
    const { result, model } = await released(
      survivalTestStudy({ privacy, features: survivalSource.features.slice(0, 1) }),
      [],
    );
    expect(result.table!.rows.levels).toBe(0);
    expect(model.groups[0]!.curveEnds).toBeNull();
    expect(result.finding).toEqual({ text: "finding.no-curve {}", isClear: false, by: "interval" });
    expect(model.logRank).toBeNull();
    expect(result.notes.join("\n")).toMatch(/survival\.few-records \{"groups":\[\]/);
    for (const figure of result.figures!) figureSchema.parse(figure);
  });

  it("has the incidence of each cause where causes compete, which with survival adds up to 1", async () => {
    const study = survivalTestStudy({
      privacy,
      label: { name: "status", levels: ["transplant", "dead", "alive"] },
      parameters: { event: "dead", competing: ["transplant"] },
    });
    const { result, model, parts } = await released(study, many);
    const names = result.table!.columns.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["competing_1", "incidence", "incidence_low", "incidence_1_high"]),
    );
    for (const { rows, values } of parts)
      for (let r = 0; r < rows; r++) {
        const of = (name: string) => values[(names.length - 1) * r + names.indexOf(name)]!;
        expect(of("survival") + of("incidence") + of("incidence_1")).toBeCloseTo(1, 12);
      }
    expect(model.status).toEqual({
      name: "status",
      event: "dead",
      competing: ["transplant"],
      censored: ["alive"],
    });
    expect(model.groups[0]!.competing).toHaveLength(1);
    expect(result.figures!.map(({ name }) => name)).toEqual([
      "survival",
      "cumulative-hazard",
      "incidence",
      "incidence-1",
    ]);
    for (const figure of result.figures!) figureSchema.parse(figure);
    expect(releaseContentSchema.shape.columns.safeParse(result.table!.columns).success).toBe(true);
    expect(result.notes[1]).toBe('survival.competing {"competing":["transplant"],"event":"dead"}');
  });

  it("has room for twelve groups of which nothing is known", async () => {
    const levels = Array.from({ length: 12 }, (_, i) => `a ward with a long name, the one of number ${i}`);
    const study = survivalTestStudy({
      privacy,
      features: [survivalSource.features[0]!, { name: "ward", type: "categorical", levels }],
    });
    const { result } = await released(study, []);
    expect(releaseContentSchema.shape.notes.safeParse(result.notes).success).toBe(true);
    expect(releaseContentSchema.shape.finding.safeParse(result.finding).success).toBe(true);
    expect(inEnglish([result.finding!.text])).toMatch(
      /^Too imprecise to interpret: whether survival differs by ward cannot be tested\. Median survival: not reached for/,
    );
    expect(inEnglish(result.notes)).toMatch(/no log-rank test of ward: at most one group has records/);
    for (const figure of result.figures!) figureSchema.parse(figure);
  });

  it("says without noise what is missing, and of noise nothing", async () => {
    const { result } = await released(
      survivalTestStudy(),
      followedRows.filter(({ arm }) => arm === 0),
    );
    const notes = inEnglish(result.notes);
    expect(notes).toContain("There is no curve of arm = new: no record.");
    expect(notes).toContain("There is no log-rank test of arm: at most one group has records at risk");
    expect(notes).not.toMatch(/noise|Few records|Log-rank/);
    expect(result.finding).toMatchObject({ isClear: false, by: "test" });
  });

  it("names a group that the test leaves out, and says why no test is there", async () => {
    const three = {
      features: [
        survivalSource.features[0]!,
        { name: "arm", type: "categorical", levels: ["standard", "new", "other"] },
      ],
    };
    const notesOf = async (change: Record<string, unknown>, rows: readonly Followed[]) =>
      inEnglish((await released(survivalTestStudy(change), rows)).result.notes);
    expect(await notesOf({ ...three, privacy }, many)).toMatch(
      /leaves out arm = other: the number at risk there does not stand out of the noise\./,
    );
    expect(await notesOf(three, followedRows)).toContain("leaves out arm = other: no record is there.");
    const without = followedRows.map((row): Followed => ({ ...row, status: 0 }));
    expect(await notesOf({}, without)).toContain("There is no log-rank test of arm: no dead was counted");
  });

  it("refuses a sum that no honest sites can have sent", async () => {
    await expect(releasedOfImplausible(survivalTestStudy({ privacy }))).rejects.toMatchObject({
      code: "SUM_IMPLAUSIBLE",
    });
  });
});
