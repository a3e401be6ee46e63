import { figureSchema } from "@consilium/core/release/figures";
import { resultTableSchema } from "@consilium/core/release/tables";
import { osRandom } from "@consilium/runtime/random";
import { describe, expect, it } from "vitest";
import { noRandom, simulated, type TestRow, tableBlock, tableStudy } from "../testing/describe.js";
import { describeConversation } from "./conversation.js";
import { describeFinding } from "./finding.js";
import { describeModel, describeModelSchema } from "./model.js";
import { describeFacts, describeFigures, describeNotes } from "./release.js";
import { asDescribe, describeLayout } from "./study.js";
import { describeTables } from "./tables.js";

const parameters = { tables: [["age", "sex"]] };

/** Ages 5, 15, …, 95 in both sexes, thrice each, the ill ones older; some values missing. */
const rows: TestRow[] = Array.from({ length: 60 }, (_, i) => ({
  age: i % 20 === 19 ? null : 5 + 10 * (i % 10),
  sex: i % 15 === 14 ? null : i % 2 === 0 ? "f" : "m",
  ill: i % 10 > 5 ? 1 : 0,
}));
const tables = [rows.slice(0, 10), rows.slice(10, 45), rows.slice(45)].map((own) => [tableBlock(own)]);

const tableOf = (all: ReturnType<typeof describeTables>, name: string) =>
  all.find((table) => table.name === name)!;

describe("without noise", async () => {
  const study = tableStudy(asDescribe, { parameters, privacy: "none" });
  const result = await simulated(study, tables, noRandom, describeConversation);

  it("is what one place with all rows computes, to the last bit", async () => {
    const together = await simulated(study, [[tableBlock(rows)], [], []], noRandom, describeConversation);
    expect(together).toEqual(result);
  });

  it("counts what is there", () => {
    const [age, sex] = result.columns;
    const count = (of: (row: TestRow) => boolean) => rows.filter(of).length;
    expect(age!.all.counts.map(({ value }) => value)).toEqual([
      ...[0, 20, 40, 60, 80].map((from) =>
        count((row) => row.age !== null && row.age >= from && row.age < from + 20),
      ),
      3,
    ]);
    expect(sex!.groups.map(({ counts }) => counts.map(({ value }) => value))).toEqual(
      [0, 1].map((ill) =>
        ["f", "m", null].map((level) => count((row) => row.ill === ill && row.sex === level)),
      ),
    );
    for (const { value, low, high } of age!.all.counts) expect([low, high]).toEqual([value, value]);
    expect(result.pairs[0]!.counts.reduce((sum, { value }) => sum + value, 0)).toBe(60);
  });

  it("states the mean and standard deviation of the records, and their quartiles at the whole numbers that they are", () => {
    const ages = rows.flatMap(({ age }) => (age === null ? [] : [age])).sort((a, b) => a - b);
    const mean = ages.reduce((sum, age) => sum + age, 0) / ages.length;
    const stdDev = Math.sqrt(ages.reduce((sum, age) => sum + (age - mean) ** 2, 0) / ages.length);
    const numbers = result.columns[0]!.all.numbers!;
    // To what is lost in integers.
    expect(Math.abs(numbers.mean.value - mean)).toBeLessThan(100 * 2 ** -16);
    expect(Math.abs(numbers.stdDev.value! - stdDev)).toBeLessThan(100 * 2 ** -13);
    const { lowerQuartile, median, upperQuartile } = numbers;
    expect([lowerQuartile, median, upperQuartile].map(({ value }) => value)).toEqual(
      [0.25, 0.5, 0.75].map((q) => ages[Math.ceil(q * ages.length) - 1]),
    );
  });

  it("prints a table one as people do", () => {
    const { columns, rows: lines } = tableOf(describeTables(study, result), "table-one");
    expect(columns.map(({ name }) => name)).toEqual([
      "variable",
      "statistic",
      "overall",
      "ill: no",
      "ill: yes",
    ]);
    expect(lines[0]).toEqual(["rows", "n (95 % interval)", "60", "36", "24"]);
    expect(lines.map(([variable, what]) => `${variable} | ${what}`)).toEqual([
      "rows | n (95 % interval)",
      "age (years) | median (95 % interval)",
      "age (years) | quartiles (95 % intervals)",
      "age (years) | mean (95 % interval)",
      "age (years) | SD (95 % interval)",
      "age (years) | missing, n, % (95 % intervals)",
      "sex | f, n, % (95 % intervals)",
      "sex | m, n, % (95 % intervals)",
      "sex | missing, n, % (95 % intervals)",
    ]);
    expect(lines[1]![2]).toMatch(/^45\.0 \(\d+\.0 to \d+\.0\)$/);
    expect(lines[5]).toEqual([
      "age (years)",
      "missing, n, % (95 % intervals)",
      "3, 5.0 % (1.7 to 13.7)",
      "0, 0.0 % (0.0 to 9.6)",
      "3, 12.5 % (4.3 to 31.0)",
    ]);
  });

  it("has each of its numbers with an interval in a line of its own", () => {
    const { rows: lines } = tableOf(describeTables(study, result), "table-one-tidy");
    expect(lines.slice(0, 3)).toEqual([
      ["rows", null, null, "n", "overall", 60, 60, 60],
      ["rows", null, null, "n", "no", 36, 36, 36],
      ["rows", null, null, "n", "yes", 24, 24, 24],
    ]);
    const [, , , , , share, low, high] = lines.find(
      ([variable, , level, statistic, group]) =>
        variable === "age" && level === "(missing)" && statistic === "share" && group === "yes",
    )!;
    expect(share).toBe(0.125);
    expect(low).toBeLessThan(0.125);
    expect(high).toBeGreaterThan(0.125);
  });
});

describe("with noise", async () => {
  const study = tableStudy(asDescribe, { parameters, privacy: { epsilon: 2, delta: 1e-6 } });
  const result = await simulated(study, tables, osRandom, describeConversation);

  it("releases counts that are not negative, with one total for each column and group", () => {
    const totals = result.consistent.tables.map(({ all }) =>
      all.counts.reduce((sum, count) => sum + count, 0),
    );
    for (const total of totals) expect(total).toBeCloseTo(totals[0]!, 6);
    for (const { all, groups } of result.consistent.tables)
      for (const table of [all, ...groups]) expect(Math.min(...table.counts)).toBeGreaterThanOrEqual(0);
    const byGroup = result.consistent.tables
      .slice(0, 2)
      .map(({ groups }) => groups.map(({ counts }) => counts.reduce((sum, count) => sum + count, 0)));
    byGroup[0]!.forEach((total, g) => {
      expect(total).toBeCloseTo(byGroup[1]![g]!, 6);
    });
  });

  it("makes a release that its schemas take", () => {
    expect(describeModelSchema.parse(describeModel(study, result)).columns).toHaveLength(2);
    for (const table of describeTables(study, result)) resultTableSchema.parse(table);
    for (const figure of describeFigures(study, result)) figureSchema.parse(figure);
    expect(describeTables(study, result).map(({ name, rows: lines }) => [name, lines.length])).toEqual([
      ["table-one", 9],
      ["table-one-tidy", 42],
      ["summary", 15],
      ["histograms", 27],
      ["cross-tables", 18],
    ]);
    expect(describeNotes(study, result).join(" ")).toContain("95 % of the noise");
    expect(describeFacts(study, result)).toMatchObject({
      tables: 3,
      counts: 36,
      numbers: describeLayout(study).stage.length,
    });
  });

  it("says first where noise explains everything, and only there", async () => {
    expect(describeFinding(study, result).text).not.toContain("finding.noise");
    const little = tableStudy(asDescribe, { parameters, privacy: { epsilon: 0.01, delta: 1e-6 } });
    // Of three empty sites the total is noise: above its 95 % once in forty.
    const empty = await Promise.all(
      Array.from({ length: 12 }, () => simulated(little, [[], [], []], osRandom, describeConversation)),
    );
    const found = empty.map((one) => describeFinding(little, one));
    // All of twelve would be missed with a probability of 40^-12.
    expect(found).toContainEqual({ text: "finding.noise {}", isClear: false, by: "interval" });
    for (const one of empty) for (const table of describeTables(little, one)) resultTableSchema.parse(table);
  });
});
