import type { ShownTree } from "../shownFigures.js";
import { at, type Drawing, line, type Shape, shortNumber, text } from "./drawing.js";

type Node = ShownTree["nodes"][number];

/** What lies deeper is left to model.json. */
const levelsMost = 5;
const boxWidthLeast = 132;
const boxWidthMost = 230;
/** Of a character, about; a wide one takes more. */
const letterWidth = 7.6;
const boxHeight = 44;
const gapX = 14;
const gapY = 46;
const top = 52;

/** A node that is drawn: where, and what of it. */
interface Placed {
  /** The node's index in the figure. */
  readonly index: number;
  readonly lines: readonly string[];
  /** Middle of the box. */
  readonly x: number;
  readonly level: number;
  readonly children: readonly Placed[];
}

/** One tree of a model: its questions from the top, yes to the left, and what its leaves lean to. */
export function drawTree({ title, nodes }: ShownTree): Drawing {
  const longest = Math.max(
    ...nodes.flatMap((node) => linesOf(node, node.kind === "leaf")).map(({ length }) => length),
  );
  const boxWidth = Math.min(boxWidthMost, Math.max(boxWidthLeast, Math.ceil(longest * letterWidth) + 16));
  let leaves = 0;
  const place = (index: number, level: number): Placed => {
    const node = nodes[index]!;
    const isEnd = node.kind === "leaf" || level === levelsMost;
    const children = isEnd ? [] : [place(node.yes, level + 1), place(node.no, level + 1)];
    const x = isEnd
      ? 20 + boxWidth / 2 + leaves++ * (boxWidth + gapX)
      : (children[0]!.x + children[1]!.x) / 2;
    return { index, lines: linesOf(node, isEnd), x, level, children };
  };
  const root = place(0, 0);
  const all = everyNode(root);
  const depth = Math.max(...all.map(({ level }) => level));
  return {
    title,
    description: `A tree of ${nodes.filter(({ kind }) => kind === "question").length} questions. ${described(nodes[0]!)}`,
    width: Math.max(420, 40 + leaves * (boxWidth + gapX) - gapX),
    height: top + (depth + 1) * (boxHeight + gapY) - gapY + 20,
    marks: all.map(({ index, x, level }) => ({
      x,
      y: topOf(level) + boxHeight / 2,
      series: 0,
      point: index,
    })),
    shapes: [...all.flatMap(branches), ...all.flatMap((one) => box(one, boxWidth))],
  };
}

function everyNode(node: Placed): Placed[] {
  return [node, ...node.children.flatMap(everyNode)];
}

const topOf = (level: number) => top + level * (boxHeight + gapY);

function branches({ x, level, children }: Placed): Shape[] {
  const from = topOf(level) + boxHeight;
  return children.flatMap((child, i) => [
    line(x, from, child.x, topOf(child.level), "axis"),
    text((x + child.x) / 2 + (i === 0 ? -6 : 6), (from + topOf(child.level)) / 2, i === 0 ? "yes" : "no", {
      class: "soft",
      anchor: i === 0 ? "end" : "start",
    }),
  ]);
}

function box({ x, level, lines }: Placed, boxWidth: number): Shape[] {
  const y = topOf(level);
  return [
    {
      tag: "rect",
      attributes: {
        class: "box",
        x: at(x - boxWidth / 2),
        y: at(y),
        width: String(boxWidth),
        height: String(boxHeight),
        rx: "4",
      },
    },
    ...lines.map((shown, i) =>
      text(x, y + 18 + 17 * i, shown, { anchor: "middle", most: Math.floor((boxWidth - 12) / letterWidth) }),
    ),
  ];
}

function linesOf(node: Node, isEnd: boolean): string[] {
  if (node.kind === "leaf") {
    if (node.share !== undefined) return [node.leansTo, `${shortNumber(100 * node.share)} % of its rows`];
    const values = node.values.slice(0, 3).map(shortNumber).join(", ");
    return [node.leansTo, `adds ${values}${node.values.length > 3 ? ", …" : ""}`];
  }
  return isEnd ? [`${node.column} ${node.condition}`, "… in model.json"] : [node.column, node.condition];
}

function described(root: Node): string {
  return root.kind === "leaf"
    ? "It asks nothing."
    : `It first asks whether ${root.column} ${root.condition}.`;
}
