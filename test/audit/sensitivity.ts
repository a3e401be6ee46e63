import { type EntryChange, noiseWeight } from "@consilium/core/study/plan";
import type { AuditedStage, Integers, SumMechanism } from "./auditedMethod.js";
import { transcriptOf } from "./noisySum.js";
import { seededRandom } from "./statistics.js";

/**
 * Sensitivity by exhaustion: every table of a few records of the domain, with every neighbour, and the distance of
 * their vectors in exact integers. Both are given the same outputs of earlier stages; otherwise what a stage adapts to
 * would hide differences, or fake them.
 */
export interface SensitivityFinding {
  readonly stage: string;
  /** Pairs of tables that differ by one record, over all outputs of earlier stages. */
  readonly pairs: number;
  /** Δ² as stated, and the largest Σ w_j·(q_j(D) - q_j(D'))² found: exact. */
  readonly stated: bigint;
  readonly largest: bigint;
  /** The same for tables in which one record is another one; the proof allows twice as much. */
  readonly largestReplaced: bigint;
  /** The smaller table of the worst pair, and the record that the larger one has beside. */
  readonly worst: { readonly table: readonly number[]; readonly record: number };
  readonly attained: boolean;
  /** Whether every record changes what the stage lists entry by entry, and no more; true where it lists nothing. */
  readonly changesHold: boolean;
}

/** Whether what was found is what the stage states. */
export function holds(finding: SensitivityFinding): boolean {
  const { stated, largest, largestReplaced, attained, changesHold } = finding;
  const reached = !attained || largest * 1024n >= stated * 1023n;
  return changesHold && largest <= stated && largestReplaced <= 4n * stated && reached;
}

/**
 * @param transcripts - how many outputs of the stages before are tried; one table's first, then others'
 * @param seed - of those outputs
 */
export async function exhaustNeighbours(
  mechanism: SumMechanism,
  options: { readonly transcripts: number; readonly seed: string },
): Promise<SensitivityFinding[]> {
  const findings: SensitivityFinding[] = [];
  for (const [index, stage] of mechanism.stages.entries()) {
    const outputs =
      index === 0 ? [[]] : await transcriptsBefore(mechanism, index, options.transcripts, options.seed);
    let finding: SensitivityFinding | null = null;
    for (const published of outputs) {
      const found = await exhaustStage(mechanism, stage, published);
      finding = finding === null ? found : merge(finding, found);
    }
    findings.push(finding!);
  }
  return findings;
}

function merge(a: SensitivityFinding, b: SensitivityFinding): SensitivityFinding {
  const larger = b.largest > a.largest ? b : a;
  const replaced = a.largestReplaced > b.largestReplaced ? a.largestReplaced : b.largestReplaced;
  return {
    ...larger,
    pairs: a.pairs + b.pairs,
    largestReplaced: replaced,
    changesHold: a.changesHold && b.changesHold,
  };
}

/** Outputs of the stages before, of the empty table and of some others, with the noise that they really have. */
async function transcriptsBefore(
  mechanism: SumMechanism,
  before: number,
  count: number,
  seed: string,
): Promise<Integers[][]> {
  const all: Integers[][] = [];
  for (let k = 0; k < count; k++) {
    const random = seededRandom(`${seed} transcript ${k}`);
    const table = Array.from(
      { length: Math.min(k, mechanism.tableRecords) },
      (_, i) => (k * 7 + i * 5) % mechanism.records,
    );
    table.sort((a, b) => a - b);
    all.push(await transcriptOf(mechanism, { table, stages: before, random }));
  }
  return all;
}

async function exhaustStage(
  mechanism: SumMechanism,
  stage: AuditedStage,
  published: readonly Integers[],
): Promise<SensitivityFinding> {
  const weight = noiseWeight(stage.noise.weights);
  const known = new Map<string, Integers>();
  const vectorOf = async (table: readonly number[]): Promise<Integers> => {
    const key = table.join(" ");
    const found = known.get(key);
    if (found !== undefined) return found;
    const vector = await stage.vector(table, published);
    known.set(key, vector);
    return vector;
  };
  let pairs = 0;
  let largest = -1n;
  let largestReplaced = 0n;
  let changesHold = true;
  const { changes } = stage.noise;
  let worst: SensitivityFinding["worst"] = { table: [], record: 0 };
  for (const table of multisets(mechanism.records, mechanism.tableRecords)) {
    const without = await vectorOf(table);
    const larger: Integers[] = [];
    for (let record = 0; record < mechanism.records; record++) {
      const withOne = await vectorOf([...table, record].sort((a, b) => a - b));
      larger.push(withOne);
      const distance = squaredDistance(without, withOne, weight);
      pairs++;
      if (changes !== undefined && !isWithin(changes, without, withOne)) changesHold = false;
      if (distance > largest) {
        largest = distance;
        worst = { table, record };
      }
    }
    // Replacing is looked at from the smallest tables on; on larger ones it is the same for sums of records.
    if (table.length > 1) continue;
    for (const [i, one] of larger.entries()) {
      for (const other of larger.slice(0, i)) {
        const distance = squaredDistance(one, other, weight);
        if (distance > largestReplaced) largestReplaced = distance;
      }
    }
  }
  const stated = BigInt(stage.noise.event.l2SensitivitySquared);
  return {
    stage: stage.id,
    pairs,
    stated,
    largest,
    largestReplaced,
    worst,
    attained: stage.attained,
    changesHold,
  };
}

/** Whether the entries that differ can be dealt to `changes`: the largest difference to the largest, and so on. */
function isWithin(changes: readonly EntryChange[], a: Integers, b: Integers): boolean {
  const found = Array.from(a, (x, j) => (x > b[j]! ? x - b[j]! : b[j]! - x)).filter((x) => x !== 0n);
  const allowed = changes.flatMap(({ entries, most }) => Array.from({ length: entries }, () => BigInt(most)));
  const descending = (x: bigint, y: bigint) => (x < y ? 1 : -1);
  found.sort(descending);
  allowed.sort(descending);
  return found.every((change, i) => change <= (allowed[i] ?? -1n));
}

/** Σ w_j·(a_j - b_j)², exactly. */
export function squaredDistance(a: Integers, b: Integers, weight: (index: number) => number): bigint {
  if (a.length !== b.length) throw new RangeError("neighbours' vectors have different lengths");
  let sum = 0n;
  for (let j = 0; j < a.length; j++) {
    const difference = a[j]! - b[j]!;
    if (difference !== 0n) sum += BigInt(weight(j)) * difference * difference;
  }
  return sum;
}

/** All multisets of at most `most` of the numbers below `records`, each in ascending order, smaller ones first. */
export function* multisets(records: number, most: number): Generator<readonly number[]> {
  let layer: (readonly number[])[] = [[]];
  for (let size = 0; ; size++) {
    yield* layer;
    if (size === most) return;
    layer = layer.flatMap((table) => {
      const from = table.at(-1) ?? 0;
      return Array.from({ length: records - from }, (_, k) => [...table, from + k]);
    });
  }
}
