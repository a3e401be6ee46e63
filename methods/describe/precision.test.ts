import { seededRandom } from "@consilium/core/testing/privacy/random";
import { answerOf } from "@consilium/gate/answer";
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

it("tells the intervals that a release of such rows has", async () => {
  const { columns } = await simulated(study, tables, seededRandom("precision"), describeConversation);
  const { lines } = await precision(study, { rows, answer: answerOf });
  const lineOf = (statistic: string, of: string) =>
    lines.find((one) => one.statistic === statistic && one.of === of)!;
  const [age, sex] = columns.map(({ groups }) => groups[0]!);
  for (const [line, { low, high }] of [
    [lineOf("mean", "age"), age!.numbers!.mean],
    [lineOf("share", "sex"), sex!.shares[0]!],
  ] as const) {
    const ratio = (high - low) / 2 / line.likely!;
    expect(ratio).toBeGreaterThan(1 / 2);
    expect(ratio).toBeLessThan(2);
    expect(line.best).toBeLessThanOrEqual(line.likely!);
  }
  expect(lines.map(({ rows: own, isOfGroup }) => `${own} ${isOfGroup}`)).toEqual([
    ...Array(lines.length - 1).fill("1500 true"),
    "3000 false",
  ]);
  expect(lines.map(({ statistic, of }) => `${statistic} of ${of}`)).toContain("count of age × sex");
});
