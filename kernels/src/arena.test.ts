import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arena, Regions } from "./arena.js";
import { Memory } from "./webassembly.js";

const page = 65536;

function arena(maximumPages = 64): Arena {
  return new Arena(new Memory({ initial: 1, maximum: maximumPages, shared: true }), maximumPages);
}

describe("Arena", () => {
  it("hands out aligned regions that never overlap, and reuses what was freed", () => {
    const steps = fc.array(
      fc.oneof(
        fc.record({ take: fc.integer({ min: 0, max: 5000 }) }),
        fc.record({ free: fc.nat({ max: 50 }) }),
      ),
      { maxLength: 100 },
    );
    fc.assert(
      fc.property(steps, (list) => {
        const memory = arena();
        const live: { start: number; bytes: number }[] = [];
        for (const step of list) {
          if ("take" in step) {
            const start = memory.allocate(step.take);
            expect(start % 64).toBe(0);
            expect(start).toBeGreaterThanOrEqual(page);
            for (const other of live) {
              const apart = start + step.take <= other.start || other.start + other.bytes <= start;
              expect(apart).toBe(true);
            }
            memory.doubles(start, step.take >> 3).fill(1);
            live.push({ start, bytes: step.take });
          } else if (live.length > 0) {
            memory.free(live.splice(step.free % live.length, 1)[0]!.start);
          }
        }
        for (const { start } of live) memory.free(start);
        expect(memory.takenBytes).toBe(0);
        // everything has joined again into one span from the first page on
        expect(memory.allocate(64 * page - page)).toBe(page);
      }),
    );
  });

  it("grows as far as its limit and no further, and is whole after a refusal", () => {
    const memory = arena(4);
    expect(() => memory.allocate(3 * page + 1)).toThrow(RangeError);
    const start = memory.allocate(3 * page);
    expect(() => memory.allocate(1)).toThrow(RangeError);
    memory.free(start);
    expect(memory.allocate(3 * page)).toBe(start);
  });

  it("refuses to free what it did not hand out", () => {
    const memory = arena();
    const start = memory.allocate(100);
    expect(() => memory.free(start + 64)).toThrow(RangeError);
    memory.free(start);
    expect(() => memory.free(start)).toThrow(RangeError);
  });
});

describe("Regions", () => {
  it("gives everything back when one does not fit", () => {
    const memory = arena(4);
    const regions = new Regions(memory);
    regions.take(page);
    expect(() => regions.take(4 * page)).toThrow(RangeError);
    expect(memory.takenBytes).toBe(0);
  });
});
