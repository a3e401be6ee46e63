import { unwrap } from "@consilium/core/result";
import { type Plan, planStudy } from "@consilium/core/study/plan";
import { parseStudy, type Study } from "@consilium/methods/testing/studies";
import { describe, expect, it } from "vitest";
import { unresolvedTables } from "../data/tableSources.js";
import { columnRuleOf, judge, judgeRows } from "./judge.js";
import { approvalOf, type Policy, policySchema } from "./policy.js";

const tables = unresolvedTables([
  { name: "visits", unit: "rows" },
  { name: "stays", unit: { patient: { column: "person", maxRows: 3 } } },
  { name: "cohort", omop: { files: "/cdm" } },
]);
const sound = { method: "dp-pca", variant: "sound", privacy: { epsilon: 1, delta: 1e-6 } };

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

/** A plan whose privacy is proven, as a sound method's is: what the judge reads of a plan is its claim and masking. */
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
  const study = studyOf(isProved ? { ...sound, ...change } : change);
  const judged = judge(study, planStudy(study), {
    policy: policySchema.parse(policy),
    allowNoPrivacy,
    tables,
    unanswered: () => 0,
  });
  return judged.ok ? "allowed" : `${judged.error.code} ${judged.error.message}`;
}

const both = { variants: ["sound", "paper"] };

describe("the variant", () => {
  it("is allowed each by its own switch", () => {
    for (const method of ["elfed-pca", "dpdis-pca"]) {
      expect(codeOf({ study: { method } })).toBe(
        `POLICY_VARIANT study judged: the privacy of ${method} is claimed, not proven`,
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
    const codeFor = (policy: object) => {
      const study = studyOf();
      const permissions = {
        policy: policySchema.parse(policy),
        allowNoPrivacy: false,
        tables,
        unanswered: () => 0,
      };
      const judged = judge(study, proved(planStudy(study)), permissions);
      return judged.ok ? "allowed" : `${judged.error.code} ${judged.error.message}`;
    };
    expect(codeFor({})).toBe("allowed");
    expect(codeFor({ variants: ["paper"] })).toMatch(/^POLICY_VARIANT .*is proven/);
    expect(codeOf({ proved: true })).toBe("allowed");
  });
});

describe("each rule", () => {
  it("refuses what it is for, at its limit exactly", () => {
    const rules: [code: string, broken: Record<string, unknown>, kept: Record<string, unknown>][] = [
      ["POLICY_ANALYSIS", { analyses: [] }, { analyses: ["pca"] }],
      ["POLICY_EPSILON", { perStudy: { epsilon: 0.999 } }, { perStudy: { epsilon: 1 } }],
      ["POLICY_DELTA", { perStudy: { delta: 9e-7 } }, { perStudy: { delta: 1e-6 } }],
      ["POLICY_SITES", { minimumSites: 4 }, { minimumSites: 3 }],
      ["POLICY_COLLUDING", { tolerateColluding: 2 }, { tolerateColluding: 1 }],
      ["POLICY_REQUEST", { requires: ["investigator"] }, { requires: [] }],
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

  it("refuses figures of single hospitals in sound studies, unless the policy allows them", () => {
    const sites = ["st-anna", "bern", "cuno", "dora"];
    const participation = { maxRowsPerSite: 100, sites };
    const feature = (levels: string[]) => ({ name: "clinic", type: "categorical", levels });
    const features = [{ name: "age", type: "numeric", min: 0, max: 1 }, feature(["St-Anna ", "others"])];
    const own = { ...sound, participation, features };
    const refused = /^POLICY_PER_HOSPITAL plan\.per-hospital-refused .*"hospitals":\["st-anna"\]/;
    expect(codeOf({ study: own })).toMatch(refused);
    expect(codeOf({ study: own, policy: { figures: {} } })).toMatch(refused);
    expect(codeOf({ study: own, policy: { figures: { perHospital: true } } })).toBe("allowed");
    expect(codeOf({ study: { participation, features }, policy: both })).toBe("allowed");
    const open = { ...own, participation: { maxRowsPerSite: 100 } };
    expect(codeOf({ study: open })).toBe("allowed");
    expect(codeOf({ study: open, policy: { members: { "ST-ANNA": "a".repeat(64) } } })).toMatch(
      /^POLICY_PER_HOSPITAL/,
    );
    const columns = [{ name: "clinic", type: "categorical", levels: ["bern"] }];
    const where = { ...sound, participation, columns, where: 'clinic = "bern"' };
    expect(codeOf({ study: where })).toMatch(/^POLICY_PER_HOSPITAL .*"at":\["where"\]/);
  });

  it("names what a study does not state of who wants it", () => {
    const policy = { requires: ["investigator", "contact", "ethicsVote"] };
    expect(codeOf({ proved: true, study: { request: { contact: "ada@example.org" } }, policy })).toBe(
      "POLICY_REQUEST study judged: it does not state request.investigator, request.ethicsVote, which the policy requires",
    );
    const request = { investigator: "Dr. Ada", contact: "ada@example.org", ethicsVote: "EC 7/2026" };
    expect(codeOf({ proved: true, study: { request }, policy })).toBe("allowed");
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
    // As a table's columns are found: blanks that do not show are none.
    const rule = columnRuleOf(policySchema.parse({ columns: { visits: { deny: ["bmi"] } } }), "visits");
    expect(["bmi", "bmi\u200b", "\ufeffBMI", "bmi2"].map(rule)).toEqual([false, false, false, true]);
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

describe("the columns of an OMOP table", () => {
  const omop = {
    cdm: "5.4",
    conceptSets: {
      diabetes: [{ concept: 201826 }, { concept: 4058243, excluded: true }],
      hba1c: [{ concept: 3004410 }],
    },
    index: { domain: "condition", concepts: "diabetes" },
    columns: [
      { name: "age", value: "age" },
      { name: "bmi", value: "last", domain: "measurement", concepts: "hba1c", unit: "any", days: [-1, 0] },
    ],
  };
  const code = (rule: object, table = "cohort") =>
    codeOf({ study: { table, omop }, policy: { columns: { [table]: rule } }, proved: true });

  it("are ruled by what the plan reads, whatever the study calls them", () => {
    const allow = ["age", "condition", "measurement", "201826", "3004410"];
    expect(code({ allow })).toBe("allowed");
    for (const name of allow)
      expect(code({ allow: allow.filter((one) => one !== name) })).toMatch(
        new RegExp(`^POLICY_COLUMN .*names "${name}", which`),
      );
    expect(code({ deny: ["measurement"] })).toMatch(/^POLICY_COLUMN .*names "measurement", which/);
    expect(code({ deny: ["201826"] })).toMatch(/^POLICY_COLUMN .*names "201826", which/);
    // A name of the study's own says nothing.
    expect(code({ deny: ["bmi"] })).toBe("allowed");
    expect(code({ allow: ["age", "bmi"] })).toMatch(/^POLICY_COLUMN/);
  });

  it("are those of the study where the table is a file", () => {
    expect(code({ allow: ["age", "bmi"] }, "visits")).toBe("allowed");
    expect(code({ deny: ["bmi"] }, "visits")).toMatch(/^POLICY_COLUMN .*names "bmi", which/);
  });
});

describe("the limits of epsilon", () => {
  /** Of ε = 0.5: what a study's own δ makes of it. */
  const planOf = (delta: number) => {
    const study = studyOf({ ...sound, privacy: { epsilon: 0.5, delta: 1e-6 } });
    // The schema refuses such a δ; limits do not rest on it.
    return { study, plan: planStudy({ ...study, privacy: { epsilon: 0.5, delta } }) };
  };
  const decided = (delta: number, policy: object) => {
    const { study, plan } = planOf(delta);
    const parsed = policySchema.parse(policy);
    const judged = judge(study, plan, { policy: parsed, allowNoPrivacy: false, tables, unanswered: () => 0 });
    return judged.ok ? approvalOf(parsed, plan, judged.value) : judged.error.code;
  };

  it("are those of the population's delta, not of the study's own", () => {
    const approval = { automatic: { maxEpsilon: 0.5, maxDelta: 0.9 } };
    expect(decided(1e-6, { approval })).toBe("automatic");
    expect(decided(1e-3, { approval })).toBe("person");
    expect(decided(0.5, { approval })).toBe("person");
    const perStudy = { epsilon: 1 };
    expect(decided(1e-6, { perStudy })).toBe("person");
    expect(decided(0.5, { perStudy })).toBe("POLICY_EPSILON");
    // The weakened twin: by its own word the study costs as little as the honest one.
    expect(planOf(0.5).plan.claim.epsilon).toBeLessThanOrEqual(0.5);
    const { study, plan } = planOf(0.5);
    const judged = unwrap(
      judge(study, plan, {
        policy: policySchema.parse({}),
        allowNoPrivacy: false,
        tables,
        unanswered: () => 0,
      }),
    );
    expect(judged.cost.epsilon).toBeGreaterThan(5);
    expect(judged.cost.delta).toBe(1e-6);
  });

  it("count the rho that a study sets for itself, which its exact epsilon is less than", () => {
    const ofRho = (rho?: number) => {
      const study = studyOf({
        analysis: "boosted-trees",
        method: undefined,
        variant: undefined,
        label: { name: "sick", levels: ["no", "yes"] },
        parameters: { trees: 1, depth: 1 },
        participation: { maxRowsPerSite: 10_000 },
        privacy: { epsilon: 1, delta: 1e-6, ...(rho === undefined ? {} : { rho }) },
      });
      return { study, plan: planStudy(study) };
    };
    const decidedAt = (rho: number | undefined, epsilon: number) => {
      const { study, plan } = ofRho(rho);
      const policy = policySchema.parse({ perStudy: { epsilon } });
      const judged = judge(study, plan, { policy, allowNoPrivacy: false, tables, unanswered: () => 0 });
      return judged.ok ? "allowed" : `${judged.error.code} ${judged.error.remedy}`;
    };
    const rho = 0.0278;
    expect(ofRho(rho).plan.claim.isExact).toBe(true);
    expect(ofRho(rho).plan.claim.epsilon).toBeLessThanOrEqual(1);
    expect(decidedAt(undefined, 1)).toBe("allowed");
    expect(decidedAt(rho, 1)).toMatch(/^POLICY_EPSILON leave privacy\.rho out of the study/);
    expect(decidedAt(rho, 1.2)).toBe("allowed");
  });

  it("bound the study's own delta too", () => {
    const approval = (maxDelta: number) => ({ approval: { automatic: { maxEpsilon: 10, maxDelta } } });
    expect(decided(1e-5, approval(1e-5))).toBe("automatic");
    expect(decided(1e-5, approval(9e-6))).toBe("person");
  });

  it("follow the delta that the hospital gives the population", () => {
    const approval = { automatic: { maxEpsilon: 0.5, maxDelta: 1e-3 } };
    const populations = (delta: number) => ({ default: { epsilon: 10, delta } });
    expect(decided(1e-5, { approval, populations: populations(1e-6) })).toBe("person");
    expect(decided(1e-5, { approval, populations: populations(1e-5) })).toBe("automatic");
  });
});

describe("the unit of privacy", () => {
  const stays = (patient?: object) => ({ table: "stays", ...(patient === undefined ? {} : { patient }) });
  const costOf = (study: object) => {
    const parsed = studyOf({ ...sound, ...study });
    const permissions = {
      policy: policySchema.parse({}),
      allowNoPrivacy: false,
      tables,
      unanswered: () => 0,
    };
    return unwrap(judge(parsed, planStudy(parsed), permissions)).cost;
  };

  it("is the hospital's: another patient column, or more rows of a patient, are refused", () => {
    const own = { column: "person", maxRows: 3 };
    expect(codeOf({ proved: true, study: stays(own) })).toBe("allowed");
    expect(codeOf({ proved: true, study: stays({ ...own, maxRows: 2 }) })).toBe("allowed");
    expect(codeOf({ proved: true, study: stays({ ...own, maxRows: 4 }) })).toMatch(
      /^POLICY_UNIT .*4 rows of each patient, this hospital allows 3/,
    );
    expect(codeOf({ proved: true, study: stays({ ...own, column: "visit" }) })).toMatch(
      /^POLICY_UNIT .*"visit" for the patient, and this hospital has declared another one/,
    );
    expect(codeOf({ proved: true, study: { patient: own } })).toMatch(
      /^POLICY_UNIT .*has declared no patient column for table visits/,
    );
  });

  it("that a study does not name is charged with the square of a patient's rows", () => {
    const named = costOf(stays({ column: "person", maxRows: 3 }));
    expect(named.charging).toEqual({ unit: "patient", factor: 1 });
    expect(named.epsilon).toBeLessThanOrEqual(1);
    const rows = costOf({});
    expect(rows.charging).toEqual({ unit: "row", factor: 1 });
    const unnamed = costOf(stays());
    expect(unnamed.charging).toEqual({ unit: "patient", factor: 9 });
    expect(unnamed.epsilon).toBeGreaterThan(3);
    expect(codeOf({ proved: true, study: stays(), policy: { perStudy: { epsilon: 3 } } })).toMatch(
      /^POLICY_EPSILON .* per patient at delta/,
    );
    expect(codeOf({ proved: true, study: {}, policy: { perStudy: { epsilon: 3 } } })).toBe("allowed");
  });
});

describe("a table's population", () => {
  it("must be declared where the policy declares any", () => {
    const populations = { ward: { tables: ["stays"], epsilon: 3 } };
    expect(codeOf({ proved: true, study: { table: "stays" }, policy: { populations } })).toBe("allowed");
    expect(codeOf({ proved: true, policy: { populations } })).toMatch(
      /^POLICY_POPULATION .*no population of the policy has table visits/,
    );
    const declared = { ...populations, default: { epsilon: 1 } };
    expect(codeOf({ proved: true, policy: { populations: declared } })).toBe("allowed");
  });
});

describe("who approves", () => {
  const approvalFor = (policy: object, study: Record<string, unknown>, allowNoPrivacy = true) => {
    const parsed: Policy = policySchema.parse({ ...both, ...policy });
    const judged = studyOf(study);
    const plan = planStudy(judged);
    return approvalOf(
      parsed,
      plan,
      unwrap(judge(judged, plan, { policy: parsed, allowNoPrivacy, tables, unanswered: () => 0 })),
    );
  };
  const claimed = {};
  const none = { privacy: "none" };
  const cap = { perStudy: { epsilon: 10, delta: 1e-2 } };

  it("is a person, unless the hospital says otherwise", () => {
    expect(approvalFor({}, sound)).toBe("person");
    for (const study of [claimed, none, sound]) {
      expect(approvalFor({ approval: "person" }, study)).toBe("person");
      expect(approvalFor({ approval: "automatic", ...cap }, study)).toBe("automatic");
    }
  });

  it("is a person where the configuration does not say whom an epsilon protects", () => {
    const unsaid = { ...sound, table: "elsewhere" };
    expect(approvalFor({ approval: "automatic", ...cap }, unsaid)).toBe("person");
    expect(approvalFor({ approval: { automatic: { maxEpsilon: 9, maxDelta: 0.1 } } }, unsaid)).toBe("person");
  });

  it("is a rule for what is proven and costs little", () => {
    const rule = (maxEpsilon: number, variants?: string[]) => ({
      approval: {
        automatic: { maxEpsilon, maxDelta: 1e-3, ...(variants === undefined ? {} : { variants }) },
      },
    });
    expect(approvalFor(rule(1), sound)).toBe("automatic");
    expect(approvalFor(rule(0.99), sound)).toBe("person");
    expect(approvalFor(rule(1), claimed)).toBe("person");
    expect(approvalFor(rule(1, ["paper"]), claimed)).toBe("automatic");
    expect(approvalFor(rule(1, ["paper"]), sound)).toBe("person");
    expect(approvalFor(rule(1e6, ["sound", "paper"]), none)).toBe("person");
  });
});
