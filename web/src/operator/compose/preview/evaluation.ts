import type { ShownFigure } from "@consilium/core/release/shownFigures";
import type { Declared } from "./declared";
import { bars } from "./shapes";

/** Figures of a model that is measured on held-out rows; none where the draft holds none out. */
export function evaluationFigures({ label, parameters }: Declared): ShownFigure[] {
  if (parameters.evaluation === "none") return [];
  const levels = label?.levels ?? [];
  if (levels.length > 2)
    return [
      bars({
        name: "recall",
        title: "Recall of each class on held-out rows, with intervals of 95 %",
        valueLabel: "part of the class's rows predicted so",
        labels: levels,
        from: 0.8,
        to: 0.5,
        halfWidth: 0.06,
      }),
    ];
  const second = levels[1] ?? "yes";
  const along = Array.from({ length: 11 }, (_, i) => i / 10);
  const diagonal = {
    style: "reference" as const,
    points: [0, 1].map((x) => ({ x, y: x, low: null, high: null })),
  };
  return [
    {
      kind: "curves",
      name: "calibration",
      title: "Calibration on held-out rows, with intervals of 95 %",
      xLabel: `probability of ${second} that the model states`,
      yLabel: `part of the rows that is ${second}`,
      series: [
        {
          label: "held-out rows by range of score",
          style: "points",
          points: along.map((x) => ({ x, y: x, low: Math.max(0, x - 0.08), high: Math.min(1, x + 0.08) })),
        },
        { label: "perfect", ...diagonal },
      ],
    },
    {
      kind: "curves",
      name: "roc",
      title: "ROC curve on held-out rows",
      xLabel: `part of the other rows called ${second}`,
      yLabel: `part of the rows of ${second} called so`,
      series: [
        {
          label: "model",
          style: "line-points",
          points: along.map((x) => ({ x, y: x ** 0.35, low: null, high: null })),
        },
        { label: "by chance", ...diagonal },
      ],
    },
  ];
}
