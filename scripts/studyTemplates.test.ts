import { expect, it } from "vitest";
import { readProjectFile } from "./repository.js";
import { renderTemplates, studyTemplates, templatesFile } from "./studyTemplates.js";

it(`are what examples/studies say: npx tsx scripts/studyTemplates.ts > ${templatesFile}`, () => {
  expect(readProjectFile(templatesFile)).toBe(renderTemplates());
});

it("take the private example of a method that has one without privacy too", () => {
  expect(studyTemplates()["elfed-pca"]!.privacy).toContain("epsilon");
});
