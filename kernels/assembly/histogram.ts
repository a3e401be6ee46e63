// Histograms of binned features. Rows are taken a chunk at a time, sorted by node, so that one histogram of one
// node stays in the first-level cache while a feature's rows are added to it, two features at a time.
import { maximumByte, maximumShort, sameShort } from "./scan";
import { addClasses, addPairs, addVectors } from "./histogramLoops";

/** Rows that are sorted at a time; a column of as many bytes stays in the first-level cache. */
const CHUNK: i32 = 16384;

const NO_NODE: i32 = 0xffff;
const BAD_NODE: i32 = -1;
const BAD_CLASS: i32 = -2;

/** What a slot of rows looks like and where its sums go; written by the caller. */
@unmanaged
class Plan {
  /** Entries of `columns`. */
  features: i32;
  nodes: i32;
  channels: i32;
  /** 1 for one weight in the channel of a class, 0 for a weight in every channel. */
  byClass: i32;
  /** Column[features]. */
  columns: usize;
  /** i32[nodes + 1]: where the entries of each node start. */
  firstEntries: usize;
  /** Entry[]. */
  entries: usize;
  /** Offsets in a slot: u16 nodes, f64 weights, u16 classes. */
  nodesAt: usize;
  weightsAt: usize;
  classesAt: usize;
  /** Bytes of all histograms. */
  bytes: usize;
}

@unmanaged
class Column {
  /** Offset in a slot. */
  at: usize;
  bins: i32;
  /** Bytes of a bin: 1 or 2. */
  width: i32;
}

@unmanaged
class Entry {
  column: i32;
  /** Offset of the histogram in the sums. */
  at: usize;
}

/** Room that each worker has of its own; written by `sortChunk`. */
@unmanaged
export class Chunk {
  /** i32[nodes + 1]: after sorting, the end of each node's rows. */
  ends: usize;
  /** u32[CHUNK]: row in the chunk. */
  order: usize;
  /** In this order: [g, h] pairs, or f64 weights beside the u32 offsets of their classes. */
  weights: usize;
  classes: usize;
}

/**
 * Adds a slot of rows to the sums.
 * @param first - the sums are set to zero before
 * @returns 0; or, with the sums useless, 1 + the column with a bin that does not exist, or BAD_NODE or BAD_CLASS
 */
export function histogramSlot(plan: Plan, slot: usize, rows: i32, sums: usize, chunk: Chunk, first: bool): i32 {
  if (first) memory.fill(sums, 0, plan.bytes);
  const bad = badColumn(plan, slot, rows);
  if (bad >= 0) return bad + 1;
  if (plan.byClass && i32(maximumShort(slot + plan.classesAt, rows)) >= plan.channels) return BAD_CLASS;
  for (let row = 0; row < rows; row += CHUNK) {
    const count = min(CHUNK, rows - row);
    if (!addChunk(plan, slot, row, count, sums, chunk)) return BAD_NODE;
  }
  return 0;
}

/** Sums `lanes` that lie one after another into the first. */
export function histogramFold(sums: usize, lanes: i32, length: i32): void {
  const bytes = usize(length) << 3;
  for (let lane = 1; lane < lanes; lane++) {
    const other = sums + usize(lane) * bytes;
    for (let at: usize = 0; at < bytes; at += 8) {
      store<f64>(sums + at, load<f64>(sums + at) + load<f64>(other + at));
    }
  }
}

/** The first column with a bin that does not exist, or -1. */
function badColumn(plan: Plan, slot: usize, rows: i32): i32 {
  if (rows == 0) return -1;
  for (let i = 0; i < plan.features; i++) {
    const column = columnOf(plan, i);
    const start = slot + column.at;
    const limit = column.width == 1 ? 256 : 65536;
    if (column.bins == limit) continue;
    const largest = column.width == 1 ? i32(maximumByte(start, rows)) : i32(maximumShort(start, rows));
    if (largest >= column.bins) return i;
  }
  return -1;
}

/** @returns false if a node does not exist */
function addChunk(plan: Plan, slot: usize, row: i32, count: i32, sums: usize, chunk: Chunk): bool {
  const nodes = slot + plan.nodesAt + (usize(row) << 1);
  const only = sameShort(nodes, count) ? i32(load<u16>(nodes)) : -1;
  if (only == NO_NODE) return true;
  if (only >= plan.nodes) return false;
  if (only < 0) {
    if (!sortByNode(plan.nodes, nodes, count, chunk)) return false;
  } else {
    for (let i = 0; i < count; i++) store<u32>(chunk.order + (usize(i) << 2), i);
  }
  const kept = only < 0 ? load<i32>(chunk.ends + (usize(plan.nodes - 1) << 2)) : count;
  const weights = orderWeights(plan, slot, row, kept, only >= 0, chunk);
  if (only >= 0) {
    addSegment(plan, slot, row, only, 0, count, true, sums, chunk, weights);
    return true;
  }
  let start = 0;
  for (let node = 0; node < plan.nodes; node++) {
    const end = load<i32>(chunk.ends + (usize(node) << 2));
    if (end > start) addSegment(plan, slot, row, node, start, end - start, false, sums, chunk, weights);
    start = end;
  }
  return true;
}

/** Counting sort, stable; rows of no node are left out. @returns false if a node does not exist */
function sortByNode(nodeCount: i32, nodes: usize, count: i32, chunk: Chunk): bool {
  const ends = chunk.ends;
  memory.fill(ends, 0, usize(nodeCount + 1) << 2);
  for (let i = 0; i < count; i++) {
    const node = i32(load<u16>(nodes + (usize(i) << 1)));
    if (node == NO_NODE) continue;
    if (node >= nodeCount) return false;
    const at = ends + (usize(node + 1) << 2);
    store<i32>(at, load<i32>(at) + 1);
  }
  for (let node = 1; node <= nodeCount; node++) {
    const at = ends + (usize(node) << 2);
    store<i32>(at, load<i32>(at) + load<i32>(at - 4));
  }
  for (let i = 0; i < count; i++) {
    const node = load<u16>(nodes + (usize(i) << 1));
    if (i32(node) == NO_NODE) continue;
    const at = ends + (usize(node) << 2);
    const place = load<u32>(at);
    store<u32>(at, place + 1);
    store<u32>(chunk.order + (usize(place) << 2), i);
  }
  return true;
}

/**
 * Weights in the order of the sorted rows. One weight for two classes becomes a pair; vectors of other lengths stay
 * where they are.
 * @param plain - the rows are in their own order
 * @returns where the weights are
 */
function orderWeights(plan: Plan, slot: usize, row: i32, count: i32, plain: bool, chunk: Chunk): usize {
  const order = chunk.order;
  const target = chunk.weights;
  if (!plan.byClass) {
    const source = slot + plan.weightsAt + ((usize(row) * usize(plan.channels)) << 3);
    if (plain || plan.channels != 2) return source;
    for (let i = 0; i < count; i++) {
      const from = source + (usize(load<u32>(order + (usize(i) << 2))) << 4);
      v128.store(target + (usize(i) << 4), v128.load(from));
    }
    return target;
  }
  const source = slot + plan.weightsAt + (usize(row) << 3);
  const classes = slot + plan.classesAt + (usize(row) << 1);
  for (let i = 0; i < count; i++) {
    const from = usize(load<u32>(order + (usize(i) << 2)));
    const weight = load<f64>(source + (from << 3));
    const channel = u32(load<u16>(classes + (from << 1))) << 3;
    if (plan.channels == 2) {
      const pair = target + (usize(i) << 4);
      v128.store(pair, f64x2.splat(0));
      store<f64>(pair + channel, weight);
    } else {
      store<f64>(target + (usize(i) << 3), weight);
      store<u32>(chunk.classes + (usize(i) << 2), channel);
    }
  }
  return target;
}

/** Adds `count` sorted rows, all of one node, to the histograms that the node asks for. */
function addSegment(
  plan: Plan, slot: usize, row: i32, node: i32, start: i32, count: i32, plain: bool,
  sums: usize, chunk: Chunk, weights: usize,
): void {
  const order = chunk.order + (usize(start) << 2);
  const classes = chunk.classes + (usize(start) << 2);
  const end = load<i32>(plan.firstEntries + (usize(node + 1) << 2));
  for (let i = load<i32>(plan.firstEntries + (usize(node) << 2)); i < end; i++) {
    const entry = entryOf(plan, i);
    const next = entryOf(plan, i + 1);
    const column = columnOf(plan, entry.column);
    const other = columnOf(plan, next.column);
    const bins = slot + column.at + usize(row) * usize(column.width);
    const target = sums + entry.at;
    // two byte columns share the loads of weights
    const two = i + 1 < end && column.width == 1 && other.width == 1;
    const otherBins = two ? slot + other.at + usize(row) : 0;
    const otherTarget = two ? sums + next.at : 0;
    if (plan.channels == 2) {
      const pairs = weights + (usize(start) << 4);
      addPairs(bins, column.width, otherBins, order, count, plain, pairs, target, otherTarget);
      if (two) i++;
    } else if (plan.byClass) {
      const stride = usize(plan.channels) << 3;
      const own = weights + (usize(start) << 3);
      addClasses(bins, column.width, otherBins, order, count, own, classes, stride, target, otherTarget);
      if (two) i++;
    } else {
      addVectors(bins, column.width, order, count, weights, plan.channels, target);
    }
  }
}

// @ts-ignore: decorator
@inline
function columnOf(plan: Plan, i: i32): Column {
  return changetype<Column>(plan.columns + usize(i) * offsetof<Column>());
}

// @ts-ignore: decorator
@inline
function entryOf(plan: Plan, i: i32): Entry {
  return changetype<Entry>(plan.entries + usize(i) * offsetof<Entry>());
}
