import type { ReleaseContent } from "@consilium/core/release/content";
import type { Figure } from "@consilium/core/release/figures";
import { assertNever } from "@consilium/core/result";
import { barsSvg } from "./bars.js";
import { curvesSvg } from "./curves.js";
import { treeSvg } from "./tree.js";

/**
 * A figure as an SVG document that runs nothing and loads nothing.
 * @throws RangeError for a picture of a tree where the release has no such tree
 */
export function figureSvg(figure: Figure, predictor: ReleaseContent["predictor"]): string {
  switch (figure.kind) {
    case "bars":
      return barsSvg(figure);
    case "curves":
      return curvesSvg(figure);
    case "tree":
      if (predictor?.kind !== "trees") throw new RangeError("a picture of a tree without trees");
      return treeSvg(figure, predictor);
    default:
      return assertNever(figure);
  }
}
