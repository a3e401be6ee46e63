import type { WasmMemory } from "./webassembly.js";

const pageBytes = 65536;
const alignment = 64;

interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Hands out regions of one WebAssembly memory, first fit, and takes them back. The memory grows when nothing fits and
 * never shrinks; its first page is never handed out, so that no region starts at 0.
 */
export class Arena {
  readonly #memory: WasmMemory;
  readonly #maximumBytes: number;
  /** Free spans below `#end`, by ascending start, no two adjacent. */
  #free: Span[] = [];
  #end = pageBytes;
  readonly #taken = new Map<number, number>();

  constructor(memory: WasmMemory, maximumPages: number) {
    this.#memory = memory;
    this.#maximumBytes = maximumPages * pageBytes;
  }

  /**
   * @returns the offset of `bytes` bytes, a multiple of 64; their contents are arbitrary
   * @throws RangeError if the memory cannot grow that far
   */
  allocate(bytes: number): number {
    const size = Math.max(alignment, Math.ceil(bytes / alignment) * alignment);
    const index = this.#free.findIndex((span) => span.end - span.start >= size);
    if (index >= 0) {
      const span = this.#free[index]!;
      if (span.end - span.start === size) this.#free.splice(index, 1);
      else this.#free[index] = { start: span.start + size, end: span.end };
      this.#taken.set(span.start, size);
      return span.start;
    }
    const start = this.#startOfTail();
    this.#growTo(start + size);
    if (start < this.#end) this.#free.pop();
    this.#end = start + size;
    this.#taken.set(start, size);
    return start;
  }

  /** Takes back a region that `allocate` returned. */
  free(start: number): void {
    const size = this.#taken.get(start);
    if (size === undefined) throw new RangeError(`no region starts at ${start}`);
    this.#taken.delete(start);
    const at = this.#free.findIndex((span) => span.start > start);
    const index = at < 0 ? this.#free.length : at;
    const before = this.#free[index - 1];
    const after = this.#free[index];
    const joinsBefore = before !== undefined && before.end === start;
    const joinsAfter = after !== undefined && after.start === start + size;
    const span = {
      start: joinsBefore ? before.start : start,
      end: joinsAfter ? after.end : start + size,
    };
    this.#free.splice(joinsBefore ? index - 1 : index, (joinsBefore ? 1 : 0) + (joinsAfter ? 1 : 0), span);
  }

  /** Bytes handed out and not taken back. */
  get takenBytes(): number {
    let sum = 0;
    for (const size of this.#taken.values()) sum += size;
    return sum;
  }

  /** `length` doubles at an offset. The view is valid for as long as the region is. */
  doubles(start: number, length: number): Float64Array {
    return new Float64Array(this.#memory.buffer, start, length);
  }

  /** `length` 32-bit integers at an offset. */
  integers(start: number, length: number): Int32Array {
    return new Int32Array(this.#memory.buffer, start, length);
  }

  /** `length` 16-bit integers at an offset. */
  shorts(start: number, length: number): Uint16Array {
    return new Uint16Array(this.#memory.buffer, start, length);
  }

  /** `length` bytes at an offset. */
  bytes(start: number, length: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer, start, length);
  }

  /** Where an allocation past everything else would start: in the last free span if it ends at the end. */
  #startOfTail(): number {
    const last = this.#free.at(-1);
    return last !== undefined && last.end === this.#end ? last.start : this.#end;
  }

  #growTo(end: number): void {
    if (end > this.#maximumBytes) {
      throw new RangeError(
        `the kernels would need ${end} bytes, more than the ${this.#maximumBytes} of their memory`,
      );
    }
    const missing = Math.ceil((end - this.#memory.buffer.byteLength) / pageBytes);
    if (missing > 0) this.#memory.grow(missing);
  }
}

/** Regions that are given back together; also when the memory is exhausted while they are being taken. */
export class Regions {
  readonly #arena: Arena;
  readonly #starts: number[] = [];

  constructor(arena: Arena) {
    this.#arena = arena;
  }

  take(bytes: number): number {
    try {
      const start = this.#arena.allocate(bytes);
      this.#starts.push(start);
      return start;
    } catch (error) {
      this.release();
      throw error;
    }
  }

  release(): void {
    for (const start of this.#starts.splice(0)) this.#arena.free(start);
  }
}
