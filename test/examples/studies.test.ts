import { readdirSync, readFileSync } from "node:fs";
import { unwrap } from "@consilium/core/result";
import { planStudy } from "@consilium/core/study/plan";
import { parseStudy } from "@consilium/methods/testing/studies";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const examples = new URL("../../examples/", import.meta.url);
const studies = readdirSync(new URL("studies/", examples)).filter((file) => file.endsWith(".yaml"));

function readTable(name: string): { header: string[]; rows: string[][] } {
  const [header, ...lines] = readFileSync(new URL(`data/${name}.csv`, examples), "utf8")
    .trim()
    .split("\n");
  return { header: header!.split(","), rows: lines.map((line) => line.split(",")) };
}

describe("the bundled table", () => {
  const whole = readTable("wdbc");

  it("has 569 rows of 30 features and a diagnosis", () => {
    expect(whole.header).toHaveLength(31);
    expect(whole.rows).toHaveLength(569);
    expect(whole.rows.filter((row) => row.at(-1) === "malignant")).toHaveLength(212);
    expect(whole.rows.filter((row) => row.at(-1) === "benign")).toHaveLength(357);
  });

  it("is split over four hospitals, each row once, unevenly in size and case mix", () => {
    const parts = ["a", "b", "c", "d"].map((letter) => readTable(`hospital-${letter}`));
    for (const part of parts) expect(part.header).toEqual(whole.header);
    const lines = (rows: string[][]) => rows.map((row) => row.join(",")).sort();
    expect(lines(parts.flatMap((part) => part.rows))).toEqual(lines(whole.rows));
    const share = parts.map(
      ({ rows }) => rows.filter((row) => row.at(-1) === "malignant").length / rows.length,
    );
    expect(parts.map(({ rows }) => rows.length)).toEqual([220, 160, 120, 69]);
    expect(Math.max(...share) - Math.min(...share)).toBeGreaterThan(0.4);
  });
});

describe("the made-up trial", () => {
  const hospitals = ["a", "b", "c", "d"].map((letter) => readTable(`trial/hospital-${letter}`));

  it.each([
    ["trial-survival", []],
    ["trial-cox", ["plan.hospitals-pooled {}"]],
  ] as const)("has 2000 rows, those of %s's columns, statuses and arms", (name, warnings) => {
    const study = unwrap(parseStudy(parse(readFileSync(new URL(`studies/${name}.yaml`, examples), "utf8"))));
    expect(study.name).toBe(name);
    const [months, arm] = study.features;
    const rows = hospitals.flatMap((table) => {
      expect(table.header).toEqual([months!.name, arm!.name, study.label!.name]);
      return table.rows;
    });
    expect(rows).toHaveLength(study.participation.expectedRows!);
    expect(Math.max(...hospitals.map((table) => table.rows.length))).toBeLessThan(
      study.participation.maxRowsPerSite,
    );
    expect(Math.min(...rows.map(([time]) => Number(time)))).toBeGreaterThanOrEqual(0);
    expect(new Set(rows.map((row) => row[1]))).toEqual(new Set(["standard", "new"]));
    expect(new Set(rows.map((row) => row[2]))).toEqual(new Set(study.label!.levels));
    expect(planStudy(study).warnings).toEqual(warnings);
  });

  it("is a table whose rows may be published as synthetic ones, by an example without a warning", () => {
    const study = unwrap(
      parseStudy(parse(readFileSync(new URL("studies/trial-synthetic.yaml", examples), "utf8"))),
    );
    expect(study.features.map(({ name }) => name)).toEqual(hospitals[0]!.header);
    const levels = study.features.map((feature) => (feature.type === "categorical" ? feature.levels : null));
    for (const row of hospitals.flatMap((table) => table.rows))
      row.forEach((cell, column) => {
        if (levels[column] !== null) expect(levels[column]).toContain(cell);
      });
    expect(planStudy(study).warnings).toEqual([]);
  });
});

describe("the example studies", () => {
  const whole = readTable("wdbc");

  it.each(studies.filter((file) => file.startsWith("wdbc-")))(
    "%s is a valid study of the bundled table",
    (file) => {
      const study = unwrap(parseStudy(parse(readFileSync(new URL(`studies/${file}`, examples), "utf8"))));
      expect(`${study.name}.yaml`).toBe(file);
      expect(planStudy(study).stages.length).toBeGreaterThan(0);
      const columns = whole.header.slice(0, -1);
      const asked = study.features.map((feature) => feature.name);
      expect(asked).toEqual(columns.filter((column) => asked.includes(column)));
      if (study.label !== undefined)
        expect(new Set(whole.rows.map((row) => row.at(-1)))).toEqual(new Set(study.label.levels));
      study.features.forEach((feature) => {
        if (feature.type !== "numeric") throw new Error(`${feature.name} is numeric in the table`);
        const values = whole.rows.map((row) => Number(row[columns.indexOf(feature.name)]));
        // Bounds hold all values, of a regression most of them, and are round numbers rather than the data's own extremes.
        const inside = values.filter((value) => value >= feature.min && value < feature.max).length;
        if (study.analysis === "regression") expect(inside / values.length).toBeGreaterThan(0.95);
        else expect(inside).toBe(values.length);
        expect(String(feature.max).replace(/[.0]/g, "").length).toBeLessThanOrEqual(2);
      });
    },
  );

  it("show the four forms of pca: with a proof, by ELFedPCA, by DPdisPCA and without privacy", () => {
    expect(studies).toEqual(
      expect.arrayContaining([
        "wdbc-dp-pca.yaml",
        "wdbc-dpdispca.yaml",
        "wdbc-elfedpca.yaml",
        "wdbc-none.yaml",
      ]),
    );
  });
});
