import { unwrap } from "@consilium/core/result";
import { calibrate } from "@consilium/core/study/calibrate";
import { parseStudy } from "@consilium/methods/testing/studies";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { calibrationText } from "./calibrationText.js";

const source = {
  name: "trees",
  table: "t",
  analysis: "boosted-trees",
  features: [{ name: "x", type: "numeric", min: 0, max: 1 }],
  label: { name: "y", levels: ["no", "yes"] },
  privacy: { epsilon: 1, delta: 1e-5 } as object | "none",
  participation: { sites: ["a", "b", "c"], minimumSites: 3, maxRowsPerSite: 100_000 },
  parameters: { trees: 2, depth: 1 } as object,
};

const textOf = (overrides: Partial<typeof source> = {}) => {
  const study = unwrap(parseStudy({ ...source, ...overrides }));
  return calibrationText(study, calibrate(study));
};

it("prints the line to put into the study, and what it changes", () => {
  const [line, meaning] = textOf().split("\n");
  const { privacy } = parse(line!) as { privacy: object };
  expect(unwrap(parseStudy({ ...source, privacy })).privacy).toMatchObject({ epsilon: 1, delta: 1e-5 });
  expect(meaning).toMatch(
    /^[78]\.\d % less noise: the plan's exact epsilon is 0\.99\d+\. Budgets are charged rho 0\.03/,
  );
});

it("says why there is none", () => {
  expect(textOf({ privacy: "none" })).toMatch(/^No noise to calibrate/);
  const felp = { analysis: "feature-selection", method: "felp-a", parameters: { select: 1 } };
  expect(textOf(felp)).toMatch(/^No rho to set: exact accounting is not proven/);
});
