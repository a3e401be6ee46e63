import { levelSetFault, type Split } from "@consilium/core/learning/trees/tree";
import type { BinnedFeature } from "../columns/binning.js";
import type { LevelSplits } from "./levels.js";

/**
 * Splits by sets of levels as they are broadcast. Each node has as many numbers as the others: its feature, then words. An
 * ordered feature's first word is its cut; a nominal one's words are 32 bits each of the levels that go left, the first level
 * the lowest bit. -1 everywhere: no split.
 */

const wordBits = 32;

/** Words of a node: enough for the feature with the most levels. */
export function setWords(features: readonly BinnedFeature[]): number {
  const levels = features.map(({ kind, bins }) => (kind === "nominal" ? bins : 0));
  return Math.max(1, Math.ceil(Math.max(0, ...levels) / wordBits));
}

/** Numbers that a level of so many nodes is broadcast in. */
export function setSplitsLength(features: readonly BinnedFeature[], nodes: number): number {
  return nodes * (1 + setWords(features));
}

export function encodeSetSplits(splits: LevelSplits, features: readonly BinnedFeature[]): Float64Array {
  const words = setWords(features);
  return Float64Array.from(
    splits.flatMap((split) =>
      split === null
        ? new Array<number>(1 + words).fill(-1)
        : [split.feature, ...wordsOf(split, features[split.feature]!.kind, words)],
    ),
  );
}

function wordsOf({ cut }: Split, kind: BinnedFeature["kind"], count: number): number[] {
  const words = new Array<number>(count).fill(0);
  if (typeof cut === "number" && kind === "ordered") words[0] = cut;
  else {
    for (const level of typeof cut === "number" ? [cut] : cut)
      words[Math.floor(level / wordBits)]! += 2 ** (level % wordBits);
  }
  return words;
}

/**
 * A level's splits from a broadcast, which may come from anybody.
 * @throws RangeError when one asks for what is not there
 */
export function decodeSetSplits(values: Float64Array, features: readonly BinnedFeature[]): (Split | null)[] {
  const length = 1 + setWords(features);
  if (values.length % length !== 0)
    throw new RangeError(`a level's splits have ${values.length} numbers, expected a multiple of ${length}`);
  return Array.from({ length: values.length / length }, (_, v) => {
    const [feature, ...words] = values.subarray(v * length, (v + 1) * length);
    if (feature === -1 && words.every((word) => word === -1)) return null;
    const binned = features[feature!];
    if (binned === undefined) throw new RangeError(`node ${v} is split by no feature of the study`);
    return {
      feature: feature!,
      cut: binned.kind === "ordered" ? cutOf(v, words, binned) : setOf(v, words, binned),
    };
  });
}

function cutOf(node: number, [cut, ...rest]: readonly number[], { name, bins }: BinnedFeature): number {
  if (Number.isInteger(cut) && cut! >= 0 && cut! < bins - 1 && rest.every((word) => word === 0)) return cut!;
  throw new RangeError(`node ${node} is cut where feature "${name}" has no bin`);
}

function setOf(node: number, words: readonly number[], { name, bins }: BinnedFeature): number[] {
  const isWord = (word: number) => Number.isInteger(word) && word >= 0 && word < 2 ** wordBits;
  if (!words.every(isWord)) throw new RangeError(`node ${node} has no set of levels of feature "${name}"`);
  const levels = words.flatMap((word, w) =>
    Array.from({ length: wordBits }, (_, bit) => bit)
      .filter((bit) => Math.floor(word / 2 ** bit) % 2 === 1)
      .map((bit) => w * wordBits + bit),
  );
  const fault = levelSetFault(levels, bins);
  if (fault !== null) throw new RangeError(`node ${node}, feature "${name}": ${fault}`);
  return levels;
}
