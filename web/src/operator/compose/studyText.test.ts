import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { withItem, withValue } from "../../shared/yaml/edit";
import { valueAt } from "../../shared/yaml/values";
import { pathOf, readStudyText } from "./studyText";

const text = `# A study.
name: small # its name
privacy: { epsilon: 1, delta: 0.00001 }
parameters:
  # how many
  components: 4
release:
  description: >-
    Two lines
    of text.
features:
  - { name: height, type: numeric, min: 0, max: 250 }
  - { name: sex, type: categorical, levels: [f, m] } # two
`;

describe("withValue", () => {
  it("leaves a text as it is that lacks what is removed", () => {
    for (const path of [["label"], ["label", "name"], ["parameters", "scale"]])
      expect(withValue(text, path, undefined)).toBe(text);
  });

  it("changes one value and nothing else", () => {
    expect(withValue(text, ["parameters", "components"], 2)).toBe(
      text.replace("components: 4", "components: 2"),
    );
    expect(withValue(text, ["privacy", "epsilon"], 0.5)).toBe(text.replace("epsilon: 1", "epsilon: 0.5"));
    expect(withValue(text, ["features", 0, "max"], 300)).toBe(text.replace("max: 250", "max: 300"));
  });

  it("quotes ambiguous values, in flow and in block style", () => {
    for (const name of [
      "1e3",
      "yes, no",
      "true",
      "null",
      "a: b",
      "# none",
      "- x",
      "",
      " x",
      "[a]",
      'say "a"',
      "ü",
    ]) {
      expect(parse(withValue(text, ["name"], name)).name).toBe(name);
      expect(parse(withValue(text, ["features", 0, "name"], name)).features[0].name).toBe(name);
    }
  });

  it("keeps what no field of the form is for", () => {
    const recoded = `${text}  - name: group
    type: categorical
    from: age # in years
    map: [{ below: 18, level: child }, { level: adult }]
    levels: [child, adult]
    undeclared: other
label: { name: readmitted, from: back, map: { "<30": "yes", ">30": "no" }, levels: ["no", "yes"] }
columns:
  - { name: born, type: date, format: DD.MM.YYYY }
where: >-
  group = "adult" and born is not missing
`;
    const changed = withItem(
      withValue(
        withValue(recoded, ["features", 2, "levels"], ["adult", "child"]),
        ["label", "name"],
        "back_30d",
      ),
      ["features"],
      { name: "new", type: "numeric", min: 0, max: 1 },
    );
    const before = parse(recoded) as { features: object[]; label: object };
    const after = parse(changed) as typeof before;
    expect(after).toEqual({
      ...before,
      features: [
        ...before.features.slice(0, 2),
        { ...before.features[2], levels: ["adult", "child"] },
        { name: "new", type: "numeric", min: 0, max: 1 },
      ],
      label: { ...before.label, name: "back_30d" },
    });
    expect(changed).toContain("# in years");
  });

  it("keeps comments when keys are added or removed", () => {
    const more = withValue(text, ["parameters", "scale"], "declared");
    expect(parse(more).parameters).toEqual({ components: 4, scale: "declared" });
    const less = withValue(more, ["privacy"], "none");
    expect(parse(less).privacy).toBe("none");
    for (const comment of ["# A study.", "# its name", "# how many", "# two"])
      expect(less).toContain(comment);
    expect(parse(withValue(less, ["parameters", "components"], undefined)).parameters).toEqual({
      scale: "declared",
    });
  });

  it("replaces folded text", () => {
    expect(parse(withValue(text, ["release", "description"], "New: text")).release.description).toBe(
      "New: text",
    );
  });

  it("creates missing parents", () => {
    const made = withValue("name: a\nparameters: {}\n", ["participation", "sites"], ["a", "b"]);
    expect(parse(made).participation).toEqual({ sites: ["a", "b"] });
    expect(parse(withValue("name:\n", ["name"], "b"))).toEqual({ name: "b" });
    expect(parse(withValue("", ["name"], "b"))).toEqual({ name: "b" });
  });

  it("changes nothing while the text is not valid YAML", () => {
    expect(withValue("a: [", ["a"], 1)).toBe("a: [");
  });

  it("round-trips any value", () => {
    const scalar = fc.oneof(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean());
    fc.assert(
      fc.property(
        scalar,
        fc.constantFrom(["name"], ["release", "title"], ["features", 1, "name"]),
        (value, path) => {
          const read = valueAt(parse(withValue(text, path, value)), path);
          expect(Object.is(read, -0) ? 0 : read).toEqual(Object.is(value, -0) ? 0 : value);
        },
      ),
    );
  });
});

describe("withItem", () => {
  it("appends to a list, or creates it", () => {
    const item = { name: "weight", type: "numeric", min: 0, max: 300 };
    const more = withItem(text, ["features"], item);
    expect(parse(more).features[2]).toEqual(item);
    expect(more).toContain("- { name: weight, type: numeric, min: 0, max: 300 }");
    expect(parse(withItem("name: a\n", ["features"], item)).features).toEqual([item]);
    expect(parse(withItem("features: []\n", ["features"], item)).features).toEqual([item]);
  });
});

describe("readStudyText", () => {
  it("knows the line of each key, and of the nearest parent of a missing one", () => {
    const { lineOf } = readStudyText(text);
    expect(lineOf("name")).toBe(2);
    expect(lineOf("parameters.components")).toBe(6);
    expect(lineOf("parameters.kappa")).toBe(4);
    expect(lineOf("features[1].levels")).toBe(13);
    expect(lineOf("features[9].name")).toBe(11);
    expect(lineOf("study")).toBe(2);
  });

  it("locates YAML errors", () => {
    const { value, faults } = readStudyText("name: a\nprivacy: { epsilon: 1\nx: y\n");
    expect(value).toBeNull();
    expect(faults[0]?.line).toBeGreaterThan(1);
    expect(readStudyText("- a\n").faults).toHaveLength(1);
  });

  it("refuses aliases, as the service does", () => {
    expect(readStudyText("a: &b 1\nc: *b\n").faults).toMatchObject([{ line: 2 }]);
    for (const text of ["a: &b 1\nc: *b\n", "? *a"]) {
      expect([withValue(text, ["a"], 2), withItem(text, ["a"], 2)]).toEqual([text, text]);
    }
  });

  it("never throws, whatever is typed", () => {
    const typed = fc.string({ unit: fc.constantFrom(..."ab:-?[]{},&*!|>'\"%@#\n \t~1.") });
    fc.assert(
      fc.property(fc.oneof(fc.string(), typed), (raw) => {
        readStudyText(raw);
        withValue(raw, ["a", "b"], 1);
        withItem(raw, ["a"], 1);
      }),
      { numRuns: 500 },
    );
  });
});

it("splits a path", () => {
  expect(pathOf("features[3].missing.constant")).toEqual(["features", 3, "missing", "constant"]);
  expect(pathOf("study")).toEqual([]);
});
