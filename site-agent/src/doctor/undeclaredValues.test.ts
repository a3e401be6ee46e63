import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unwrap } from "@consilium/core/result";
import { parseStudy } from "@consilium/methods/testing/studies";
import { afterAll, beforeAll, expect, it } from "vitest";
import { undeclaredValues } from "./undeclaredValues.js";

const study = unwrap(
  parseStudy({
    name: "stays",
    table: "stays",
    analysis: "boosted-trees",
    privacy: { epsilon: 1, delta: 1e-6 },
    participation: { maxRowsPerSite: 1000, minimumSites: 3 },
    features: [
      { name: "age", type: "numeric", min: 0, max: 120 },
      { name: "gender", type: "categorical", levels: ["f", "m"] },
    ],
    label: { name: "readmitted", levels: ["yes", "no"] },
  }),
);

let state: string;
beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), "consilium-values-"));
});
afterAll(() => rm(state, { recursive: true }));

async function valuesOf(name: string, text: string, entry: string) {
  await writeFile(join(state, name), text);
  const config = `aggregator: 127.0.0.1:1\ntables:\n  stays: ${entry}\n`;
  await writeFile(join(state, "config.yaml"), config);
  return (await undeclaredValues(state, study)).columns;
}

it("lists the commonest values that a study does not declare, in each kind of file", async () => {
  const rows = [
    ["44", "f", "yes"],
    ["45", "Unknown", "no"],
    ["46", " Unknown ", "maybe"],
    ["47", "?", "no"],
    ["48", "x", "no"],
    ["49", "", "yes"],
    ["50", "x", "no"],
  ];
  const found = [
    {
      name: "gender",
      values: [
        { text: "Unknown", rows: 2 },
        { text: "x", rows: 2 },
      ],
      others: 0,
    },
    { name: "readmitted", values: [{ text: "maybe", rows: 1 }], others: 0 },
  ];
  const csv = `age,gender,readmitted\n${rows.map((row) => row.join(",")).join("\n")}\n`;
  expect(await valuesOf("a.csv", csv, '{ path: a.csv, csv: { header: true }, nullValues: ["?"] }')).toEqual(
    found,
  );
  const lines = rows.map(([age, gender, readmitted]) => JSON.stringify({ age, gender, readmitted }));
  expect(await valuesOf("a.jsonl", lines.join("\n"), '{ path: a.jsonl, nullValues: ["?"] }')).toEqual(found);
});

it("shows ten of a column and counts the others", async () => {
  const rows = Array.from({ length: 15 }, (_, k) => `40,level ${String(k).padStart(2, "0")},yes`);
  const [gender] = await valuesOf(
    "b.csv",
    `age,gender,readmitted\n${rows.join("\n")}\n`,
    "{ path: b.csv, csv: { header: true } }",
  );
  expect(gender).toMatchObject({ name: "gender", others: 5 });
  expect(gender!.values).toHaveLength(10);
});

it("shows nothing where every value is declared", async () => {
  const text = "age,gender,readmitted\n40,f,yes\n";
  expect(await valuesOf("c.csv", text, "{ path: c.csv, csv: { header: true } }")).toEqual([]);
});
