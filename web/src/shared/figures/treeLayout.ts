import type { ShownTree } from "@consilium/core/release/shownFigures";

type Node = ShownTree["nodes"][number];

/** A node where it is drawn: leaves stand beside each other from 0, levels go down from 0. */
interface PlacedNode {
  readonly node: Node;
  readonly index: number;
  readonly x: number;
  readonly level: number;
  readonly children: readonly PlacedNode[];
}

/** @param levelsMost - what lies deeper is left out; its question is drawn as an end */
export function layOutTree(nodes: readonly Node[], levelsMost: number): PlacedNode {
  let leaves = 0;
  const place = (index: number, level: number): PlacedNode => {
    const node = nodes[index]!;
    const isEnd = node.kind === "leaf" || level === levelsMost;
    const children = isEnd ? [] : [place(node.yes, level + 1), place(node.no, level + 1)];
    const x = isEnd ? leaves++ : (children[0]!.x + children[1]!.x) / 2;
    return { node, index, x, level, children };
  };
  return place(0, 0);
}

/** A node and all below it, from the top. */
export function everyNode(placed: PlacedNode): PlacedNode[] {
  return [placed, ...placed.children.flatMap(everyNode)];
}
