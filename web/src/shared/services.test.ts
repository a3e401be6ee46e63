import { readdirSync, readFileSync } from "node:fs";
import { explainStudy, leavingViews } from "@consilium/core/hospital/explanation";
import { unwrap } from "@consilium/core/result";
import { planStudy, verdictOf } from "@consilium/core/study/plan";
import { planView } from "@consilium/core/study/planView";
import { allMethods } from "@consilium/methods-paper/all";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { served, speak } from "./language.js";
import german from "./languages/de.js";

const folder = new URL("../../../examples/studies/", import.meta.url);

/** All that the pages show of a study from the site's and the aggregator's reading of its plan. */
function sentencesOf(file: string): string[] {
  const source: unknown = parse(readFileSync(new URL(file, folder), "utf8"));
  const study = unwrap(allMethods.parse(source));
  const plan = planStudy(study);
  const view = planView(study);
  const { title, description } = study.release;
  const sections = explainStudy({
    study,
    plan,
    population: { name: "default", budget: { epsilon: 3, delta: 1e-6 } },
    chargedUnit: null,
    spent: { unit: "row", spentEpsilon: 1.25, remainingEpsilon: 1.75, unproved: 1, notes: [] },
    maxEpsilon: null,
    pinned: 0,
    isCharged: false,
    found: { rows: 100, used: 90, malformed: 1, faults: 2, outside: 0, overBound: 3, unsampled: 4 },
  });
  return [
    ...sections.flatMap((one) => [one.title, ...one.paragraphs]),
    ...leavingViews(study, plan).flatMap(({ what, formWords, noise, learns }) => [
      what,
      formWords,
      noise,
      learns,
    ]),
    ...view.warnings,
    view.claim.unit,
    view.claim.neighbouringRelation,
    ...view.claim.reasons,
    ...view.stages.flatMap(({ disclosure }) => [disclosure.what, disclosure.learns, disclosure.mechanism]),
  ].filter((one) => one !== title && one !== description);
}

/** Words that no German sentence has. */
const stray = /\b(the|of|and|is|are|with|this|that|from|not|each|which)\b/;

it.each(readdirSync(folder))("a list says of %s what its plan claims", (file) => {
  const source: unknown = parse(readFileSync(new URL(file, folder), "utf8"));
  const study = unwrap(allMethods.parse(source));
  expect(verdictOf(study.variant, study.privacy === "none")).toBe(planStudy(study).claim.verdict);
});

describe("sentences of services", () => {
  beforeAll(() => speak("de", german));
  afterAll(() => speak("en", null));

  it.each(readdirSync(folder))("of %s are German throughout", (file) => {
    for (const sentence of sentencesOf(file)) {
      const said = served(sentence);
      expect(said).not.toBe(sentence);
      // Conditions have names that people gave them.
      expect(said.replaceAll("large and concave nuclei", "")).not.toMatch(stray);
    }
  });

  it("and so are the hints of a study's form", () => {
    const hints = new Set<string>();
    const gather = (schema: unknown): void => {
      if (typeof schema !== "object" || schema === null) return;
      const { description } = schema as { readonly description?: unknown };
      if (typeof description === "string") hints.add(description);
      for (const one of Object.values(schema)) gather(one);
    };
    gather(allMethods.jsonSchema());
    expect(hints.size).toBeGreaterThan(100);
    expect([...hints].filter((hint) => served(hint) === hint && !/^\W*$/.test(hint))).toEqual([]);
  });

  it("leaves a sentence that it does not know as it is, and words that a person wrote", () => {
    const written = "Patients of the ward with a fever, and those without";
    expect(served(written)).toBe(written);
  });
});
