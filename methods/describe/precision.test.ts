import { seededRandom } from "@consilium/core/testing/privacy/random";
import { expect, it } from "vitest";
import { simulated, type TestRow, tableBlock, tableStudy } from "../testing/describe.js";
import { describeConversation } from "./conversation.js";
import { precision } from "./precision.js";
import { asDescribe } from "./study.js";

const rows = 3_000;
const study = tableStudy(asDescribe, {
  parameters: { tables: [["age", "sex"]] },
  privacy: { epsilon: 1, delta: 1e-6 },
  participation: { minimumSites: 3, maxRowsPerSite: rows, expectedRows: rows },
});
const even: TestRow[] = Array.from({ length: rows }, (_, i) => ({
  age: 10 + 20 * (i % 5),
  sex: Math.floor(i / 5) % 2 === 0 ? "f" : "m",
  ill: (Math.floor(i / 10) % 2) as 0 | 1,
}));
const tables = [0, 1, 2].map((site) => [tableBlock(even.filter((_, i) => i % 3 === site))]);

it("tells the intervals that a release of even rows has", async () => {
  const { columns } = await simulated(study, tables, seededRandom("precision"), describeConversation);
  const told = precision(study);
  const within = (statistic: string, of: string) =>
    told.find((one) => one.statistic === statistic && one.of === of)!.within;
  const [age, sex] = columns.map(({ groups }) => groups[0]!);
  const released = [
    [within("mean", "age"), age!.numbers!.mean],
    [within("share", "sex"), sex!.shares[0]!],
  ] as const;
  for (const [expected, { low, high }] of released) {
    // Noise moves the number of records that a group has, and with it the width.
    expect(((high - low) / 2 / expected).toFixed(1)).toBe("1.0");
  }
  expect(told.map(({ rows: own, isOfGroup }) => `${own} ${isOfGroup}`)).toEqual([
    ...Array(told.length - 1).fill("1500 true"),
    "3000 false",
  ]);
  expect(told.map(({ statistic, of }) => `${statistic} of ${of}`)).toContain("count of age × sex");
});

it("tells nothing where no noise is added", () => {
  expect(precision(tableStudy(asDescribe, { privacy: "none" }))).toEqual([]);
});
