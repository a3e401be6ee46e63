import { unwrap } from "@consilium/core/result";
import { planStudy } from "@consilium/core/study/plan";
import { parseStudy } from "@consilium/methods/testing/studies";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readProjectFile } from "./repository.js";
import { annotatedStudy, renderStudy, studyDocument, unexplainedKeys } from "./studyDoc.js";

describe("docs/STUDY.md", () => {
  it("is what the schema says: TSX_TSCONFIG_PATH=tsconfig.check.json npx tsx scripts/studyDoc.ts > docs/STUDY.md", () => {
    expect(readProjectFile(studyDocument)).toBe(renderStudy());
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
