import { type SumConversation, simulateSums } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { RandomSource } from "@consilium/core/random";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import { planStudy } from "@consilium/core/study/plan";
import type { Study } from "@consilium/core/study/study";
import { siteVector } from "./families.js";
import { onRosterOfAll } from "./rosterOfAll.js";
import { parseStudy } from "./studies.js";

/** A row of the small table: an age that may be missing, a sex that may be, and a label. */
export interface TestRow {
  readonly age: number | null;
  readonly sex: "f" | "m" | null;
  readonly ill: 0 | 1;
}

const sexes = ["f", "m"];

export const describeSource = {
  name: "described",
  table: "patients",
  analysis: "describe",
  method: "describe",
  features: [
    { name: "age", type: "numeric", min: 0, max: 100, unit: "years", edges: [20, 40, 60, 80] },
    { name: "sex", type: "categorical", levels: sexes },
  ],
  label: { name: "ill", levels: ["no", "yes"] },
  privacy: { epsilon: 1, delta: 1e-6 },
  participation: { sites: ["site-001", "site-002", "site-003"], maxRowsPerSite: 10_000 },
};

/** A study of the small table, of whichever method. */
export function tableStudy<S extends Study>(
  as: (study: Study) => S,
  change: Record<string, unknown> = {},
): S {
  return as(unwrap(parseStudy({ ...describeSource, ...change })) as Study);
}

export function tableBlock(rows: readonly TestRow[]): ColumnBlock {
  return {
    rows: rows.length,
    columns: [
      Float64Array.from(rows, ({ age }) => age ?? Number.NaN),
      Float64Array.from(rows, ({ sex }) => (sex === null ? 2 : sexes.indexOf(sex))),
    ],
    labels: Uint16Array.from(rows, ({ ill }) => ill),
  };
}

/** A method with all sites in one process, as `simulateSums`. @param tables - per site, its blocks of rows */
export function simulated<S extends Study, R>(
  study: S,
  tables: readonly (readonly ColumnBlock[])[],
  random: RandomSource,
  run: (options: { readonly study: S; readonly conversation: SumConversation }) => Promise<R>,
): Promise<R> {
  const own = onRosterOfAll(study, tables);
  return simulateSums({
    plan: planStudy(own),
    tables,
    kernels: plainKernels(),
    random,
    vector: (stage, input) => siteVector(own, stage, input),
    run: (conversation) => run({ study: own, conversation }),
  });
}

export const noRandom: RandomSource = {
  bytes: () => {
    throw new Error("nothing is drawn");
  },
};
