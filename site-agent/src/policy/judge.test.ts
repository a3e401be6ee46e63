import { unwrap } from "@consilium/core/result";
import { planStudy } from "@consilium/core/study/plan";
import { parseStudy } from "@consilium/core/study/study";
import { expect, it } from "vitest";
import { judge, type Policy } from "./judge.js";

function codeOf(privacy: unknown, policy: Policy, method = "elfed-pca"): string {
  const study = unwrap(
    parseStudy({
      name: "judged",
      table: "visits",
      analysis: "pca",
      method,
      variant: "paper",
      parameters: { components: 1 },
      privacy,
      participation: { maxRowsPerSite: 100 },
      features: [{ name: "a", type: "numeric", min: 0, max: 1 }],
    }),
  );
  const judged = judge(study, planStudy(study), policy);
  return judged.ok ? "allowed" : `${judged.error.code} ${judged.error.message}`;
}

const claimed = { epsilon: 1, delta: 1e-5 };
const neither = { allowPaperVariants: false, allowNoPrivacy: false };

it("allows what the hospital allows, each by its own switch", () => {
  for (const method of ["elfed-pca", "dpdis-pca"]) {
    expect(codeOf(claimed, neither, method)).toBe(
      `POLICY_VARIANT study judged: the privacy of ${method} is claimed, not proved`,
    );
    expect(codeOf("none", neither, method)).toBe("POLICY_NO_PRIVACY study judged adds no noise anywhere");
    expect(codeOf(claimed, { ...neither, allowPaperVariants: true }, method)).toBe("allowed");
    expect(codeOf("none", { ...neither, allowNoPrivacy: true }, method)).toBe("allowed");
  }
});

it("does not take one switch for the other", () => {
  expect(codeOf("none", { ...neither, allowPaperVariants: true })).toMatch(/^POLICY_NO_PRIVACY/);
  expect(codeOf(claimed, { ...neither, allowNoPrivacy: true })).toMatch(/^POLICY_VARIANT/);
});
