import { parseWritten } from "@consilium/core/study/writtenStudy";
import { allMethods } from "@consilium/methods-paper/all";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { withValue } from "../../shared/yaml/edit";
import type { Path } from "../../shared/yaml/values";
import { type FormFault, formFaults } from "./formFaults";
import { provenQuestions } from "./questions/questions";
import { startOf } from "./questions/starts";
import { methodOf, studySpec } from "./schemaFields";

const { methods } = studySpec(allMethods.jsonSchema());
const choices = provenQuestions(methods).flatMap((one) => one.choices);
const start = (id: string) => startOf(choices.find((one) => one.id === id)!);

function faultsOf(text: string): FormFault[] {
  const study = parse(text) as Readonly<Record<string, unknown>>;
  const parsed = parseWritten(allMethods, study, true);
  return formFaults(parsed.ok ? [] : parsed.error.issues, study, methodOf(methods, study));
}

const changed = (id: string, ...changes: readonly (readonly [Path, unknown])[]) =>
  faultsOf(changes.reduce((text, [path, value]) => withValue(text, path, value), start(id)));
const textsOf = (...given: Parameters<typeof changed>) => changed(...given).map(textOf);

const textOf = ({ label, words }: FormFault) => `${label}: ${words}`;

describe("errors in the form's words", () => {
  it("say that an empty field is empty, and what it should hold", () => {
    expect(
      textsOf(
        "describe",
        [["features", 0, "min"], "TODO"],
        [["features", 0, "edges"], undefined],
        [["features", 2, "edges"], undefined],
        [["features", 1, "levels"], ["TODO"]],
        [["table"], undefined],
        [["privacy", "epsilon"], undefined],
        [["participation", "maxRowsPerSite"], undefined],
      ).sort(),
    ).toEqual([
      expect.stringMatching(/^Epsilon \(ε\): is empty: enter a number above 0/),
      expect.stringMatching(/^Max rows per site: is empty: enter the most rows/),
      expect.stringMatching(/^Table: is empty: choose a table/),
      // Of a column without bounds they are proposed once it has them.
      expect.stringMatching(/^age: Minimum: is empty: enter a round number/),
      expect.stringMatching(/^body_mass_index: Bin edges: are missing: take the proposal/),
      expect.stringMatching(/^sex: Levels: is empty: enter every value/),
    ]);
  });

  it("keep the word placeholder's meaning for a template's text", () => {
    expect(textsOf("describe", [["release", "title"], "TODO: what this release is about"])).toEqual([
      "Title: is still the template's text: replace it, or empty the field",
    ]);
  });

  it("name swapped bounds, a column that is there twice, and a criterion beyond the bounds", () => {
    expect(textsOf("describe", [["features", 0, "min"], 90], [["features", 0, "max"], 10]).join()).toContain(
      "age: Maximum: must be greater than the minimum; are the two swapped?",
    );
    expect(textsOf("describe", [["features", 2, "name"], "age"]).join()).toContain(
      "The column age is there twice, also as number 1 of the list",
    );
    expect(textsOf("counts", [["parameters", "conditions", 1, "all", 0, "atLeast"], 650]).join()).toContain(
      "Condition 65 and older: 650 is not above the minimum (18)",
    );
  });

  it("lead to their fields, and offer what mends them", () => {
    const [edges] = changed("describe", [["features", 0, "edges"], undefined]);
    expect(edges).toMatchObject({
      field: ["features", 0, "edges"],
      mend: { path: ["features", 0, "edges"], value: [20, 30, 40, 50, 60, 70, 80, 90] },
    });
    const [min] = changed("regression-cox", [["features", 0, "min"], 1]);
    expect(min?.mend).toMatchObject({ path: ["features", 0, "min"], value: 0 });
  });

  it("say what sites do not have", () => {
    const said = (message: string) =>
      formFaults([{ path: "features[0].name", message }], { features: [{ name: "wieght" }] }, null)[0]?.words;
    expect(said('no column "wieght" in table people at a-one and 2 more (nearest: "weight")')).toBe(
      "The table people has no column wieght at a-one and 2 more. Did you mean weight?",
    );
    expect(said('column "sex" has the type text at a-one; declare it categorical')).toBe(
      "sex is of the type text at a-one: declare it as a category.",
    );
    expect(said('no table "peple" at a-one, b-two')).toBe("There is no table peple at a-one, b-two.");
  });

  it("hold no word of the file, whatever is wrong", () => {
    const wrong = [undefined, "TODO", "", -1, 1.5, 1e300, "x".repeat(500), [], {}, null];
    const seen = new Set<string>();
    let turn = 0;
    for (const id of ["describe", "regression-cox"]) {
      const text = start(id);
      const { method } = choices.find((one) => one.id === id)!;
      const of = (section: string, ...keys: readonly string[]): Path[] => keys.map((key) => [section, key]);
      const paths: Path[] = [
        ...["name", "table", "features", "label", "privacy", "parameters"].map((key) => [key]),
        ...of("privacy", "epsilon", "delta"),
        ...of(
          "participation",
          "minimumSites",
          "maxRowsPerSite",
          "expectedRows",
          "tolerateColluding",
          "sites",
        ),
        ...of("parameters", ...method.parameters.map(({ key }) => key)),
        ...of("release", "title", "license"),
        ...of("label", "name", "levels"),
        ...["name", "type", "min", "max", "edges", "unit"].map((key) => ["features", 0, key]),
      ];
      for (const path of paths)
        for (const one of faultsOf(withValue(text, path, wrong[turn++ % wrong.length])))
          seen.add(textOf(one));
    }
    expect(seen.size).toBeGreaterThan(20);
    const words =
      /\b(features|label|parameters|participation|privacy|release)(\[|\.)|\bTODO\b|\b[a-z]+[A-Z][a-z]/;
    expect([...seen].filter((one) => words.test(one))).toEqual([]);
  });
});
