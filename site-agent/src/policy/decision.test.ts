import { unwrap } from "@consilium/core/result";
import { type Plan, planStudy } from "@consilium/core/study/plan";
import { parseStudy } from "@consilium/methods/testing/studies";
import { describe, expect, it } from "vitest";
import { unresolvedTables } from "../data/tableSources.js";
import { decisionOn } from "./decision.js";
import { policySchema } from "./policy.js";

const study = unwrap(
  parseStudy({
    name: "vitals",
    table: "visits",
    analysis: "pca",
    method: "dp-pca",
    variant: "sound",
    parameters: { components: 2 },
    privacy: { epsilon: 0.5, delta: 1e-6 },
    participation: { maxRowsPerSite: 1000, minimumSites: 4, tolerateColluding: 2 },
    features: [
      { name: "age", type: "numeric", min: 0, max: 120 },
      { name: "bmi", type: "numeric", min: 10, max: 60 },
    ],
  }),
);
const plan = planStudy(study);
const tables = unresolvedTables([{ name: "visits", unit: "rows" }]);
const with_ = (claim: Partial<Plan["claim"]>): Plan => ({ ...plan, claim: { ...plan.claim, ...claim } });
const decided = (policy: unknown, of: Plan = plan, allowNoPrivacy = false) =>
  decisionOn(study, of, { policy: policySchema.parse(policy), allowNoPrivacy, tables, unanswered: () => 0 });

describe("which rule decides on a study", () => {
  it.each([
    [{ analyses: ["boosted-trees"] }, "analyses", "POLICY_ANALYSIS"],
    [{ variants: ["paper"] }, "variants", "POLICY_VARIANT"],
    [{ columns: { visits: { deny: ["bmi"] } } }, "columns.visits", "POLICY_COLUMN"],
    [{ perStudy: { epsilon: 0.1 } }, "perStudy.epsilon", "POLICY_EPSILON"],
    [{ perStudy: { delta: 1e-9 } }, "perStudy.delta", "POLICY_DELTA"],
    [{ minimumSites: 5 }, "minimumSites", "POLICY_SITES"],
    [{ tolerateColluding: 3 }, "tolerateColluding", "POLICY_COLLUDING"],
    [{ requires: ["retention"] }, "requires", "POLICY_REQUEST"],
  ])("of %j is %s", (policy, rule, code) => {
    expect(decided(policy)).toMatchObject({ outcome: "refused", rule, code });
  });

  it("says what was asked, what is allowed, and what to change", () => {
    const { words } = decided({ perStudy: { epsilon: 0.1 } });
    expect(words).toMatch(
      /^Study vitals: it costs epsilon .*, the policy allows epsilon 0\.1 for one study\. .*\.$/,
    );
  });

  it("is config.yaml's alone for a study without privacy", () => {
    const none = with_({ verdict: "no privacy", epsilon: null, delta: null });
    expect(decided({}, none)).toMatchObject({ outcome: "refused", rule: "allowNoPrivacy of config.yaml" });
    expect(decided({}, none, true)).toMatchObject({ outcome: "person", rule: "approval" });
    const automatic = { approval: { automatic: { maxEpsilon: 1, maxDelta: 1e-6 } } };
    const decision = decided(automatic, none, true);
    expect(decision).toMatchObject({ outcome: "person", rule: "approval.automatic" });
    expect(decision.words).toContain("no privacy at all");
  });

  it("is who approves, once all others hold, and says why it is a person", () => {
    expect(decided({})).toMatchObject({ outcome: "person", rule: "approval", code: null });
    expect(decided({ approval: "automatic", perStudy: { epsilon: 1, delta: 1e-6 } })).toMatchObject({
      outcome: "automatic",
      rule: "approval",
    });
    const rule = (maxEpsilon: number, variants: string[]) => ({
      variants: ["sound", "paper"],
      approval: { automatic: { maxEpsilon, maxDelta: 1e-6, variants } },
    });
    expect(decided(rule(1, ["sound"]))).toMatchObject({ outcome: "automatic", rule: "approval.automatic" });
    const dear = decided(rule(0.1, ["sound"]));
    expect(dear.outcome).toBe("person");
    expect(dear.words).toMatch(/This one costs epsilon 0\.5 per row at delta 0\.000001\. A person decides\./);
    const claimed = with_({ verdict: "claimed by the authors, not verified" });
    expect(decided(rule(1, ["sound"]), claimed).words).toContain("claimed by the method's authors");
    expect(decided(rule(1, ["paper"])).words).toContain("is proven");
  });

  it("is a person for a table whose unit nobody has declared, and says what to write", () => {
    const policy = policySchema.parse({ approval: { automatic: { maxEpsilon: 1, maxDelta: 1e-6 } } });
    const decidedWith = (known: typeof tables) =>
      decisionOn(study, plan, { policy, allowNoPrivacy: false, tables: known, unanswered: () => 0 });
    expect(decidedWith(tables).outcome).toBe("automatic");
    const unsaid = decidedWith(unresolvedTables([{ name: "visits" }]));
    expect(unsaid).toMatchObject({ outcome: "person", rule: "tables.visits.unit of config.yaml" });
    expect(unsaid.words).toContain("Write unit: rows, or unit: {patient:");
  });

  it("is a person after too many studies of its population without an answer, and says so by a code", () => {
    const policy = policySchema.parse({ approval: { automatic: { maxEpsilon: 1, maxDelta: 1e-6 } } });
    const after = (studies: number) =>
      decisionOn(study, plan, { policy, allowNoPrivacy: false, tables, unanswered: () => studies });
    expect(after(9).outcome).toBe("automatic");
    expect(after(10)).toMatchObject({
      outcome: "person",
      rule: "maxUnanswered",
      words: 'study.unanswered {"max":10,"population":"default","studies":10}',
    });
  });

  it("is the configuration's or the populations', where these refuse", () => {
    const own = { ...study, patient: { column: "person", maxRows: 2 } };
    const permissions = { allowNoPrivacy: false, tables, unanswered: () => 0 };
    expect(decisionOn(own, planStudy(own), { ...permissions, policy: policySchema.parse({}) })).toMatchObject(
      { rule: "tables.visits.unit of config.yaml", code: "POLICY_UNIT" },
    );
    expect(decided({ populations: { ward: { tables: ["stays"], epsilon: 1 } } })).toMatchObject({
      rule: "populations",
      code: "POLICY_POPULATION",
    });
  });
});
