import { allMethods } from "@consilium/methods-paper/all";
import { english } from "@consilium/runtime/http/spoken";
import { describe, expect, it } from "vitest";
import { parseWritten } from "./writtenStudy.js";

const study = (title: string, own: object = {}) => ({
  name: "vitals",
  table: "visits",
  analysis: "pca",
  method: "dp-pca",
  variant: "sound",
  parameters: { components: 1 },
  privacy: { epsilon: 1, delta: 1e-6 },
  participation: { minimumSites: 3, maxRowsPerSite: 1000 },
  features: [
    { name: "age", type: "numeric", min: 0, max: 120 },
    { name: "weight", type: "numeric", min: 0, max: 300 },
  ],
  release: { title },
  ...own,
});

const issues = (raw: unknown, isDraft: boolean) => {
  const parsed = parseWritten(allMethods, raw, isDraft);
  return parsed.ok ? [] : parsed.error.issues.map(({ path, message }) => `${path}: ${english(message)}`);
};

describe("a study that somebody has written", () => {
  it("may have the composer's first title while it is a draft, and not when it starts", () => {
    expect(issues(study("My study"), true)).toEqual([]);
    expect(issues(study("My study"), false)).toEqual([
      "release.title: give a title that says what this release is about",
    ]);
    expect(issues(study("My study of weight"), false)).toEqual([]);
  });

  it("refuses levels that no hospital tells apart", () => {
    const label = (levels: string[]) => issues(study("x", { label: { name: "outcome", levels } }), true);
    expect(label(["no", "yes"])).toEqual([]);
    for (const twin of ["no ", "no\u00a0", "\u200bno"]) expect(label(["no", "yes", twin])).toHaveLength(1);
    expect(label(["no", "no ", "yes"])[0]).toMatch(
      /^label\.levels: "no" and "no " are one level to every hospital/,
    );
    const sex = { name: "sex", type: "categorical", levels: ["é", "e\u0301", "m"] };
    expect(issues(study("x", { features: [sex] }), true)[0]).toMatch(/^features\[0\]\.levels: /);
  });

  it("says of a value of the wrong type what is wanted and what is there, never the value", () => {
    const wrong = {
      features: [{ name: "age", type: "numeric", min: "hunter2", max: 9 }],
      participation: { minimumSites: 2.5, maxRowsPerSite: [1000] },
      release: { title: 7, access: "everyone" },
      patient: "patient_id",
    };
    expect(issues(study("x", wrong), false).sort()).toEqual([
      "features[0].min: expected a number, got text",
      "participation.maxRowsPerSite: expected a number, got a list",
      "participation.minimumSites: a whole number",
      "patient: expected keys and values, got text",
      "release.access: expected one of: open, token",
      "release.title: expected text, got a number",
    ]);
  });

  it("has every issue at once, also those that only show once others are mended", () => {
    const own = {
      analysis: "describe",
      method: "describe",
      parameters: {},
      features: [
        { name: "age", type: "numeric", min: "TODO", max: "TODO" },
        { name: "weight", type: "numeric", min: 30, max: 200 },
        { name: "weight", type: "categorical", levels: ["TODO"] },
      ],
      participation: { minimumSites: 3, maxRowsPerSite: "many" },
      privacy: { epsilon: 1, delta: 0.01 },
    };
    const places = issues(study("x", own), true).map((one) => one.slice(0, one.indexOf(": ")));
    expect(places.sort()).toEqual([
      "features[0].edges",
      "features[0].max",
      "features[0].min",
      "features[1].edges",
      "features[2].levels",
      "features[2].name",
      "participation.maxRowsPerSite",
      "privacy.delta",
    ]);
  });

  it.each([
    [{ bins: 20, tables: [["age", "ward"]] }, ["parameters.tables[0]"]],
    [{ bins: 20, bin: 3 }, ["parameters.bin"]],
    [{ bins: "twenty" }, ["parameters.bins"]],
    // The control: without bins both columns need edges.
    [{}, ["features[0].edges", "features[1].edges"]],
  ])("has one issue of parameters %j, and none that follows from it", (parameters, expected) => {
    const own = { analysis: "describe", method: "describe", parameters };
    const places = issues(study("x", own), true).map((one) => one.slice(0, one.indexOf(": ")));
    expect(places.sort()).toEqual(expected);
  });

  it("has no issue of what only stands in for another one", () => {
    const conditions = [{ name: "old", all: [{ column: "age", atLeast: 65 }] }];
    const own = {
      analysis: "describe",
      method: "counts",
      parameters: { conditions },
      features: [{ name: "age", type: "numeric", min: 0, max: "TODO", edges: [30, 60] }],
      label: { name: "ward", levels: ["TODO"] },
      release: { title: "x", license: 5 },
    };
    const places = issues(study("x", own), true).map((one) => one.slice(0, one.indexOf(": ")));
    expect(places.sort()).toEqual(["features[0].max", "label.levels", "release.license"]);
  });

  it.each([true, false])("is refused while anything is still to be written, draft: %s", (isDraft) => {
    const open = study("TODO: a title", {
      features: [{ name: "age", type: "numeric", min: "TODO", max: 9 }],
    });
    const found = issues(open, isDraft);
    expect(found).toContain("release.title: still a placeholder: write what it is to say, or remove the key");
    expect(found.filter((one) => one.startsWith("features[0].min: "))).toEqual([
      expect.stringContaining("still a placeholder: write a round number"),
    ]);
  });
});
