import type { SiteId } from "@consilium/core/ids";
import { signedNumbers } from "@consilium/core/learning/exactSums";
import { streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import { readSaid } from "@consilium/core/readSaid";
import { figureSchema } from "@consilium/core/release/figures";
import { resultTableSchema } from "@consilium/core/release/tables";
import { studyOnRoster } from "@consilium/core/study/onRoster";
import { noiseStdDev, soundSum } from "@consilium/core/study/soundSums";
import { foldRecords } from "@consilium/gate/fold";
import { english } from "@consilium/runtime/http/spoken";
import { osRandom } from "@consilium/runtime/random";
import { sayEnglish } from "@consilium/words/english";
import seedrandom from "seedrandom";
import { describe, expect, it } from "vitest";
import { countEstimate } from "../shared/counts/noisyCount.js";
import { normalStream } from "../shared/draws/gaussian.js";
import {
  describeSource,
  noRandom,
  simulated,
  type TestRow,
  tableBlock,
  tableStudy,
} from "../testing/describe.js";
import { siteVector } from "../testing/families.js";
import { parseStudy } from "../testing/studies.js";
import { countsConversation } from "./conversation.js";
import { countsFinding } from "./finding.js";
import {
  conditionText,
  countsFacts,
  countsFigure,
  countsModel,
  countsModelSchema,
  countsNotes,
  countsTable,
} from "./release.js";
import { asCounts, countsLayout, planCounts } from "./study.js";

const conditions = [
  { name: "all", all: [] },
  { name: "grown", all: [{ column: "age", atLeast: 20, below: 80 }] },
  {
    name: "old women",
    all: [
      { column: "age", atLeast: 60 },
      { column: "sex", in: ["f"] },
    ],
  },
  { name: "no age", all: [{ column: "age", missing: true }] },
];
const source = { method: "counts", parameters: { conditions }, label: undefined };
const study = tableStudy(asCounts, source);

const everyRow: TestRow[] = [0, 20, 79.9, 100, null].flatMap((age) =>
  (["f", "m", null] as const).map((sex) => ({ age, sex, ill: 0 as const })),
);
const isGrown = ({ age }: TestRow) => age !== null && age >= 20 && age < 80;
const isOldWoman = ({ age, sex }: TestRow) => age !== null && age >= 60 && sex === "f";

const unlabelled = (rows: readonly TestRow[]) => ({ ...tableBlock(rows), labels: null });

async function vectorOf(of: typeof study, rows: readonly TestRow[], site = "site-001") {
  const { stage } = countsLayout(of);
  const vector = await siteVector(of, stage.id, {
    site: site as SiteId,
    sites: 6,
    broadcasts: new Map(),
    blocks: streamed([unlabelled(rows)]),
    kernels: plainKernels(),
    random: osRandom,
  });
  const { scale } = soundSum(of, stage);
  return signedNumbers(vector).map((sum) => sum / scale);
}

describe("what a record adds", () => {
  it("is 1 for each condition that it meets, of every record there is", async () => {
    const { sensitivitySquared } = countsLayout(study).stage;
    expect(sensitivitySquared).toBe(conditions.length);
    for (const row of everyRow) {
      const vector = await vectorOf(study, [row]);
      expect([...vector]).toEqual([
        1,
        isGrown(row) ? 1 : 0,
        isOldWoman(row) ? 1 : 0,
        row.age === null ? 1 : 0,
      ]);
      expect(vector.reduce((sum, one) => sum + one ** 2, 0)).toBeLessThanOrEqual(sensitivitySquared);
    }
  });

  it("is held to that by the gate: a condition counted twice is none", async () => {
    const { query } = countsLayout(study).stage;
    const fold = (cells: readonly number[], weight: number) =>
      foldRecords({
        query,
        contributor: () => ({
          kind: "histogram",
          write(_, out, values) {
            out.set(cells);
            values.fill(weight, 0, cells.length);
            return cells.length;
          },
        }),
        features: 2,
        records: streamed([unlabelled(everyRow)]),
        patients: null,
        rowsAtMost: 100,
        scale: 1,
        kernel: plainKernels(),
        random: osRandom,
        checks: osRandom,
      });
    expect((await fold([0, 1, 2, 3], 1)).refused).toBe(0);
    expect((await fold([0, 0], 1)).refused).toBe(everyRow.length);
    expect((await fold([0], 2)).refused).toBe(everyRow.length);
  });
});

const sixSites = Array.from({ length: 6 }, (_, i) => `site-00${i + 1}`);
const grouped = {
  ...source,
  participation: { sites: sixSites, maxRowsPerSite: 10_000 },
  parameters: {
    conditions,
    siteGroups: [
      { name: "north", sites: sixSites.slice(0, 3) },
      { name: "south", sites: sixSites.slice(3) },
    ],
  },
};

describe("counts over sites", () => {
  const tables = sixSites.map((_, i) => [unlabelled([...everyRow.slice(i), ...everyRow.slice(0, 2 * i)])]);

  it("are, without noise, what each group's rows say", async () => {
    const exact = tableStudy(asCounts, { ...grouped, privacy: "none" });
    const { conditions: counted } = await simulated(exact, tables, noRandom, countsConversation);
    const rowsOf = (sites: readonly number[]) =>
      sites.flatMap((i) => [...everyRow.slice(i), ...everyRow.slice(0, 2 * i)]);
    const [north, south] = [rowsOf([0, 1, 2]), rowsOf([3, 4, 5])];
    expect(counted[1]).toMatchObject({
      noisy: [north!.filter(isGrown).length, south!.filter(isGrown).length],
      all: { value: [...north!, ...south!].filter(isGrown).length },
    });
    expect(counted[0]!.groups.map(({ value }) => value)).toEqual([north!.length, south!.length]);
  });

  it("make a release that its schemas take, with the noise in it", async () => {
    const noisy = tableStudy(asCounts, grouped);
    const result = await simulated(noisy, tables, osRandom, countsConversation);
    countsModelSchema.parse(countsModel(noisy, result));
    figureSchema.parse(countsFigure(noisy, result));
    const table = resultTableSchema.parse(countsTable(noisy, result));
    expect(table.rows.slice(0, 3).map((row) => row.slice(0, 3))).toEqual([
      ["all", "every record", "all sites"],
      ["all", "every record", "north"],
      ["all", "every record", "south"],
    ]);
    expect(countsFacts(noisy, result)).toMatchObject({ conditions: 4 });
    expect(countsNotes(noisy, result)[0]).toMatch(/within ±\d+ in 95 % of cases/);
    const found = (count: number) =>
      countsFinding(noisy, {
        noiseStdDev: 5,
        conditions: noisy.parameters.conditions.map(() => ({
          noisy: [count],
          all: countEstimate(count, 5),
          groups: [],
        })),
      });
    expect(found(4)).toMatchObject({ isClear: false, by: "interval" });
    expect(found(40)).toMatchObject({ isClear: true });
    expect(sayEnglish(readSaid(found(40).text)!)).toBe(
      "Number of rows: all 40 (95% noise interval 30 to 50), grown 40 (95% noise interval 30 to 50) and old women 40 (95% noise interval 30 to 50); 1 more conditions in the table.",
    );
  });

  it("leave out a site of no group before a record is read", async () => {
    await expect(vectorOf(tableStudy(asCounts, grouped), everyRow, "elsewhere")).rejects.toMatchObject({
      code: "MESSAGE_UNEXPECTED",
    });
  });
});

describe("intervals", () => {
  it.each([0, 3, 40, 200])(
    "hold a count of %i at 95 % or more, and a large one no more than that",
    (count) => {
      const draws = 4000;
      const uniform = seedrandom(`counts ${count}`);
      const normal = normalStream(() => uniform.double());
      let hits = 0;
      for (let draw = 0; draw < draws; draw++) {
        const { low, high } = countEstimate(count + 20 * normal(), 20);
        if (low <= count && count <= high) hits++;
      }
      // 4,000 draws tell 95 % to a third of a per cent.
      expect(hits / draws).toBeGreaterThan(0.94);
      if (count > 100) expect(hits / draws).toBeLessThan(0.96);
    },
  );
});

describe("a study of counts", () => {
  it("plans in one line that says how precise a count is", () => {
    const [stage, ...others] = planCounts(study).stages;
    expect(others).toEqual([]);
    const expected = studyOnRoster(study, 3);
    const within = Math.ceil(1.96 * noiseStdDev(expected, countsLayout(study).stage, 3));
    expect(english(stage!.disclosure.what)).toContain(
      `how many rows meet each of 4 conditions (all, grown, old women, no age) (each count is within ±${within} of the true one at 95 %)`,
    );
  });

  it("warns exactly where a tenth of the records is lost in the noise", () => {
    const warned = (expectedRows: number) =>
      planCounts(
        tableStudy(asCounts, {
          ...source,
          privacy: { epsilon: 0.05, delta: 1e-6 },
          participation: { ...describeSource.participation, expectedRows },
        }),
      ).warnings.map(english);
    const little = tableStudy(asCounts, { ...source, privacy: { epsilon: 0.05, delta: 1e-6 } });
    const within = 1.959963984540054 * noiseStdDev(studyOnRoster(little, 3), countsLayout(little).stage, 3);
    expect(warned(Math.ceil(10 * within) + 1)).toEqual([]);
    expect(warned(Math.floor(10 * within) - 1)[0]).toContain(
      `a condition must be met by more than ${Math.ceil(within)} rows`,
    );
  });

  it("says conditions in words", () => {
    expect(conditions.map((_, i) => conditionText(study, study.parameters.conditions[i]!))).toEqual([
      "every record",
      "age is at least 20 years and age is below 80 years",
      "age is at least 60 years, and sex is f",
      "age is missing",
    ]);
  });

  const one = (...all: readonly object[]) => ({ parameters: { conditions: [{ name: "one", all }] } });
  it.each<[string, Record<string, unknown>, string]>([
    ["an unknown column", one({ column: "weight", below: 3 }), 'column "weight" is not declared'],
    ["an undeclared level", one({ column: "sex", in: ["x"] }), '"x" is not a declared level of "sex"'],
    ["a level twice", one({ column: "sex", in: ["f", "f"] }), "a level is listed twice"],
    ["levels of a number", one({ column: "age", in: ["f"] }), "is a number: write atLeast or below"],
    ["a bound of a category", one({ column: "sex", below: 1 }), "is a category: write in"],
    [
      "bounds that nothing is between",
      one({ column: "age", atLeast: 30, below: 30 }),
      "no number is at least 30",
    ],
    [
      "a bound that everything meets",
      one({ column: "age", atLeast: 0 }),
      "every number, or none, would meet it",
    ],
    [
      "missing values that are not counted",
      {
        ...one({ column: "age", missing: true }),
        features: [{ ...describeSource.features[0], missing: "reject-row" }],
      },
      "does not count missing values",
    ],
    [
      "a criterion of nothing",
      one({ column: "age" }),
      "write atLeast, below or both for a number, in for a category, or missing",
    ],
    [
      "one name twice",
      { parameters: { conditions: [conditions[0], { ...conditions[1], name: "All" }] } },
      "parameters.conditions[0] has this name already",
    ],
    [
      "a group of two sites",
      {
        ...grouped,
        parameters: {
          conditions,
          siteGroups: [
            { name: "a", sites: sixSites.slice(0, 2) },
            { name: "b", sites: sixSites.slice(2) },
          ],
        },
      },
      "at least 3",
    ],
    [
      "a group too small for who may collude",
      { ...grouped, participation: { ...grouped.participation, minimumSites: 4, tolerateColluding: 2 } },
      "group north has 3 of the sites, at least 4 are needed",
    ],
    [
      "a site in no group",
      { ...grouped, participation: { ...grouped.participation, sites: [...sixSites, "site-007"] } },
      'site "site-007" of participation.sites is in no group',
    ],
    [
      "groups of sites that are not named",
      { ...grouped, participation: { maxRowsPerSite: 100 } },
      "name them in participation.sites",
    ],
  ])("is refused with %s", (_, change, message) => {
    const parsed = parseStudy({ ...describeSource, ...source, ...change });
    expect(parsed.ok ? "" : english(parsed.error.message)).toContain(message);
    expect(parseStudy({ ...describeSource, ...source }).ok).toBe(true);
  });
});
