import type { Figure, FigurePoint, FigureSeries } from "./figure.js";

/** A figure's values as a table of Markdown: a line for each series, a column for each x. */
export function markdownOf(figure: Figure, picture: string): string {
  const xs = [...new Set(figure.series.flatMap(({ points }) => points.map(({ x }) => x)))].sort(
    (a, b) => a - b,
  );
  const cells = (series: FigureSeries) =>
    xs.map((x) => {
      const point = series.points.find((one) => one.x === x);
      return point === undefined ? "" : shown(point);
    });
  const rows = figure.series.map((series) => [
    `${series.name}${series.published ? ", published" : ""}`,
    ...cells(series),
  ]);
  return [
    `## ${figure.title}`,
    "",
    `${figure.source}. ${figure.verdict}`,
    "",
    `![${figure.title}](${picture})`,
    "",
    `${figure.yLabel} by ${figure.xLabel}; ± one standard deviation over the runs.`,
    "",
    line([figure.xLabel, ...xs.map(String)]),
    line(["---", ...xs.map(() => "---:")]),
    ...rows.map(line),
    "",
  ].join("\n");
}

const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;

function shown({ y, sd }: FigurePoint): string {
  const digits = Math.abs(y) >= 100 ? 0 : Math.abs(y) >= 10 ? 1 : 3;
  return sd === undefined ? y.toFixed(digits) : `${y.toFixed(digits)} ± ${sd.toFixed(digits)}`;
}
