import type { Figure } from "@consilium/core/release/figures";
import type { TreePredictor } from "@consilium/core/release/predictor";
import { conditionOf } from "@consilium/core/release/question";
import { at, line, shortNumber, svgPage, text } from "./page.js";

type TreeFigure = Extract<Figure, { kind: "tree" }>;
type Node = TreePredictor["trees"][number]["nodes"][number];

/** What lies deeper is left to model.json. */
const levelsMost = 5;
const boxWidth = 132;
const boxHeight = 44;
const gapX = 14;
const gapY = 46;
const top = 52;

/** A node that is drawn: where, and what of it. */
interface Placed {
  readonly lines: readonly string[];
  /** Middle of the box. */
  readonly x: number;
  readonly level: number;
  readonly children: readonly Placed[];
}

/** One tree of a model: its questions from the top, yes to the left, and what its leaves add. */
export function treeSvg(figure: TreeFigure, predictor: TreePredictor): string {
  const { nodes } = predictor.trees[figure.tree]!;
  let leaves = 0;
  const place = (index: number, level: number): Placed => {
    const node = nodes[index]!;
    const isEnd = node.kind === "leaf" || level === levelsMost;
    const children = isEnd ? [] : [place(node.left, level + 1), place(node.right, level + 1)];
    const x = isEnd
      ? 20 + boxWidth / 2 + leaves++ * (boxWidth + gapX)
      : (children[0]!.x + children[1]!.x) / 2;
    return { lines: linesOf(node, predictor, isEnd), x, level, children };
  };
  const root = place(0, 0);
  const all = everyNode(root);
  const depth = Math.max(...all.map(({ level }) => level));
  return svgPage({
    title: figure.title,
    description: `A tree of ${nodes.filter(({ kind }) => kind === "split").length} questions. ${described(nodes, predictor)}`,
    width: Math.max(420, 40 + leaves * (boxWidth + gapX) - gapX),
    height: top + (depth + 1) * (boxHeight + gapY) - gapY + 20,
    body: [...all.flatMap(branches), ...all.flatMap(box)],
  });
}

function everyNode(node: Placed): Placed[] {
  return [node, ...node.children.flatMap(everyNode)];
}

const topOf = (level: number) => top + level * (boxHeight + gapY);

function branches({ x, level, children }: Placed): string[] {
  const from = topOf(level) + boxHeight;
  return children.flatMap((child, i) => [
    line(x, from, child.x, topOf(child.level), "axis"),
    text((x + child.x) / 2 + (i === 0 ? -6 : 6), (from + topOf(child.level)) / 2, i === 0 ? "yes" : "no", {
      class: "soft",
      anchor: i === 0 ? "end" : "start",
    }),
  ]);
}

function box({ x, level, lines }: Placed): string[] {
  const y = topOf(level);
  return [
    `<rect class="box" x="${at(x - boxWidth / 2)}" y="${at(y)}" width="${boxWidth}" height="${boxHeight}" rx="4"/>`,
    ...lines.map((shown, i) => text(x, y + 18 + 17 * i, shown, { anchor: "middle", most: 19 })),
  ];
}

function linesOf(node: Node, predictor: TreePredictor, isEnd: boolean): string[] {
  if (node.kind === "leaf") {
    const values = node.values.slice(0, 3).map(shortNumber).join(", ");
    return [`adds ${values}${node.values.length > 3 ? ", …" : ""}`, `weight ${shortNumber(node.cover)}`];
  }
  const { name, condition } = question(node, predictor);
  return isEnd ? [`${name} ${condition}`, "… in model.json"] : [name, condition];
}

function question(
  node: Extract<Node, { kind: "split" }>,
  { inputs }: TreePredictor,
): { name: string; condition: string } {
  const input = inputs[node.feature]!;
  return { name: input.name, condition: conditionOf(input, node.cut, shortNumber) };
}

function described(nodes: readonly Node[], predictor: TreePredictor): string {
  const root = nodes[0]!;
  if (root.kind === "leaf") return "It asks nothing.";
  const { name, condition } = question(root, predictor);
  return `It first asks whether ${name} ${condition}.`;
}
