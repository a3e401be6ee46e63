import type { ShownTree } from "@consilium/core/release/shownFigures";
import { describe, expect, it } from "vitest";
import { everyNode, layOutTree } from "./treeLayout";

type Node = ShownTree["nodes"][number];

const leaf: Node = { kind: "leaf", leansTo: "a", values: [1], cover: 1 };
const asks = (yes: number, no: number): Node => ({
  kind: "question",
  column: "c",
  condition: "< 1",
  cover: 2,
  yes,
  no,
});
/** The root's `no` asks again. */
const nodes: readonly Node[] = [asks(1, 2), leaf, asks(3, 4), leaf, leaf];

describe("layOutTree", () => {
  it("stands leaves side by side and each question over the middle of its answers", () => {
    const placed = everyNode(layOutTree(nodes, 9));
    expect(placed.map(({ index, x, level }) => [index, x, level])).toEqual([
      [0, 0.75, 0],
      [1, 0, 1],
      [2, 1.5, 1],
      [3, 1, 2],
      [4, 2, 2],
    ]);
  });

  it("ends at the deepest level that is drawn", () => {
    expect(everyNode(layOutTree(nodes, 1)).map(({ index }) => index)).toEqual([0, 1, 2]);
  });
});
