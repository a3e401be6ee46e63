import { expect, it } from "vitest";
import { policyYamlLimits, studyYamlLimits, yamlExcess } from "./yamlLimits.js";

it("says what there is too much of, and how much is allowed", () => {
  expect(yamlExcess("depth", studyYamlLimits)).toBe("more than 32 levels of nesting");
  expect(yamlExcess("aliases", studyYamlLimits)).toBe("aliases are not allowed");
  expect(yamlExcess("aliases", policyYamlLimits)).toBe("more than 100 aliases");
});
