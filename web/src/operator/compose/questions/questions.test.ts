import { planStudy } from "@consilium/core/study/plan";
import { allMethods } from "@consilium/methods-paper/all";
import { english } from "@consilium/runtime/http/spoken";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type MethodSpec, studySpec } from "../schemaFields";
import { startingParameters } from "../templates";
import { rememberedOf, withChoice } from "./ask";
import { type Choice, chosenOf, provenQuestions, publishedQuestions, type Question } from "./questions";
import { startOf } from "./starts";

const { methods } = studySpec(allMethods.jsonSchema());
const questions = provenQuestions(methods);
const all = [...questions, ...publishedQuestions(methods)];
const pairs = questions.flatMap((question) => question.choices.map((choice) => ({ question, choice })));
const read = (text: string) => parse(text) as Readonly<Record<string, unknown>>;

const faultsOf = (text: string) => {
  const parsed = allMethods.parse(parse(text));
  return parsed.ok ? [] : parsed.error.issues.map(({ path, message }) => `${path}: ${english(message)}`);
};

/** Read once each: an example is a long file. */
const starting = new Map(
  all.flatMap(({ choices }) => choices).map(({ id, method }) => [id, startingParameters(method)]),
);

function turned(text: string, { choice, question }: { choice: Choice; question: Question }, before?: string) {
  const remembered = before === undefined ? null : rememberedOf(before);
  return withChoice(text, choice, {
    methods,
    starting: starting.get(choice.id)!,
    question,
    remembered,
  });
}

describe("questions", () => {
  it("ask for every proven method in words of their own, once, and for every method as published", () => {
    const asked = new Set(pairs.map(({ choice }) => choice.method));
    expect(asked).toEqual(new Set(methods.filter(({ variant }) => variant === "sound")));
    expect(questions.filter(({ about }) => about === "")).toEqual([]);
    expect(new Set(all.flatMap(({ choices }) => choices.map(({ id }) => id))).size).toBe(
      all.flatMap(({ choices }) => choices).length,
    );
    expect(publishedQuestions(methods)).toHaveLength(
      methods.filter(({ variant }) => variant === "paper").length,
    );
  });

  it("offer the kinds of outcome that the schema has, and no others", () => {
    const regression = methods.find(({ method }) => method === "regression")!;
    const offered = (options: readonly string[]) => {
      const parameters = regression.parameters.map((field) =>
        field.key === "family" ? { ...field, field: { kind: "choice" as const, options } } : field,
      );
      const [question] = provenQuestions([{ ...regression, parameters } satisfies MethodSpec]);
      return question!.choices.map(({ title, sets }) => [title, sets.family]);
    };
    expect(offered(["logistic", "linear"])).toEqual([
      ["Yes or no", "logistic"],
      ["A number", "linear"],
    ]);
    expect(offered(["logistic", "poisson", "cox", "gamma"])).toEqual([
      ["Yes or no", "logistic"],
      ["A count", "poisson"],
      ["Time until an event", "cox"],
      ["gamma", "gamma"],
    ]);
  });

  it("offer a proven method that these pages do not know by its name", () => {
    const [unknown] = provenQuestions([
      { analysis: "new", method: "dp-new", variant: "sound", parameters: [] },
    ]);
    expect(unknown).toMatchObject({ title: "dp-new", asks: null });
  });

  it.each(pairs.map((pair) => [pair.choice.id, pair] as const))(
    "%s begins with a study without a fault that has a plan",
    (_, { question, choice }) => {
      const text = startOf(choice);
      expect(faultsOf(text)).toEqual([]);
      const parsed = allMethods.parse(read(text));
      expect(parsed.ok && planStudy(parsed.value).claim.verdict).toBe("proved");
      expect(chosenOf(all, methods, read(text))).toEqual({ question, choice });
      // Nothing is left to fill in.
      expect(turned(text, { question, choice })).toBe(text);
    },
  );
});

describe("a draft that turns to another question and back", () => {
  /** Every column's name, the outcome's among them. */
  const columnsOf = (text: string) => {
    const { features, label } = read(text) as {
      features: readonly { name: string }[];
      label?: { name: string };
    };
    return [...features.map(({ name }) => name), ...(label === undefined ? [] : [label.name])].sort();
  };
  /** The other questions begin as the last of these does. */
  const different = ["describe", "counts", "regression", "survival", "synthetic-table", "dp-pca", "dp-ka"];

  const entered = (choice: Choice) => startOf(choice).replace("table: patients", "table: our_patients");

  it.each(
    pairs
      .filter(({ question }) => different.includes(question.id))
      .map((pair) => [pair.choice.id, pair] as const),
  )("keeps its columns, and from %s its parameters and its outcome too", (_, from) => {
    const text = entered(from.choice);
    for (const to of pairs) {
      const there = turned(text, to);
      expect(chosenOf(all, methods, read(there))?.choice).toBe(to.choice);
      expect(columnsOf(there)).toEqual(expect.arrayContaining(columnsOf(text)));
      expect(read(turned(there, from, text))).toEqual(read(text));
    }
  });

  it("makes an outcome column one like the others where the question has none, and back, whatever stands beside it", () => {
    const synthetic = pairs.find(({ choice }) => choice.id === "synthetic-table")!;
    const survival = pairs.find(({ choice }) => choice.id === "survival")!;
    const text = entered(survival.choice)
      .replace("levels: [alive, dead] }", "levels: [alive, dead], description: at the end }")
      .replace("features:\n", "features:\n  - not a column yet\n");
    const there = turned(text, synthetic);
    const status = { name: "status", levels: ["alive", "dead"], description: "at the end" };
    expect(read(there).label).toBeUndefined();
    expect(read(there).features).toContainEqual({ ...status, type: "categorical" });
    expect(read(turned(there, survival, text))).toEqual(read(text));
  });

  it("takes a column that is there for what a question must name", () => {
    const linear = pairs.find(({ choice }) => choice.id === "regression-linear")!;
    const counts = pairs.find(({ choice }) => choice.id === "counts")!;
    const there = read(turned(entered(counts.choice), linear));
    expect(there.parameters).toEqual({ family: "linear", outcome: "age" });
    expect(faultsOf(turned(entered(counts.choice), linear))).toEqual([]);
  });

  it("goes back to a published method without noise", () => {
    const paper = publishedQuestions(methods)[0]!;
    const choice = paper.choices[0]!;
    const proven = pairs[0]!;
    const text = turned(entered(proven.choice), { question: paper, choice }).replace(
      /privacy: .*/,
      "privacy: none",
    );
    expect(read(text).privacy).toBe("none");
    const there = turned(text, proven);
    expect(read(there).privacy).toEqual({ epsilon: 1, delta: 0.00001 });
    expect(read(turned(there, { question: paper, choice }, text)).privacy).toBe("none");
  });
});
