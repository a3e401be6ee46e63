import { openSystemKernels } from "@consilium/kernels/openSystem";
import { afterAll, describe, expect, it } from "vitest";
import { holdsItsOwn, spreadOf } from "../../bench/src/dp-pca-utility.js";
import { compareBalls, evenTable, numericTables } from "../../bench/src/dpPcaBalls.js";

/** What a private choice of dp-pca's ball is worth on real tables; `npm run bench -- dp-pca-utility --balls` has more of them. */

const kernels = await openSystemKernels();
afterAll(() => kernels.close());

describe("ball: auto", () => {
  const tables = numericTables().filter(({ train }) => train.rows.length <= 5000);

  it.each(tables)("captures no less than the declared ball on $name", async (table) => {
    for (const epsilon of [0.25, 1]) {
      const line = await compareBalls(table, epsilon, { seeds: 8, kernels });
      const [declared, chosen] = [spreadOf(line.declared).mean, spreadOf(line.private).mean];
      console.log(
        `${line.table}, ε = ${epsilon}: ${declared.toFixed(3)}, ${chosen.toFixed(3)}, ${line.auto}`,
      );
      expect(holdsItsOwn(line)).toBe(true);
      expect(chosen).toBeLessThanOrEqual(1 + 1e-9);
    }
  });

  it("captures far more of a table that is concentrated between its bounds", async () => {
    const wdbc = tables.find(({ name }) => name === "WDBC")!;
    const line = await compareBalls(wdbc, 1, { seeds: 8, kernels });
    expect(line.auto).toBe("private");
    expect(spreadOf(line.private).mean).toBeGreaterThan(spreadOf(line.declared).mean + 0.2);
  });

  it("chooses nothing where there are too few rows to choose by", async () => {
    const line = await compareBalls(evenTable(60, 8), 1, { seeds: 1, kernels });
    expect(line.auto).toBe("declared");
  });
});
