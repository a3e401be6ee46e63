import type { RandomSource } from "@consilium/core/random";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import seedrandom from "seedrandom";
import { syntheticTableConversation } from "../synthetic-table/conversation.js";
import { asSyntheticTable, type SyntheticTableStudy } from "../synthetic-table/study.js";
import { simulated } from "./describe.js";
import { parseStudy } from "./studies.js";

/** Stays in hospital: an age that may be missing, a sex that may be, a ward, and days that depend on age and ward. */

/** [age, sex, ward, days]; NaN for a missing age, 2 for a missing sex. */
export type Stay = readonly [age: number, sex: number, ward: number, days: number];

export const wards = ["surgery", "medicine", "intensive care"];
export const sexes = ["f", "m"];

export const syntheticSource = {
  name: "stays",
  table: "stays",
  analysis: "synthetic-table",
  method: "synthetic-table",
  features: [
    { name: "age", type: "numeric", min: 0, max: 100, unit: "years", edges: [20, 40, 60, 80] },
    { name: "sex", type: "categorical", levels: sexes },
    { name: "ward", type: "categorical", levels: wards, missing: "reject-row" },
    { name: "days", type: "numeric", min: 0, max: 60, edges: [1, 3, 7, 14, 30], missing: "reject-row" },
  ],
  parameters: { coarse: 4, decimals: [["age", 0]] as [string, number][] },
  privacy: { epsilon: 1, delta: 1e-6 } as unknown,
  participation: {
    sites: ["site-001", "site-002", "site-003"],
    maxRowsPerSite: 10_000,
  } as Record<string, unknown>,
};

export const syntheticStudy = (change: Record<string, unknown> = {}): SyntheticTableStudy =>
  asSyntheticTable(unwrap(parseStudy({ ...syntheticSource, ...change })));

export function drawnStays(count: number, seed: string): Stay[] {
  const uniform = seedrandom(seed);
  return Array.from({ length: count }, (): Stay => {
    const age = Math.floor(95 * Math.sqrt(uniform()));
    const ward = uniform() < 0.6 - age / 250 ? 0 : uniform() < 0.9 ? 1 : 2;
    const days = Math.min(60, -(1 + age / 20 + 6 * ward) * Math.log(1 - uniform()));
    const sex = uniform() < 0.04 ? 2 : uniform() < 0.5 ? 0 : 1;
    return [uniform() < 0.06 ? Number.NaN : age, sex, ward, days];
  });
}

export function stayBlock(stays: readonly Stay[]): ColumnBlock {
  return {
    rows: stays.length,
    columns: [0, 1, 2, 3].map((column) => Float64Array.from(stays, (stay) => stay[column]!)),
    labels: null,
  };
}

/** The study with all sites in one process. @param tables - per site, its blocks of rows */
export const simulateSynthetic = (
  study: SyntheticTableStudy,
  tables: readonly (readonly ColumnBlock[])[],
  random: RandomSource,
) => simulated(study, tables, random, syntheticTableConversation);
