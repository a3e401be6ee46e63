import { allMethods } from "@consilium/methods-paper/all";

import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { withMethod } from "./changeMethod";
import { methodOf, studySpec } from "./schemaFields";
import { startingParameters, templates } from "./templates";

const { methods } = studySpec(allMethods.jsonSchema());
const faultsOf = (text: string) => {
  const parsed = allMethods.parse(parse(text));
  return parsed.ok ? [] : parsed.error.issues.map(({ path }) => path);
};

describe("templates", () => {
  it("are valid studies, one for each method in the schema except the yardsticks", () => {
    expect(templates.flatMap(({ text }) => faultsOf(text))).toEqual([]);
    const missing = methods.filter(({ method }) => !templates.some((one) => one.method === method));
    expect(missing.map(({ method }) => method)).toEqual(["fple", "fwell", "fwell-en"]);
  });
});

describe("withMethod", () => {
  it("switches methods without leaving errors in the parameters", () => {
    for (const { text } of templates.filter(({ method }) => method === "felp" || method === "xgb-ka")) {
      const { features, ...study } = parse(text) as Record<string, unknown[]>;
      const from = stringify({ ...study, features: features?.slice(0, 3) });
      for (const next of methods) {
        const changed = withMethod(from, next, { methods, starting: startingParameters(next) });
        expect(methodOf(methods, parse(changed) as Record<string, unknown>)).toBe(next);
        const faults = faultsOf(changed).filter((path) =>
          /^(parameters|analysis|method|variant)\b/.test(path),
        );
        // People correct what depends on the file's columns and classes: everything else is filled in.
        expect(
          faults.filter(
            (path) =>
              !/^parameters\.(components|centre|select|depth|featuresPerNode|evaluation|event)/.test(path),
          ),
        ).toEqual([]);
      }
    }
  });

  it("keeps comments and common parameters", () => {
    const felp = methods.find(({ method }) => method === "felp-s")!;
    const from = templates.find(({ method }) => method === "felp-a")!;
    const changed = withMethod(from.text, felp, { methods, starting: startingParameters(felp) });
    expect((parse(changed) as { parameters: { select: number } }).parameters.select).toBe(3);
    expect(changed).toContain("# Bounds are declared and public");
  });
});
