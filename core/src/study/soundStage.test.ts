import type { HistogramQuery, Section } from "@consilium/gate/query";
import { rootOf } from "@consilium/gate/root";
import { multiplyByRoot } from "@consilium/gate/rootProduct";
import { describe, expect, it } from "vitest";
import type { StageId } from "../ids.js";
import { soundStage } from "./soundStage.js";

function stageOf(sections: readonly Section[]) {
  const query: HistogramQuery = {
    kind: "histogram",
    cells: sections.reduce((sum, { cells }) => sum + cells, 0),
    touches: sections.reduce((sum, { touches = 1 }) => sum + touches, 0),
    channels: [
      {
        least: Math.min(...sections.map(({ least = 0 }) => least)),
        most: Math.max(...sections.map(({ most }) => most)),
      },
    ],
    sections,
  };
  return soundStage({
    id: "s" as StageId,
    broadcasts: [],
    share: 1,
    query,
    integersPerUnit: 1,
    what: { code: "dp-ka.rows", params: {} },
  });
}

/** Every change that a stage lists, largest first. */
const listed = ({ changes }: ReturnType<typeof stageOf>) =>
  changes!.flatMap(({ entries, most }) => Array.from({ length: entries }, () => most)).sort((a, b) => b - a);

describe("what a record changes of a histogram's sections, entry by entry", () => {
  const run = 12;
  const rooted = { cells: 3 * run, most: 3, root: { run, exponent: 4 } };
  const signed = { cells: 5, most: 16, least: -48, touches: 2 };

  it("is as much as Δ² says, with a root and without", () => {
    for (const sections of [[rooted], [signed], [rooted, signed], [rooted, signed, rooted]]) {
      const stage = stageOf(sections);
      const squares = listed(stage).reduce((sum, most) => sum + most ** 2, 0);
      expect(squares).toBe(stage.sensitivitySquared);
    }
    expect(listed(stageOf([signed]))).toEqual([48, 48]);
    expect(stageOf([rooted, signed]).entryMost).toBe(48);
    expect(stageOf([{ ...rooted, most: 4 }, signed]).entryMost).toBe(64);
  });

  it("holds, largest by largest, of a touch of any cell of a run, and is reached at its first", () => {
    const root = rootOf(run, 4);
    const most = listed(stageOf([rooted]));
    expect(most).toHaveLength(run);
    for (let cell = 0; cell < rooted.cells; cell++)
      for (let value = 0; value <= rooted.most; value++) {
        const sums = new BigUint64Array(rooted.cells);
        sums[cell] = BigInt(value);
        multiplyByRoot(sums, root);
        const changed = Array.from(sums, Number)
          .filter((entry) => entry !== 0)
          .sort((a, b) => b - a);
        expect(changed.length).toBeLessThanOrEqual(most.length);
        expect(changed.every((entry, i) => entry <= most[i]!)).toBe(true);
        if (cell % run === 0 && value === rooted.most) expect(changed).toEqual(most);
      }
  });

  it("leaves out what a root rounds to 0", () => {
    const stage = stageOf([{ cells: 40, most: 1, root: { run: 40, exponent: 1 } }]);
    expect(listed(stage)).toEqual([2, 1, 1, 1, 1]);
    expect(stage.sensitivitySquared).toBe(4 + 4);
  });
});
