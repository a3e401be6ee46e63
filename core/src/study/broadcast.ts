import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { Sha256, StageId } from "../ids.js";

/** What the aggregator tells all sites at a stage: named vectors of float64; a scalar is a vector of one. */
export type Broadcast = Readonly<Record<string, Float64Array>>;

/** Everything broadcast so far, by stage. */
export type Broadcasts = ReadonlyMap<StageId, Broadcast>;

/** float64 values as little-endian bytes, as they travel and are hashed. */
export function broadcastBytes(values: Float64Array): Uint8Array {
  const bytes = new Uint8Array(values.length * 8);
  const view = new DataView(bytes.buffer);
  values.forEach((value, i) => {
    view.setFloat64(i * 8, value, true);
  });
  return bytes;
}

/** @throws RangeError unless the length is a multiple of 8 */
export function broadcastValues(bytes: Uint8Array): Float64Array {
  if (bytes.length % 8 !== 0) throw new RangeError("float64 values take eight bytes each");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float64Array.from({ length: bytes.length / 8 }, (_, i) => view.getFloat64(i * 8, true));
}

/** One broadcast vector as a task lists it. */
export interface BroadcastItem {
  readonly stage: StageId;
  readonly name: string;
  readonly length: number;
  readonly sha256: Sha256;
}

/** The hash of everything broadcast so far, in the order in which every site is told it: part of a sum's transcript. */
export function broadcastsHash(items: readonly BroadcastItem[]): Sha256 {
  const lines = items.map((item) => `${item.stage} ${item.name} ${item.length} ${item.sha256}`);
  return sha256("consilium broadcasts v1\n", lines.join("\n"));
}

/**
 * What masks are bound to in place of the broadcasts alone: the plan by which the study runs and everything broadcast so far. Sites
 * whose plans differ in a number lose each other's noise in no sum, for their masks do not cancel.
 * @param planHash - of the running plan
 */
export const boundHash = (planHash: Sha256, items: readonly BroadcastItem[]): Sha256 =>
  sha256("consilium bound v1\n", `${planHash}\n${broadcastsHash(items)}`);
