import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nearestNeighbours } from "./neighbours.js";

describe("nearest neighbours", () => {
  it("are the nearest rows of the own class and of others, of those alike the first in the table", async () => {
    // Few values, so that many distances are alike.
    const row = fc.tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 2 }), fc.nat({ max: 2 }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 25 }),
        fc.integer({ min: 1, max: 3 }),
        async (rows, kept) => {
          const table = {
            rows: rows.length,
            columns: 2,
            values: Float64Array.from(rows.flatMap((row) => row.slice(0, 2))),
            labels: Uint16Array.from(rows, ([, , label]) => label),
          };
          const found = await nearestNeighbours(table, kept, async () => {});
          rows.forEach(([x, y, label], i) => {
            const byDistance = rows
              .map(([u, v], j) => ({ j, distance: (x - u) ** 2 + (y - v) ** 2 }))
              .filter(({ j }) => j !== i)
              .sort((a, b) => a.distance - b.distance || a.j - b.j);
            const few = (isHit: boolean) => {
              const nearest = byDistance
                .filter(({ j }) => (rows[j]![2] === label) === isHit)
                .map(({ j }) => j);
              return [...nearest, ...Array<number>(kept).fill(-1)].slice(0, kept);
            };
            expect([...found.hits.subarray(i * kept, (i + 1) * kept)]).toEqual(few(true));
            expect([...found.misses.subarray(i * kept, (i + 1) * kept)]).toEqual(few(false));
          });
        },
      ),
    );
  });
});
