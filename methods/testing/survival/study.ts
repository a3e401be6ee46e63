import { simulateSums } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { RandomSource } from "@consilium/core/random";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import { type SurvivalResult, survivalConversation } from "../../survival/result.js";
import { survivalProposal } from "../../survival/site.js";
import { asSurvival, planSurvival, type SurvivalStudy } from "../../survival/study.js";
import { onRosterOfAll } from "../rosterOfAll.js";
import { parseStudy } from "../studies.js";
import { vectorOf } from "../vectors.js";

const columns: readonly [months: Record<string, unknown>, arm: Record<string, unknown>] = [
  { name: "months", type: "numeric", min: 0, max: 60, unit: "months", edges: [6, 12, 24, 36, 48] },
  { name: "arm", type: "categorical", levels: ["standard", "new"] },
];

/** For tests: a study of months to death in two arms, six intervals to the horizon of 60. */
export const survivalSource = {
  name: "survival",
  table: "patients",
  analysis: "survival",
  features: columns,
  label: { name: "status", levels: ["alive", "dead"] },
  privacy: "none",
  parameters: { event: "dead" },
  participation: { minimumSites: 3, maxRowsPerSite: 10_000 },
};

export const survivalTestStudy = (change: Record<string, unknown> = {}): SurvivalStudy =>
  asSurvival(unwrap(parseStudy({ ...survivalSource, ...change })));

export interface Followed {
  readonly months: number;
  readonly arm: 0 | 1;
  /** 1: dead. */
  readonly status: 0 | 1;
}

/** The same 240 rows as the oracle's, by a rule: /1.3 longer in the new arm, some beyond the horizon. */
export const followedRows: readonly Followed[] = Array.from({ length: 240 }, (_, i) => {
  const months = ((i * i * 7 + 13 * i) % 613) / 10;
  return i % 3 === 0
    ? { months: months * 1.3, arm: 1, status: (i * 29) % 7 < 4 ? 1 : 0 }
    : { months, arm: 0, status: (i * 29) % 7 < 4 ? 1 : 0 };
});

/** As a site's data layer hands them out: times beyond the horizon are put on it. @param arms - whether the arm is read */
export function followedBlock(rows: readonly Followed[], arms = true): ColumnBlock {
  const columns = [
    Float64Array.from(rows, ({ months }) => Math.min(60, months)),
    Float64Array.from(rows, ({ arm }) => arm),
  ];
  return {
    rows: rows.length,
    columns: arms ? columns : columns.slice(0, 1),
    labels: Uint16Array.from(rows, ({ status }) => status),
  };
}

/** All sites in this process, as `simulateSums`. @param tables - per site, its blocks of rows */
export function simulateSurvival(options: {
  readonly study: SurvivalStudy;
  readonly tables: readonly (readonly ColumnBlock[])[];
  readonly random: RandomSource;
}): Promise<SurvivalResult> {
  const study = onRosterOfAll(options.study, options.tables);
  return simulateSums({
    ...options,
    kernels: plainKernels(),
    plan: planSurvival(study),
    vector: (id, input) => vectorOf(study, id, survivalProposal(study, id), input),
    run: (conversation) => survivalConversation({ study, conversation }),
  });
}
