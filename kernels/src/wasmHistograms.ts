import {
  type BinColumn,
  binOutOfRange,
  checkHistogramBlock,
  classOutOfRange,
  featuresInUse,
  type HistogramAccumulator,
  type HistogramBlock,
  type HistogramLayout,
  type HistogramShape,
  histogramLayout,
  nodeOutOfRange,
} from "@consilium/core/linalg/histograms";
import { type Arena, Regions } from "./arena.js";
import { Slots, slotCount } from "./slots.js";
import type { KernelPool } from "./wasmGram.js";

/** Bytes of rows gathered before they are added: a millisecond of work or more with many features. */
const slotBytes = 4 << 20;
const slotRowsMost = 1 << 18;
const slotRowsLeast = 16;
/** The kernel sorts this many rows at a time; CHUNK there. */
const chunkRows = 32768;
/** Sums of workers beyond the first are kept apart up to this. */
const laneBytesBudget = 512 << 20;
/** What histogramSlot returns for a row that does not exist, beside 1 + the column. */
const badNode = -1;

const cacheLine = 64;

/** Where the columns of a slot start, in bytes. */
interface SlotLayout {
  readonly rows: number;
  readonly rowBytes: number;
  /** One for each feature in use. */
  readonly columns: readonly number[];
  readonly nodes: number;
  readonly weights: number;
  readonly classes: number;
  readonly bytes: number;
}

/** A slot as the calling thread fills it. */
interface SlotViews {
  readonly columns: readonly BinColumn[];
  readonly nodes: Uint16Array;
  readonly weights: Float64Array;
  readonly classes: Uint16Array;
}

/** Histograms over slots of rows. Each lane has sums of its own, and they are added up at the end. */
export class WasmHistograms implements HistogramAccumulator {
  readonly #room: HistogramRoom;
  readonly #slots: Slots;
  readonly #onEnd: () => void;
  #ended = false;

  /** @param onEnd - called once, after the room was released */
  constructor(room: HistogramRoom, onEnd: () => void) {
    this.#room = room;
    this.#onEnd = onEnd;
    this.#slots = new Slots({
      slots: room.slots,
      slotRows: room.slot.rows,
      rowBytes: room.slot.rowBytes,
      lanes: room.lanes,
      laneOf: (slotNumber) => slotNumber % room.lanes,
      run: (slot, rows, lane, first) => room.run(slot, rows, lane, first),
    });
  }

  async add(block: HistogramBlock): Promise<void> {
    this.#requireOpen();
    checkHistogramBlock(block, this.#room.shape, this.#room.used);
    return this.#slots.add(block.rows, (slot, at, from, count) =>
      this.#room.copy(block, slot, at, from, count),
    );
  }

  async finish(): Promise<Float64Array> {
    this.#requireOpen();
    this.#ended = true;
    try {
      return await this.#room.fold(await this.#slots.drain());
    } finally {
      await this.#slots.settle();
      this.#room.release();
      this.#onEnd();
    }
  }

  #requireOpen(): void {
    if (this.#ended) throw new RangeError("this accumulation has ended: start another with histograms()");
  }
}

/** The memory of one accumulation, and what the workers do with it. */
export class HistogramRoom {
  readonly slots: number;
  readonly lanes: number;
  readonly used: readonly number[];
  readonly slot: SlotLayout;
  readonly #arena: Arena;
  readonly #pool: KernelPool;
  readonly #regions: Regions;
  readonly #length: number;
  readonly #sums: number;
  readonly #plan: number;
  readonly #chunks: readonly number[];
  readonly #slotStarts: readonly number[];
  readonly #views: readonly SlotViews[];

  /** @throws RangeError if the shape is out of range, or the memory is exhausted */
  constructor(
    readonly shape: HistogramShape,
    arena: Arena,
    pool: KernelPool,
  ) {
    const layout = histogramLayout(shape);
    this.#arena = arena;
    this.#pool = pool;
    this.#regions = new Regions(arena);
    this.#length = layout.length;
    this.used = featuresInUse(layout);
    this.slots = slotCount(pool.size);
    const laneBytes = 8 * layout.length;
    this.lanes = Math.max(1, Math.min(pool.size, Math.floor(laneBytesBudget / Math.max(1, laneBytes))));
    this.slot = slotLayout(shape, this.used);
    this.#sums = this.#regions.take(this.lanes * laneBytes);
    this.#slotStarts = Array.from({ length: this.slots }, () => this.#regions.take(this.slot.bytes));
    this.#views = this.#slotStarts.map((start) => this.#slotViews(start));
    this.#plan = this.#writePlan(layout);
    this.#chunks = Array.from({ length: pool.size }, () => this.#chunk());
  }

  copy(block: HistogramBlock, slot: number, at: number, from: number, count: number): void {
    const views = this.#views[slot]!;
    const end = from + count;
    for (const [i, feature] of this.used.entries()) {
      const column = block.columns[feature]!;
      // a view costs as much as copying 2,000 bytes
      views.columns[i]!.set(count === column.length ? column : column.subarray(from, end), at);
    }
    if (block.nodes === null) views.nodes.fill(0, at, at + count);
    else views.nodes.set(block.nodes.subarray(from, end), at);
    const perRow = this.#weightsPerRow();
    views.weights.set(block.weights.subarray(from * perRow, end * perRow), at * perRow);
    if (this.shape.weights === "class") views.classes.set(block.classes!.subarray(from, end), at);
  }

  /** @throws RangeError if a row's bin, node or class does not exist */
  async run(slot: number, rows: number, lane: number, first: boolean): Promise<void> {
    const start = this.#slotStarts[slot]!;
    const sums = this.#sums + lane * 8 * this.#length;
    const bad = await this.#pool.call("histogramSlot", (worker) => [
      this.#plan,
      start,
      rows,
      sums,
      this.#chunks[worker]!,
      first ? 1 : 0,
    ]);
    if (bad === 0) return;
    const { shape } = this;
    if (bad < 0) throw bad === badNode ? nodeOutOfRange(shape.nodeCount) : classOutOfRange(shape.channels);
    const feature = this.used[bad - 1]!;
    throw binOutOfRange(feature, shape.binCounts[feature]!);
  }

  /** @param used - lanes that have sums */
  async fold(used: number): Promise<Float64Array> {
    if (used === 0) return new Float64Array(this.#length);
    if (used > 1) await this.#pool.call("histogramFold", [this.#sums, used, this.#length]);
    return this.#arena.doubles(this.#sums, this.#length).slice();
  }

  release(): void {
    this.#regions.release();
  }

  #weightsPerRow(): number {
    return this.shape.weights === "vector" ? this.shape.channels : 1;
  }

  #slotViews(start: number): SlotViews {
    const { rows, columns, nodes, weights, classes } = this.slot;
    const byClass = this.shape.weights === "class";
    return {
      columns: columns.map((at, i) =>
        binBytes(this.shape.binCounts[this.used[i]!]!) === 1
          ? this.#arena.bytes(start + at, rows)
          : this.#arena.shorts(start + at, rows),
      ),
      nodes: this.#arena.shorts(start + nodes, rows),
      weights: this.#arena.doubles(start + weights, rows * this.#weightsPerRow()),
      classes: this.#arena.shorts(start + classes, byClass ? rows : 0),
    };
  }

  /** Plan, Column, Entry of kernels/assembly/histogram.ts, field by field. */
  #writePlan(layout: HistogramLayout): number {
    const { shape, slot, used } = this;
    const columns = used.flatMap((feature, i) => {
      const bins = shape.binCounts[feature]!;
      return [slot.columns[i]!, bins, binBytes(bins)];
    });
    const entries = new Map(used.map((feature): [number, number[]] => [feature, []]));
    for (const [node, list] of layout.features.entries()) {
      for (const [i, feature] of list.entries()) {
        entries.get(feature)!.push(node, 8 * layout.starts[node]![i]!);
      }
    }
    const firstEntries = [0];
    for (const own of entries.values()) firstEntries.push(firstEntries.at(-1)! + own.length / 2);
    return this.#words([
      used.length,
      shape.nodeCount,
      shape.channels,
      shape.weights === "class" ? 1 : 0,
      this.#words(columns),
      this.#words(firstEntries),
      this.#words([...entries.values()].flat()),
      slot.nodes,
      slot.weights,
      slot.classes,
      8 * layout.length,
    ]);
  }

  /** Chunk of kernels/assembly/histogram.ts. */
  #chunk(): number {
    const { shape } = this;
    const pairs = shape.channels === 2;
    const inPlace = shape.weights === "vector" && !pairs;
    return this.#words([
      this.#regions.take(4 * (shape.nodeCount + 1)),
      this.#regions.take(4 * chunkRows),
      this.#regions.take(inPlace ? 0 : (pairs ? 16 : 8) * chunkRows),
      this.#regions.take(pairs || inPlace ? 0 : 4 * chunkRows),
    ]);
  }

  #words(values: readonly number[]): number {
    const start = this.#regions.take(4 * values.length);
    this.#arena.integers(start, values.length).set(values);
    return start;
  }
}

function binBytes(bins: number): 1 | 2 {
  return bins <= 256 ? 1 : 2;
}

function slotLayout(shape: HistogramShape, used: readonly number[]): SlotLayout {
  const widths = used.map((feature) => binBytes(shape.binCounts[feature]!));
  const byClass = shape.weights === "class";
  const weightBytes = byClass ? 8 : 8 * shape.channels;
  const classBytes = byClass ? 2 : 0;
  const rowBytes = widths.reduce<number>((sum, width) => sum + width, 2 + weightBytes + classBytes);
  const affordable = Math.min(slotRowsMost, Math.floor(slotBytes / rowBytes));
  const rows =
    affordable > chunkRows ? affordable - (affordable % chunkRows) : Math.max(slotRowsLeast, affordable);
  let bytes = 0;
  const place = (size: number): number => {
    const at = bytes;
    bytes += Math.ceil((size * rows) / cacheLine) * cacheLine;
    return at;
  };
  const columns = widths.map(place);
  const [nodes, weights, classes] = [place(2), place(weightBytes), place(classBytes)];
  return { rows, rowBytes, columns, nodes, weights, classes, bytes };
}
