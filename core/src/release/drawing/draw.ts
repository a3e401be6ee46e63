import type { ShownFigure } from "../shownFigures.js";
import { drawBars } from "./bars.js";
import { drawCurves } from "./curves.js";
import type { Drawing, DrawingOptions } from "./drawing.js";
import { drawFlow } from "./flow.js";
import { drawTree } from "./tree.js";

export function drawFigure(figure: ShownFigure, options: DrawingOptions = {}): Drawing {
  switch (figure.kind) {
    case "bars":
      return drawBars(figure, options);
    case "curves":
      return drawCurves(figure, options);
    case "flow":
      return drawFlow(figure, options);
    case "tree":
      return drawTree(figure);
  }
}
