import type { Sha256 } from "@consilium/core/ids";
import { hidesTables } from "@consilium/core/study/hidesTables";
import { planHash, planStudy } from "@consilium/core/study/plan";
import type { Study } from "@consilium/core/study/study";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { KnownTables } from "../data/tableSources.js";
import type { Policy } from "../policy/policy.js";
import type { Terms } from "./approvals.js";

/**
 * What a person approves, as hashes. Two approvals are of one thing where all are equal: the study's text, the plan that is
 * charged, the policy that judged it, and the table with its unit and source. The table's content is among them where the
 * study is held to it, which a study that hides tables is not.
 */
export function termsOf(
  study: Study,
  hash: Sha256,
  {
    policy,
    tables,
    content,
  }: {
    readonly policy: Policy;
    readonly tables: KnownTables;
    /** Null where nobody has looked at it. */
    readonly content: Sha256 | null;
  },
): Terms {
  const { table } = study;
  const declared = [table, tables.unit(table), tables.hasDeclaredColumns(table), tables.source(table)?.cover];
  return {
    "the study's text": hash,
    "the plan": planHash(planStudy(study)),
    "the policy": sha256(Buffer.from(JSON.stringify(policy))),
    "the table's entry in config.yaml": sha256(Buffer.from(JSON.stringify(declared))),
    "the table's content": hidesTables(study) ? null : content,
  };
}
