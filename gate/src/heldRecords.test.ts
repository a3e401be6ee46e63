import { afterEach, describe, expect, it, vi } from "vitest";
import { heldRecords } from "./heldRecords.js";
import type { BlocksQuery } from "./query.js";

afterEach(() => vi.unstubAllGlobals());

const features = 20;

/** Rooms for rows that a place with so many rows takes one after the other. */
function roomsFor(rows: number, rowsMost: number): number[] {
  const rooms: number[] = [];
  const Real = Float64Array;
  class Counted extends Real {
    constructor(...given: [number]) {
      super(...given);
      if (typeof given[0] === "number" && given[0] > 0) rooms.push(given[0] / features);
    }
  }
  vi.stubGlobal("Float64Array", Counted);
  const query: Pick<BlocksQuery, "blocks" | "parts" | "rowsMost"> = { blocks: 1, parts: 1, rowsMost };
  const held = heldRecords(query as BlocksQuery, features, 7);
  for (let row = 0; row < rows; row++)
    held.add(0, { values: new Real(features).fill(row), label: 0, draw: 0 }, new Int32Array(0));
  return rooms;
}

describe("rows of a place", () => {
  it.each([1, 2, 3, 5, 50])(
    "have room for twice as many as came, and as are kept, of %i at most",
    (rowsMost) => {
      for (const rows of [1, 2, 3, 5, 17, 120])
        expect(Math.max(...roomsFor(rows, rowsMost)), `${rows}`).toBeLessThanOrEqual(
          2 * Math.min(rows, rowsMost),
        );
    },
  );

  it("have more room only when it is doubled, or all that they may have", () => {
    expect(roomsFor(10, 5)).toEqual([2, 4, 8, 10]);
    expect(roomsFor(11, 5)).toEqual([2, 4, 8, 10, 10]);
  });
});
