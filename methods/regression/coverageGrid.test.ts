import { describe, expect, it } from "vitest";
import { coverageGrid } from "../testing/regression/cells.js";
import { coverageOf } from "../testing/regression/coverage.js";

/** A seventh of the cells each day of the week, of the whole run alone: research/regression-coverage.md has all of them. */
const tables = 200;
const today = new Date().getUTCDay();
const cells = coverageGrid().filter((_, i) => i % 7 === today);
/** Three binomial errors of so many tables. */
const room = (part: number, of: number) => 3 * Math.sqrt((part * (1 - part)) / of);

describe("intervals of every coefficient of a seventh of the grid", () => {
  it.each(cells.map((cell) => [cell.name, cell] as const))("%s", async (_, { draw, lows }) => {
    const { held, printed, wrong } = await coverageOf(draw(), { tables, seed: 5, lows });
    held.forEach((part, j) => {
      // Held, or refused where it is not.
      if (printed[j]! > 0) expect(part).toBeGreaterThanOrEqual(0.93 - room(0.93, tables));
      expect(wrong[j]!).toBeLessThanOrEqual(0.07 + room(0.07, tables));
      if (printed[j]! >= 0.2)
        expect(wrong[j]! / printed[j]!).toBeLessThanOrEqual(0.1 + room(0.1, tables * printed[j]!));
    });
  });
});
