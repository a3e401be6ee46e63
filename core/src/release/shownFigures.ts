import { z } from "zod";
import { isOneOutput } from "../learning/trees/tree.js";
import { barsFigureSchema, curvesFigureSchema, type Figure, flowFigureSchema } from "./figures.js";
import type { TreePredictor } from "./predictor.js";
import { conditionOf } from "./question.js";

/** Figures of a release as a page draws them: complete in themselves, a tree with its questions in words. */

const question = z.object({
  kind: z.literal("question"),
  column: z.string(),
  condition: z
    .string()
    .describe(
      "Of a row's value in that column, such as `< 16.2`, `is male` or `is one of a, b`: anyone who meets it goes to `yes`.",
    ),
  cover: z.number().describe("The weight of the rows that come here."),
  yes: z.int().describe("Indices into the figure's nodes."),
  no: z.int(),
});

const leaf = z.object({
  kind: z.literal("leaf"),
  leansTo: z
    .string()
    .describe("The class that the leaf leans to, or `not` and the one that it speaks against."),
  values: z.array(z.number()).describe("What a row that ends here adds to each output of the model."),
  share: z
    .number()
    .optional()
    .describe("Of a single tree of classes, the part of the class that the leaf leans to."),
  cover: z.number(),
});

const tree = z.object({
  kind: z.literal("tree"),
  name: z.string(),
  title: z.string(),
  nodes: z.array(z.discriminatedUnion("kind", [question, leaf])).describe("The root first."),
});

export const shownFigureSchema = z
  .discriminatedUnion("kind", [barsFigureSchema, curvesFigureSchema, flowFigureSchema, tree])
  .meta({ id: "ShownFigure" });
export type ShownFigure = z.output<typeof shownFigureSchema>;
export type ShownTree = z.output<typeof tree>;
type ShownNode = ShownTree["nodes"][number];

/** @param predictor - whose trees the figures picture; a figure of a tree that is not there is left out */
export function shownFigures(
  figures: readonly Figure[],
  predictor: { readonly kind: string } | null,
): ShownFigure[] {
  return figures.flatMap((figure): ShownFigure[] => {
    if (figure.kind !== "tree") return [figure];
    if (predictor === null || !isTrees(predictor) || predictor.trees[figure.tree] === undefined) return [];
    const { nodes } = predictor.trees[figure.tree]!;
    const { name, title } = figure;
    return [{ kind: "tree", name, title, nodes: nodes.map((node) => shownNode(node, predictor)) }];
  });
}

function isTrees(predictor: { readonly kind: string }): predictor is TreePredictor {
  return predictor.kind === "trees";
}

function shownNode(
  node: TreePredictor["trees"][number]["nodes"][number],
  predictor: TreePredictor,
): ShownNode {
  if (node.kind === "leaf") {
    const { values, cover } = node;
    const leaf = { kind: "leaf" as const, leansTo: leaning(values, predictor), values: [...values], cover };
    const share = predictor.link === "classes" && predictor.trees.length === 1 ? shareOf(values) : null;
    return share === null ? leaf : { ...leaf, share };
  }
  const input = predictor.inputs[node.feature]!;
  const condition = conditionOf(input, node.cut, (edge) => String(Number(edge.toPrecision(4))));
  const { cover, left, right } = node;
  return { kind: "question", column: input.name, condition, cover, yes: left, no: right };
}

/** @returns null where the values are no frequencies */
function shareOf(values: readonly number[]): number | null {
  const sum = values.reduce((all, one) => all + one, 0);
  return sum > 0 && values.every((one) => one >= 0) ? Math.max(...values) / sum : null;
}

function leaning(values: readonly number[], { link, label }: TreePredictor): string {
  // A leaf of a tree of one class of several: it speaks for that class, or against it.
  const against = link === "softmax" ? values.findIndex((value) => value < 0) : -1;
  if (against !== -1) return `not ${label.levels[against]!}`;
  const index = isOneOutput(link) ? Number(values[0]! > 0) : values.indexOf(Math.max(...values));
  return label.levels[index]!;
}
