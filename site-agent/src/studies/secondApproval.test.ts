import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sha256, StudyId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { planStudy } from "@consilium/core/study/plan";
import { planHash } from "@consilium/core/study/planFacts";
import { parseStudy } from "@consilium/methods/testing/studies";
import { openStore } from "@consilium/runtime/store/store";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { afterAll, expect, it } from "vitest";
import { unresolvedTables } from "../data/tableSources.js";
import { policySchema } from "../policy/policy.js";
import { migrations } from "../store/schema.js";
import { Approvals, type Terms } from "./approvals.js";
import { changedTerms, secondAfter } from "./secondApproval.js";
import { termsOf } from "./terms.js";

const folder = mkdtempSync(join(tmpdir(), "consilium-approvals-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const study = unwrap(
  parseStudy({
    name: "two",
    table: "visits",
    analysis: "pca",
    method: "dp-pca",
    privacy: "none",
    parameters: { components: 1 },
    participation: { minimumSites: 3, maxRowsPerSite: 1000 },
    features: ["a", "b"].map((name) => ({ name, type: "numeric", min: 0, max: 1 })),
  }),
);
const id = "two-0011223344" as StudyId;
const hash = "a".repeat(64) as Sha256;
const content = "c".repeat(64) as Sha256;
const policy = policySchema.parse({ approvals: 2 });
const tables = unresolvedTables([{ name: "visits", unit: "rows" }]);
const plan = planStudy(study);
const of = {
  study,
  hash,
  plan,
  policy: { policy, written: sha256("approvals: 2"), text: "approvals: 2" },
  tables,
};
const given = (by: string, terms: Terms) => ({ by, inPlaceOf: null, terms, at: 1 });

it("an approval is of codes, and of a policy as its hospital has written it: another version's defaults change nothing", () => {
  const approved = termsOf(of, content);
  const added = { ...policy, aLaterKey: { with: "a default" } };
  const present = termsOf({ ...of, policy: { ...of.policy, policy: added } }, content);
  expect(changedTerms(approved, present, added)).toEqual([]);
  const written = sha256("approvals: 2, and more");
  const other = termsOf({ ...of, policy: { ...of.policy, written } }, content);
  expect(changedTerms(approved, other, policy)).toEqual(["policy"]);
  expect(Object.entries(approved).flat().join("")).not.toContain(" ");
});

it("a first approval that earlier software has stored counts, as long as what it was of is the same", () => {
  const path = join(folder, "state.db");
  const declared = ["visits", tables.unit("visits"), tables.hasDeclaredColumns("visits"), undefined];
  // That software knew neither key.
  const { minimumUsable: _, publishRefusals: __, ...known } = policy;
  const early = {
    "the study's text": hash,
    "the plan": planHash(study, planStudy(study)),
    "the policy": sha256(Buffer.from(JSON.stringify(known))),
    "the table's entry in config.yaml": sha256(Buffer.from(JSON.stringify(declared))),
    "the table's content": content,
  };
  const old = openStore(path, migrations.slice(0, -5));
  const first = { by: "ada", inPlaceOf: null, at: 7, terms: early };
  old.run("INSERT INTO approvals (study, deadline_at, first) VALUES (?, 1, ?)", id, JSON.stringify(first));
  old.run("INSERT INTO approvals (study, deadline_at) VALUES ('another', 1)");
  old.close();

  const store = openStore(path, migrations);
  const approvals = new Approvals(store);
  const stored = approvals.of(id)!.first!;
  expect(stored).toMatchObject({ by: "ada", at: 7 });
  expect(approvals.of("another" as StudyId)!.first).toBeNull();
  store.close();
  const present = termsOf(of, content);
  expect(secondAfter(id, stored, given("grace", present), policy)).toEqual({ before: "ada", lapsed: "" });

  const changed = policySchema.parse({ approvals: 2, minimumRows: 1 });
  expect(secondAfter(id, stored, given("grace", present), changed)).toEqual({
    before: null,
    lapsed: "; the approval of ada does not count: the policy changed",
  });
  const moved = termsOf(of, "d".repeat(64) as Sha256);
  expect(changedTerms(stored.terms, moved, policy)).toEqual(["content"]);
});
