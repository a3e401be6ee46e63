import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { ColumnBlock } from "../study/design.js";
import type { Evaluation } from "../study/evaluation.js";

/**
 * Which records are held out: a public function of the record's own features, so that adding a record moves no other
 * one between training and evaluation, and every site, stage and replay decides alike. It protects nothing.
 *
 * The label is left out of it: with it, of rows that are alike but for the label some classes would be held out whole, and
 * training would learn the other ones. So rows alike in all features stay together.
 */

/** Where the less and the more significant half of a 64-bit word lie among 32-bit words on this machine. */
const lowHalf = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 0 : 1;

/** The part of a table that a stage reads. */
export type TablePart = "training" | "held-out";

/**
 * The blocks with only the rows of one part, in their order.
 * @param seed - the study's public seed
 */
export async function* partOf(
  blocks: AsyncIterable<ColumnBlock>,
  part: TablePart,
  evaluation: Evaluation,
  seed: string,
): AsyncGenerator<ColumnBlock> {
  for await (const block of blocks) yield blockPart(block, part, evaluation, seed);
}

/** One block with only the rows of one part; all rows are training's where nothing is evaluated. */
export function blockPart(
  block: ColumnBlock,
  part: TablePart,
  evaluation: Evaluation,
  seed: string,
): ColumnBlock {
  if (evaluation === "none") return part === "training" ? block : selected(block, new Uint32Array(0));
  const held = heldOutRows(block, evaluation.heldOut, seed);
  const wanted = part === "held-out" ? 1 : 0;
  let rows = 0;
  const chosen = new Uint32Array(block.rows);
  for (let r = 0; r < block.rows; r++) if (held[r] === wanted) chosen[rows++] = r;
  return selected(block, chosen.subarray(0, rows));
}

function selected(block: ColumnBlock, chosen: Uint32Array): ColumnBlock {
  const { labels } = block;
  return {
    rows: chosen.length,
    columns: block.columns.map((column) => {
      const out = new Float64Array(chosen.length);
      for (let i = 0; i < chosen.length; i++) out[i] = column[chosen[i]!]!;
      return out;
    }),
    labels: labels === null ? null : Uint16Array.from(chosen, (row) => labels[row]!),
  };
}

/** Per row 1 where it is held out. */
export function heldOutRows(block: ColumnBlock, fraction: number, seed: string): Uint8Array {
  const hashes = rowHashes(block, seedOf(seed));
  const limit = fraction * 2 ** 32;
  return Uint8Array.from(hashes, (hash) => (hash < limit ? 1 : 0));
}

function seedOf(seed: string): number {
  return Number.parseInt(sha256("consilium held-out rows v1\n", seed).slice(0, 8), 16);
}

/**
 * MurmurHash3_x86_32 (A. Appleby, public domain) of each row: of its features' values in their order, each the eight bytes
 * of a float64, little-endian; -0 counts as 0.
 */
export function rowHashes(block: ColumnBlock, seed: number): Uint32Array {
  const hashes = new Uint32Array(block.rows).fill(seed);
  const value = new Float64Array(1);
  const words = new Uint32Array(value.buffer);
  for (const column of block.columns) {
    for (let r = 0; r < block.rows; r++) {
      value[0] = column[r]! + 0;
      hashes[r] = mixed(mixed(hashes[r]!, words[lowHalf]!), words[1 - lowHalf]!);
    }
  }
  const bytes = block.columns.length * 8;
  for (let r = 0; r < block.rows; r++) hashes[r] = finished(hashes[r]! ^ bytes);
  return hashes;
}

function mixed(hash: number, word: number): number {
  const k = Math.imul(rotated(Math.imul(word, 0xcc9e2d51), 15), 0x1b873593);
  return (Math.imul(rotated(hash ^ k, 13), 5) + 0xe6546b64) | 0;
}

function rotated(x: number, bits: number): number {
  return (x << bits) | (x >>> (32 - bits));
}

function finished(hash: number): number {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
