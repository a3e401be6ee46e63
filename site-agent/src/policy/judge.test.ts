import { unwrap } from "@consilium/core/result";
import { type Plan, planStudy } from "@consilium/core/study/plan";
import { parseStudy, type Study } from "@consilium/core/study/study";
import { describe, expect, it } from "vitest";
import { judge, judgeRows } from "./judge.js";
import { approvalOf, type Policy, policySchema } from "./policy.js";

function studyOf(change: Record<string, unknown> = {}): Study {
  return unwrap(
    parseStudy({
      name: "judged",
      table: "visits",
      analysis: "pca",
      method: "elfed-pca",
      variant: "paper",
      parameters: { components: 1 },
      privacy: { epsilon: 1, delta: 1e-5 },
      participation: { maxRowsPerSite: 100 },
      features: [
        { name: "age", type: "numeric", min: 0, max: 1 },
        { name: "bmi", type: "numeric", min: 0, max: 1 },
      ],
      ...change,
    }),
  );
}

/** A plan whose privacy is proved, as a sound method's is: what the judge reads of a plan is its claim and masking. */
function proved(plan: Plan): Plan {
  return {
    ...plan,
    masking: "pairwise",
    claim: { ...plan.claim, verdict: "proved", proof: "a test", reasons: [] },
  };
}

interface Case {
  readonly study?: Record<string, unknown>;
  readonly policy?: Record<string, unknown>;
  readonly allowNoPrivacy?: boolean;
  readonly proved?: boolean;
}

function codeOf({
  study: change,
  policy = {},
  allowNoPrivacy = false,
  proved: isProved = false,
}: Case): string {
  const study = studyOf(change);
  const plan = isProved ? proved(planStudy(study)) : planStudy(study);
  const judged = judge(study, plan, { policy: policySchema.parse(policy), allowNoPrivacy });
  return judged.ok ? "allowed" : `${judged.error.code} ${judged.error.message}`;
}

const both = { variants: ["sound", "paper"] };

describe("the variant", () => {
  it("is allowed each by its own switch", () => {
    for (const method of ["elfed-pca", "dpdis-pca"]) {
      expect(codeOf({ study: { method } })).toBe(
        `POLICY_VARIANT study judged: the privacy of ${method} is claimed, not proved`,
      );
      expect(codeOf({ study: { method, privacy: "none" } })).toBe(
        "POLICY_NO_PRIVACY study judged adds no noise anywhere",
      );
      expect(codeOf({ study: { method }, policy: both })).toBe("allowed");
      expect(codeOf({ study: { method, privacy: "none" }, allowNoPrivacy: true })).toBe("allowed");
    }
  });

  it("does not take one switch for the other", () => {
    expect(codeOf({ study: { privacy: "none" }, policy: both })).toMatch(/^POLICY_NO_PRIVACY/);
    expect(codeOf({ allowNoPrivacy: true })).toMatch(/^POLICY_VARIANT/);
  });

  it("is what the plan proves, not what the study calls itself", () => {
    expect(codeOf({ proved: true })).toBe("allowed");
    expect(codeOf({ proved: true, policy: { variants: ["paper"] } })).toMatch(/^POLICY_VARIANT .*is proved/);
  });
});

describe("each rule", () => {
  it("refuses what it is for, at its limit exactly", () => {
    const rules: [code: string, broken: Record<string, unknown>, kept: Record<string, unknown>][] = [
      ["POLICY_ANALYSIS", { analyses: [] }, { analyses: ["pca"] }],
      ["POLICY_EPSILON", { perStudy: { epsilon: 0.999 } }, { perStudy: { epsilon: 1 } }],
      ["POLICY_DELTA", { perStudy: { delta: 9e-6 } }, { perStudy: { delta: 1e-5 } }],
      ["POLICY_SITES", { minimumSites: 4 }, { minimumSites: 3 }],
      ["POLICY_COLLUDING", { tolerateColluding: 2 }, { tolerateColluding: 1 }],
      [
        "POLICY_COLUMN",
        { columns: { visits: { allow: ["age"] } } },
        { columns: { visits: { allow: ["age", "bmi"] } } },
      ],
      [
        "POLICY_COLUMN",
        { columns: { visits: { deny: ["bmi"] } } },
        { columns: { other: { deny: ["bmi"] } } },
      ],
    ];
    for (const [code, broken, kept] of rules) {
      expect(codeOf({ proved: true, policy: broken })).toMatch(new RegExp(`^${code} study judged: `));
      expect(codeOf({ proved: true, policy: kept })).toBe("allowed");
    }
  });

  it("counts the label and the patient's column among the columns that a study names", () => {
    const label = { label: { name: "died", levels: ["no", "yes"] } };
    const patient = { patient: { column: "person", maxRows: 3 } };
    expect(
      codeOf({ proved: true, study: label, policy: { columns: { visits: { deny: ["died"] } } } }),
    ).toMatch(/^POLICY_COLUMN .*"died"/);
    expect(
      codeOf({ proved: true, study: patient, policy: { columns: { visits: { deny: ["person"] } } } }),
    ).toMatch(/^POLICY_COLUMN .*"person"/);
  });

  it("denies a column in whatever capitals it is written, and allows it only as it is", () => {
    expect(codeOf({ proved: true, policy: { columns: { visits: { deny: [" BMI "] } } } })).toMatch(
      /^POLICY_COLUMN/,
    );
    expect(codeOf({ proved: true, policy: { columns: { visits: { allow: ["Age", "bmi"] } } } })).toMatch(
      /^POLICY_COLUMN .*names "age", which/,
    );
  });

  it("takes no table's name for a property that every object has", () => {
    expect(codeOf({ proved: true, study: { table: "constructor" } })).toBe("allowed");
    expect(codeOf({ proved: true, study: { table: "toString" } })).toBe("allowed");
  });

  it("knows that dealt masks withstand nobody", () => {
    expect(codeOf({ policy: { ...both, tolerateColluding: 1 } })).toMatch(
      /withstands 0 colluding sites \(one site deals/,
    );
    expect(codeOf({ policy: both })).toBe("allowed");
  });

  it("judges the rows once they are known", () => {
    const policy = policySchema.parse({ minimumRows: 50 });
    expect(judgeRows(studyOf(), 50, policy).ok).toBe(true);
    const few = judgeRows(studyOf(), 49, policy);
    expect(few.ok ? "" : few.error.describe()).toContain(
      "can use 49 rows of this hospital, the policy asks for at least 50",
    );
    expect(judgeRows(studyOf(), 0, policySchema.parse({})).ok).toBe(true);
  });
});

describe("who approves", () => {
  const policyOf = (approval: unknown): Policy => policySchema.parse({ approval });
  const claimed = planStudy(studyOf());
  const none = planStudy(studyOf({ privacy: "none" }));

  it("is a person, unless the hospital says otherwise", () => {
    expect(approvalOf(policySchema.parse({}), proved(claimed))).toBe("person");
    for (const plan of [claimed, none, proved(claimed)]) {
      expect(approvalOf(policyOf("person"), plan)).toBe("person");
      expect(approvalOf(policyOf("automatic"), plan)).toBe("automatic");
    }
  });

  it("is a rule for what is proved and costs little", () => {
    const rule = (maxEpsilon: number, variants?: string[]) =>
      policyOf({ automatic: { maxEpsilon, ...(variants === undefined ? {} : { variants }) } });
    expect(approvalOf(rule(1), proved(claimed))).toBe("automatic");
    expect(approvalOf(rule(0.99), proved(claimed))).toBe("person");
    expect(approvalOf(rule(1), claimed)).toBe("person");
    expect(approvalOf(rule(1, ["paper"]), claimed)).toBe("automatic");
    expect(approvalOf(rule(1, ["paper"]), proved(claimed))).toBe("person");
    expect(approvalOf(rule(1e6, ["sound", "paper"]), none)).toBe("person");
  });
});
