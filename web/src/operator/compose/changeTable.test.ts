import { allMethods } from "@consilium/methods-paper/all";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { lackingColumns, withTable } from "./changeTable";
import { provenQuestions } from "./questions/questions";
import { startOf } from "./questions/starts";
import { studySpec } from "./schemaFields";

const choices = provenQuestions(studySpec(allMethods.jsonSchema()).methods).flatMap((one) => one.choices);
const starts = choices.map(startOf);
const start = (id: string) => startOf(choices.find((one) => one.id === id)!);
const on = (text: string, needsLabel = false) =>
  parse(withTable(text, "visits", { starts, needsLabel })) as Readonly<Record<string, unknown>>;

describe("a draft on another table", () => {
  it.each(choices.map(({ id }) => id))("has no column of the example of %s", (id) => {
    const text = JSON.stringify(on(start(id)));
    expect(text).toContain('"table":"visits"');
    expect(text).toContain('"features":[]');
    expect(text).not.toMatch(/body_mass_index|readmitted|treatment|follow_up|"age"|"dead"/);
  });

  it("keeps the fields of an outcome that the question needs, and a condition that names no column", () => {
    expect(on(start("regression-logistic"), true).label).toEqual({ name: "TODO", levels: ["TODO"] });
    expect(on(start("counts")).parameters).toEqual({ conditions: [{ name: "all patients", all: [] }] });
  });

  it("keeps what a person has typed", () => {
    const own = start("describe").replace("min: 18", "min: 16");
    expect(on(own).features).toEqual((parse(own) as { features: unknown }).features);
    const labelled = start("describe").replace("levels: [standard, new]", "levels: [a, b]");
    expect(on(labelled).label).toEqual({ name: "treatment", levels: ["a", "b"] });
    const counted = start("counts").replace("atLeast: 65", "atLeast: 80");
    expect(on(counted).parameters).toMatchObject({
      conditions: [{ name: "all patients" }, { name: "65 and older" }],
    });
    expect(withTable("a: [", "visits", { starts, needsLabel: false })).toBe("a: [");
  });

  it("says which of its columns the table lacks, by their names there", () => {
    const features = [{ name: "age" }, { name: "grown", from: "height" }, { name: "sex" }, "none"];
    expect([...lackingColumns(features, [{ name: "age" }, { name: "grown" }])]).toEqual([
      [1, "height"],
      [2, "sex"],
    ]);
  });
});
