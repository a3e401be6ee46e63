import type { SiteId } from "@consilium/core/ids";
import { signedNumbers } from "@consilium/core/learning/exactSums";
import { type SumConversation, simulateSums, streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { RandomSource } from "@consilium/core/random";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import { planStudy } from "@consilium/core/study/plan";
import { soundSum } from "@consilium/core/study/soundSums";
import type { Study } from "@consilium/core/study/study";
import type { WriteCells } from "@consilium/gate/contributions";
import type { OneRecord } from "@consilium/gate/record";
import { type DescribeLayout, type DescribeStudy, describeLayout } from "../describe/study.js";
import { describeProposal } from "../describe/vector.js";
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

const repeated = { bytes: (count: number) => new Uint8Array(count).fill(7) };

/** The sum of one place's records without noise, in the method's own integers. */
export async function exactSums(study: DescribeStudy, blocks: readonly ColumnBlock[]): Promise<Float64Array> {
  const { stage } = describeLayout(study);
  const vector = await siteVector(study, stage.id, {
    site: "site-001" as SiteId,
    sites: 3,
    broadcasts: new Map(),
    blocks: streamed(blocks),
    kernels: plainKernels(),
    random: noRandom,
    checks: repeated,
  });
  const { scale } = soundSum(study, stage);
  return signedNumbers(vector).map((sum) => sum / scale);
}

/** Sums of records one by one, as the gate has them: for thousands of tables. */
export class RecordSums {
  readonly #layout: DescribeLayout;
  readonly #write: WriteCells;
  readonly #sums: Float64Array;
  readonly #cells: Int32Array;
  readonly #values: Int32Array;

  constructor(study: DescribeStudy) {
    this.#layout = describeLayout(study);
    const { query, id, length } = this.#layout.stage;
    const contributor = describeProposal(study, id).contributor();
    if (query.kind !== "histogram" || contributor instanceof Promise || contributor.kind !== "histogram")
      throw new RangeError("describe asks for counts");
    this.#write = contributor.write;
    this.#sums = new Float64Array(length);
    this.#cells = new Int32Array(query.touches);
    this.#values = new Int32Array(query.touches);
  }

  add(values: readonly number[], label = 0): void {
    const record = { values: Float64Array.from(values), label } as unknown as OneRecord;
    const touched = this.#write(record, this.#cells, this.#values);
    for (let i = 0; i < touched; i++) this.#sums[this.#cells[i]!]! += this.#values[i]!;
  }

  /** With the runs of small cells under their roots, and noise. Ends the adding. */
  opened(noise: () => number): Float64Array {
    for (const sections of this.#layout.numbers) {
      if (sections === null) continue;
      const { cellsAt, root } = sections;
      for (let g = 0; g < this.#layout.groups; g++) {
        const at = cellsAt + g * root.run;
        this.#sums.set(root.sums(this.#sums.slice(at, at + root.run)), at);
      }
    }
    return this.#sums.map((sum) => sum + noise());
  }
}

export const noRandom: RandomSource = {
  bytes: () => {
    throw new Error("nothing is drawn");
  },
};
