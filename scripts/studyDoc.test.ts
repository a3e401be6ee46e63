import { analysisOf, namesOf } from "@consilium/core/method/method";
import { unwrap } from "@consilium/core/result";
import { planStudy } from "@consilium/core/study/plan";
import { parseStudy } from "@consilium/methods/testing/studies";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { allMethods } from "../methods-paper/all.js";
import { readProjectFile } from "./repository.js";
import { annotatedStudy, renderStudy, unexplainedKeys } from "./studyDoc.js";

describe("the page of the study file", () => {
  it("has every method under its analysis", () => {
    const text = renderStudy();
    for (const method of allMethods.list) {
      const section = text.split(`\n### ${analysisOf(method)}\n`)[1]!.split("\n###")[0]!;
      const headings = [...section.matchAll(/^\*\*(.+?)\*\*, `variant: /gm)].map(([, names]) => names!);
      for (const name of namesOf(method))
        expect(
          headings.some((names) => names.includes(`\`${name}\``)),
          name,
        ).toBe(true);
    }
  });

  it("has a meaning for every key", () => {
    expect(unexplainedKeys()).toEqual([]);
  });

  it("shows a study that is valid, with categories, missing values and a patient column", () => {
    const study = unwrap(parseStudy(parse(readProjectFile(annotatedStudy))));
    expect(study.patient).toMatchObject({ column: "patient_id" });
    expect(study.features.map(({ type }) => type)).toContain("categorical");
    const missing = study.features.map((feature) => JSON.stringify(feature.missing));
    expect(missing).toEqual(expect.arrayContaining(['"reject-row"', '"own-level"', '{"constant":0}']));
    expect(planStudy(study).warnings).toEqual([]);
  });
});
