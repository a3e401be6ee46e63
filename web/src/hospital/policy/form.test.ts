import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { setInYaml } from "../../shared/yaml/edit.js";
import { inline } from "../../shared/yaml/values.js";
import { applyForm, type PolicyForm, readForm } from "./form.js";

const sample = readFileSync(
  fileURLToPath(new URL("../../../../docs/samples/policy.yaml", import.meta.url)),
  "utf8",
);
const blocks = `# ours
variants:
  - sound   # nothing else
approval:
  automatic:
    # agreed by the board
    maxEpsilon: 0.5
    maxDelta: 1.0e-6
    variants: [sound]

populations:
  # the big one
  inpatients:
    tables: [visits]
    epsilon: 4
members: {}
`;

const epsilon = fc.integer({ min: 1, max: 1_000 }).map((value) => value / 100);
const change: fc.Arbitrary<Partial<PolicyForm>> = fc.record(
  {
    sound: fc.boolean(),
    two: fc.boolean(),
    publishRefusals: fc.boolean(),
    paper: fc.boolean(),
    perHospital: fc.boolean(),
    approval: fc.constantFrom("person", "automatic", "limited"),
    maxEpsilon: epsilon,
    maxDelta: fc.constantFrom(1e-5, 1e-6),
    minimumSites: fc.integer({ min: 3, max: 50 }),
    minimumRows: fc.integer({ min: 0, max: 5_000 }),
    tolerateColluding: fc.integer({ min: 0, max: 9 }),
    requires: fc.subarray(["investigator", "contact", "ethicsVote"]),
    perStudyEpsilon: fc.option(epsilon),
    perStudyDelta: fc.option(fc.constantFrom(1e-5, 1e-6)),
    budgetEpsilon: fc.option(epsilon),
    budgetDelta: fc.constantFrom(1e-5, 1e-6, 1e-9, 0.001),
  },
  { requiredKeys: [] },
);

describe("the policy form", () => {
  it("reads the file, with defaults for missing settings", () => {
    expect(readForm(sample)).toMatchObject({
      sound: true,
      paper: false,
      approval: "limited",
      maxEpsilon: 0.5,
      maxDelta: 1e-6,
      minimumSites: 5,
      minimumRows: 0,
      perStudyEpsilon: 1,
      budgetEpsilon: 2,
    });
    expect(readForm("# nothing yet\n")).toMatchObject({
      approval: "person",
      budgetEpsilon: 3,
      perStudyEpsilon: null,
    });
    for (const text of ["a: [\n", "- 1\n", "variants: all\n"]) expect(readForm(text)).toBeNull();
  });

  it("reads and sets whether figures of this hospital alone may be shown", () => {
    const set = applyForm(blocks, { perHospital: true })!;
    expect(parse(set)).toMatchObject({ figures: { perHospital: true } });
    expect(readForm(set)).toMatchObject({ perHospital: true });
    const off = applyForm(`figures:\n  perHospital: true # for the audit\n${blocks}`, {
      perHospital: false,
    })!;
    expect(readForm(off)).toMatchObject({ perHospital: false });
    expect(parse(off).minimumSites).toBe(parse(blocks).minimumSites);
  });

  it("reads and sets whether it may be published by which code this hospital did not take part", () => {
    const set = applyForm(blocks, { publishRefusals: true })!;
    expect(parse(set)).toMatchObject({ publishRefusals: true });
    expect(readForm(set)).toMatchObject({ publishRefusals: true });
    expect(applyForm(set, { publishRefusals: false })).toBe(blocks);
    expect(readForm(applyForm(sample, { publishRefusals: true })!)).toMatchObject({ publishRefusals: true });
  });

  it("changes nothing but the edited settings: comments, order and blanks stay", () => {
    expect(applyForm(blocks, { minimumSites: 4 })).toBe(`${blocks}minimumSites: 4\n`);
    expect(applyForm(blocks, { paper: true })).toBe(
      blocks
        .replace("variants:\n  - sound", "variants: [sound, paper]")
        .replace("]   # nothing", "] # nothing"),
    );
    expect(applyForm(blocks, { approval: "person" })).toContain("approval: person # agreed by the board\n\n");
    expect(applyForm(blocks, { maxEpsilon: 0.25 })).toBe(
      blocks.replace("maxEpsilon: 0.5", "maxEpsilon: 0.25"),
    );
    expect(applyForm(blocks, { budgetEpsilon: 2 })).toBe(
      blocks.replace("  inpatients:", "  default: { epsilon: 2, delta: 1.0e-6 }\n  inpatients:"),
    );
    expect(applyForm(sample, { minimumSites: 7 })).toBe(sample.replace("minimumSites: 5", "minimumSites: 7"));
    expect(applyForm(sample, { budgetEpsilon: null })).toBe(
      sample.replace("default: { epsilon: 2,", "default: { epsilon: unlimited,"),
    );
    expect(applyForm(sample, { perStudyEpsilon: null })).toBe(
      sample.replace("{ epsilon: 1, delta: 1.0e-5 }", "{ delta: 1.0e-5 }"),
    );
    expect(applyForm("perStudy: { epsilon: 1 } # cap\nminimumSites: 3\n", { perStudyEpsilon: null })).toBe(
      "minimumSites: 3\n",
    );
    expect(applyForm("", { approval: "automatic" })).toBe(
      "approval: automatic\nperStudy: { delta: 1.0e-6, epsilon: 1 }\n",
    );
    expect(applyForm("", { approval: "limited" })).toMatch(/maxEpsilon: 0\.5, maxDelta: 1\.0e-6, /);
    expect(applyForm("", { paper: true })).toBe("variants: [sound, paper]\n");
  });

  it.each([
    ["the sample", sample],
    ["blocks", blocks],
    ["nothing", ""],
    ["one line", "{ minimumSites: 4, perStudy: { delta: 1.0e-5 } }\n"],
  ])("reads back what was set in %s", (_, text) => {
    const comments = (of: string) => of.split("\n").filter((line) => line.startsWith("#"));
    fc.assert(
      fc.property(fc.array(change, { maxLength: 4 }), (changes) => {
        let edited = text;
        for (const one of changes) {
          const before = readForm(edited)!;
          const next = applyForm(edited, one);
          expect(next).not.toBeNull();
          edited = next!;
          const asked = { ...before, ...one };
          const isAutomatic = asked.approval === "automatic";
          const wanted = {
            ...asked,
            perStudyEpsilon: asked.perStudyEpsilon ?? (isAutomatic ? 1 : null),
            perStudyDelta: asked.perStudyDelta ?? (isAutomatic ? 1e-6 : null),
          };
          const { maxEpsilon, maxDelta, ...others } = readForm(edited)!;
          const { maxEpsilon: wantedEpsilon, maxDelta: wantedDelta, ...wantedOthers } = wanted;
          expect(others).toEqual(wantedOthers);
          if (wanted.approval === "limited")
            expect([maxEpsilon, maxDelta]).toEqual([wantedEpsilon, wantedDelta]);
        }
        expect(comments(edited)).toEqual(comments(text));
      }),
      { numRuns: 40 },
    );
  });
});

describe("a value set in a YAML text", () => {
  it("is one line that YAML reads back", () => {
    const plain = fc.letrec((tie) => ({
      value: fc.oneof(
        fc.string(),
        fc
          .double({ noNaN: true, noDefaultInfinity: true })
          .map((value) => (Object.is(value, -0) ? 0 : value)),
        fc.boolean(),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.string({ minLength: 1 }), tie("value"), { maxKeys: 3 }),
      ),
    })).value as fc.Arbitrary<Parameters<typeof inline>[0]>;
    fc.assert(
      fc.property(plain, (value) => {
        fc.pre(!JSON.stringify(value).includes("__proto__"));
        expect(parse(inline(value))).toEqual(value);
      }),
    );
  });

  it("is refused in a text with errors, and when keys would be lost", () => {
    expect(setInYaml("a: [\n", ["b"], 1)).toBeNull();
    expect(setInYaml("- a\n", ["b"], 1)).toBeNull();
    expect(setInYaml("a: &x { b: 1 }\nc: *x\n", ["a", "b"], 2)).toBeNull();
  });

  it("removes an existing key, and does nothing for a missing one", () => {
    expect(setInYaml("a: 1\nb:\n  c: 2 # two\n  d: 3\n", ["b", "c"], undefined)).toBe("a: 1\nb:\n  d: 3\n");
    expect(setInYaml("a: 1\nb:\n  c: 2\n", ["b", "c"], undefined)).toBe("a: 1\n");
    expect(setInYaml("a: { b: 1, c: 2 }\n", ["a", "c"], undefined)).toBe("a: { b: 1 }\n");
    expect(setInYaml("a: 1\n", ["b", "c"], undefined)).toBe("a: 1\n");
  });
});
