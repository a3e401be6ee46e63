// Histograms of binned features. Rows are taken a chunk at a time and sorted by node; then two features at a time, so
// that their columns stay in the first-level cache for all nodes, and a node's histograms for all of its rows.
import { maximumByte, maximumShort, sameShort } from "./scan";
import { addClasses, addFourPlain, addPairs, addVectors } from "./histogramLoops";

/** Rows that are sorted at a time: two columns of as many bytes, and their histograms in one node, stay in cache. */
const CHUNK: i32 = 32768;

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
  /** i32[features + 1]: where the entries of each column start. */
  firstEntries: usize;
  /** Entry[]: column by column, by ascending node. */
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

/** A node that asks for a column. */
@unmanaged
class Entry {
  node: i32;
  /** Offset of the histogram in the sums. */
  at: usize;
}

const ENTRY: usize = offsetof<Entry>();

/** Room that each worker has of its own. */
@unmanaged
class Chunk {
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
  for (let row = 0; row < rows; row += CHUNK) {
    const bad = addChunk(plan, slot, row, min(CHUNK, rows - row), sums, chunk);
    if (bad) return bad;
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

/** @returns as `histogramSlot` */
function addChunk(plan: Plan, slot: usize, row: i32, count: i32, sums: usize, chunk: Chunk): i32 {
  const bad = badColumn(plan, slot, row, count);
  if (bad >= 0) return bad + 1;
  const classes = slot + plan.classesAt + (usize(row) << 1);
  if (plan.byClass && i32(maximumShort(classes, count)) >= plan.channels) return BAD_CLASS;
  const nodes = slot + plan.nodesAt + (usize(row) << 1);
  const only = sameShort(nodes, count) ? i32(load<u16>(nodes)) : -1;
  if (only == NO_NODE) return 0;
  if (only >= plan.nodes) return BAD_NODE;
  if (only >= 0) placeAll(plan.nodes, only, count, chunk);
  else if (!sortByNode(plan.nodes, nodes, count, chunk)) return BAD_NODE;
  const kept = load<i32>(chunk.ends + (usize(plan.nodes - 1) << 2));
  const weights = orderWeights(plan, slot, row, kept, only >= 0, chunk);
  addColumns(plan, slot, row, only, sums, chunk, weights);
  return 0;
}

/** The first column with a bin that does not exist among these rows, or -1. */
function badColumn(plan: Plan, slot: usize, row: i32, count: i32): i32 {
  for (let i = 0; i < plan.features; i++) {
    const column = columnOf(plan, i);
    const bins = slot + column.at + usize(row) * usize(column.width);
    const limit = column.width == 1 ? 256 : 65536;
    if (column.bins == limit) continue;
    const largest = column.width == 1 ? i32(maximumByte(bins, count)) : i32(maximumShort(bins, count));
    if (largest >= column.bins) return i;
  }
  return -1;
}

/** What sorting gives when all rows are in one node. */
function placeAll(nodeCount: i32, only: i32, count: i32, chunk: Chunk): void {
  for (let node = 0; node < nodeCount; node++) {
    store<i32>(chunk.ends + (usize(node) << 2), node < only ? 0 : count);
  }
  for (let i = 0; i < count; i++) store<u32>(chunk.order + (usize(i) << 2), i);
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

/**
 * Adds the sorted rows to the histograms of every column, two columns of bytes at a time where a node asks for both.
 * @param only - the node that all rows are in, or -1
 */
function addColumns(
  plan: Plan, slot: usize, row: i32, only: i32, sums: usize, chunk: Chunk, weights: usize,
): void {
  const together = plan.channels == 2 || plan.byClass;
  const plain = only >= 0;
  const done = plain && plan.channels == 2 ? addFours(plan, slot, row, only, sums, chunk, weights) : 0;
  for (let i = done; i < plan.features; i++) {
    const column = columnOf(plan, i);
    const bins = slot + column.at + usize(row) * usize(column.width);
    let entry = entryOf(plan, i);
    const end = entryOf(plan, i + 1);
    if (!together || i + 1 == plan.features || column.width != 1 || columnOf(plan, i + 1).width != 1) {
      for (; entry < end; entry += ENTRY) {
        addSegment(plan, entry, bins, column.width, 0, 0, plain, sums, chunk, weights);
      }
      continue;
    }
    i++;
    const otherBins = slot + columnOf(plan, i).at + usize(row);
    let other = end;
    const otherEnd = entryOf(plan, i + 1);
    while (entry < end || other < otherEnd) {
      const node = entry < end ? changetype<Entry>(entry).node : i32.MAX_VALUE;
      const otherNode = other < otherEnd ? changetype<Entry>(other).node : i32.MAX_VALUE;
      if (node <= otherNode) {
        const both = node == otherNode;
        addSegment(plan, entry, bins, 1, both ? other : 0, otherBins, plain, sums, chunk, weights);
        entry += ENTRY;
        if (both) other += ENTRY;
      } else {
        addSegment(plan, other, otherBins, 1, 0, 0, plain, sums, chunk, weights);
        other += ENTRY;
      }
    }
  }
}

/**
 * Adds rows that are all in one node and in their own order, four columns of bytes at a time.
 * @returns how many columns that were, from the first on: it ends where four do not all serve the node by bytes
 */
function addFours(
  plan: Plan, slot: usize, row: i32, only: i32, sums: usize, chunk: Chunk, weights: usize,
): i32 {
  const count = load<i32>(chunk.ends + (usize(only) << 2));
  let i = 0;
  for (; i + 4 <= plan.features; i += 4) {
    const a = entryFor(plan, i, only), b = entryFor(plan, i + 1, only);
    const c = entryFor(plan, i + 2, only), d = entryFor(plan, i + 3, only);
    if (!(a && b && c && d)) break;
    const at = slot + usize(row);
    addFourPlain(
      at + columnOf(plan, i).at, at + columnOf(plan, i + 1).at,
      at + columnOf(plan, i + 2).at, at + columnOf(plan, i + 3).at,
      count, weights,
      sums + changetype<Entry>(a).at, sums + changetype<Entry>(b).at,
      sums + changetype<Entry>(c).at, sums + changetype<Entry>(d).at,
    );
  }
  return i;
}

/** A node's entry of a column of bytes, or 0. */
function entryFor(plan: Plan, column: i32, node: i32): usize {
  if (columnOf(plan, column).width != 1) return 0;
  const end = entryOf(plan, column + 1);
  for (let entry = entryOf(plan, column); entry < end; entry += ENTRY) {
    if (changetype<Entry>(entry).node == node) return entry;
  }
  return 0;
}

/**
 * Adds one node's rows to the histogram of an entry.
 * @param other - an entry of the same node whose column is added along, or 0
 */
function addSegment(
  plan: Plan, entry: usize, bins: usize, width: i32, other: usize, otherBins: usize,
  plain: bool, sums: usize, chunk: Chunk, weights: usize,
): void {
  const node = changetype<Entry>(entry).node;
  const ends = chunk.ends + (usize(node) << 2);
  const start = node == 0 ? 0 : load<i32>(ends - 4);
  const count = load<i32>(ends) - start;
  if (count == 0) return;
  const order = chunk.order + (usize(start) << 2);
  const target = sums + changetype<Entry>(entry).at;
  const two = other == 0 ? 0 : otherBins;
  const otherTarget = other == 0 ? 0 : sums + changetype<Entry>(other).at;
  if (plan.channels == 2) {
    const pairs = weights + (usize(start) << 4);
    addPairs(bins, width, two, order, count, plain, pairs, target, otherTarget);
  } else if (plan.byClass) {
    const own = weights + (usize(start) << 3);
    const classes = chunk.classes + (usize(start) << 2);
    addClasses(bins, width, two, order, count, own, classes, usize(plan.channels) << 3, target, otherTarget);
  } else {
    addVectors(bins, width, order, count, weights, plan.channels, target);
  }
}

// @ts-ignore: decorator
@inline
function columnOf(plan: Plan, i: i32): Column {
  return changetype<Column>(plan.columns + usize(i) * offsetof<Column>());
}

/** Where the entries of a column start; of the one after the last, where they all end. */
// @ts-ignore: decorator
@inline
function entryOf(plan: Plan, column: i32): usize {
  return plan.entries + usize(load<i32>(plan.firstEntries + (usize(column) << 2))) * ENTRY;
}
