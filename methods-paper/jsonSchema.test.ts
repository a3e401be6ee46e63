import { describe, expect, it } from "vitest";
import { allMethods } from "./all.js";

type Node = { readonly [key: string]: unknown };

/** Every method's object, whichever union it stands in. */
function branches(node: Node): Node[] {
  const union = node.oneOf ?? node.anyOf;
  return Array.isArray(union) ? (union as Node[]).flatMap(branches) : [node];
}

describe("a study's JSON Schema", () => {
  const methods = branches(allMethods.jsonSchema()).map(
    (branch) => branch.properties as Record<string, Node>,
  );

  it("has each method with its analysis and variant", () => {
    const named = methods.flatMap(({ analysis, method, variant }) =>
      [method?.enum ?? method?.const].flat().map((name) => `${analysis?.const} ${name} ${variant?.const}`),
    );
    expect(named).toHaveLength(23);
    expect(named).toContain("survival survival sound");
    expect(named).toContain("boosted-trees dp-additive sound");
    expect(named).toContain("pca dp-pca sound");
    expect(named).toContain("feature-selection fwell-en paper");
  });

  it("says what a parameter is, and what it is when left out", () => {
    const pca = methods.find(({ method }) => (method as { const?: string }).const === "dp-pca");
    const parameters = pca?.parameters?.properties as Record<string, Node>;
    expect(parameters.kappa).toMatchObject({ type: "number", default: 0.5, minimum: 0.05, maximum: 4 });
    expect(parameters.components?.description).toMatch(/dimension/);
  });
});
