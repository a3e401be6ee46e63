import type { ShownFigure, ShownTree } from "@consilium/core/release/shownFigures";
import { type ReactNode, useCallback } from "react";
import { Chart } from "../Chart";
import { DataTable } from "../components";
import { formatNumber } from "../format";
import type { PlotMaker } from "../plotted";
import { everyNode, layOutTree } from "./treeLayout";

/** A figure of a release, with its values as a table, or a tree as nested questions. */
export function ReleaseFigure({ figure }: { readonly figure: ShownFigure }) {
  const make: PlotMaker = useCallback((plot, width) => plotOf(figure, plot, width), [figure]);
  const caption = (
    <>
      {figure.title}
      {figure.kind === "curves" && figure.series.length > 1 ? <Legend series={figure.series} /> : null}
      {figure.kind === "bars" ? <small className="unit">{figure.valueLabel}</small> : null}
    </>
  );
  return <Chart caption={caption} label={labelOf(figure)} make={make} table={tableOf(figure)} />;
}

type Plot = Parameters<PlotMaker>[0];
type Bars = Extract<ShownFigure, { kind: "bars" }>;
type Curves = Extract<ShownFigure, { kind: "curves" }>;

function plotOf(figure: ShownFigure, plot: Plot, width: number): ReturnType<PlotMaker> {
  switch (figure.kind) {
    case "bars":
      return barsPlot(figure, plot, width);
    case "curves":
      return curvesPlot(figure, plot);
    case "tree":
      return treePlot(figure, plot, width);
  }
}

/** Of a second axis that shows odds ratios beside log-odds. */
const exponentialOf = (value: number) => formatNumber(Number(Math.exp(value).toPrecision(3)));

const barHeight = 22;
const characterWidth = 7;

function barsPlot(figure: Bars, plot: Plot, width: number): ReturnType<PlotMaker> {
  const longest = Math.max(...figure.bars.map(({ label }) => label.length));
  const marginLeft = Math.min(longest * characterWidth + 14, Math.round(width * 0.42));
  const shown = Math.max(6, Math.floor((marginLeft - 14) / characterWidth));
  const short = (label: string) => (label.length > shown ? `${label.slice(0, shown - 1)}…` : label);
  const ranges = figure.bars.flatMap((bar) =>
    bar.low === null || bar.high === null ? [] : [{ label: bar.label, low: bar.low, high: bar.high }],
  );
  return {
    height: (figure.exponential === undefined ? 52 : 84) + barHeight * figure.bars.length,
    ...(figure.exponential === undefined ? {} : { marginTop: 40 }),
    marginLeft,
    marginRight: 24,
    x: { label: null, grid: true, nice: true },
    y: { label: null, domain: figure.bars.map(({ label }) => label), tickFormat: short, tickSize: 0 },
    marks: [
      plot.barX(figure.bars, {
        x: "value",
        y: "label",
        fill: "var(--series-1)",
        insetTop: 1,
        insetBottom: 1,
      }),
      plot.ruleY(ranges, { x1: "low", x2: "high", y: "label", stroke: "var(--ink)", strokeWidth: 1.5 }),
      plot.tickX(ranges, { x: "low", y: "label", stroke: "var(--ink)", insetTop: 5, insetBottom: 5 }),
      plot.tickX(ranges, { x: "high", y: "label", stroke: "var(--ink)", insetTop: 5, insetBottom: 5 }),
      plot.ruleX([0]),
      figure.exponential === undefined
        ? null
        : plot.axisX({ anchor: "top", label: figure.exponential.label, tickFormat: exponentialOf }),
      figure.exponential === undefined ? null : plot.axisX({ anchor: "bottom", label: null }),
      plot.tip(
        figure.bars,
        plot.pointerY({ x: "value", y: "label", title: (bar: Bars["bars"][number]) => barText(bar) }),
      ),
    ],
  };
}

function barText({ label, value, low, high }: Bars["bars"][number]): string {
  const interval = low === null || high === null ? "" : `\n${formatNumber(low)} to ${formatNumber(high)}`;
  return `${label}: ${formatNumber(value)}${interval}`;
}

const dashes = ["", "5 3", "2 2", "8 3 2 3", "1 3", "10 4"];
const colour = (index: number) => `var(--series-${(index % 6) + 1})`;
const symbols = ["circle", "square", "triangle", "diamond", "star", "cross"] as const;

function strokeOf(series: Curves["series"][number], index: number) {
  const isReference = series.style === "reference";
  return {
    stroke: isReference ? "var(--ink-soft)" : colour(index),
    strokeWidth: isReference ? 1 : 2,
    strokeDasharray: isReference ? "3 4" : dashes[index % dashes.length]!,
  };
}

function Legend({ series }: { readonly series: Curves["series"] }) {
  return (
    <ul className="legend">
      {series.map((one, index) => (
        <li key={one.label}>
          <svg viewBox="0 0 32 12" aria-hidden="true">
            <line x1="0" y1="6" x2="32" y2="6" {...strokeOf(one, index)} />
          </svg>
          {one.label}
        </li>
      ))}
    </ul>
  );
}

/** Series are told apart by dashes and shapes beside their colours. */
function curvesPlot({ series, xLabel, yLabel, exponential }: Curves, plot: Plot): ReturnType<PlotMaker> {
  const isWhole = series.every(({ points }) => points.every(({ x }) => Number.isInteger(x)));
  const most = Math.max(...series.flatMap(({ points }) => points.map(({ x }) => x)));
  return {
    height: 310,
    marginTop: 28,
    marginBottom: 44,
    marginLeft: 52,
    marginRight: exponential === undefined ? 24 : 60,
    x: { label: xLabel, nice: true, ...(isWhole && most <= 20 ? { ticks: most, tickFormat: "d" } : {}) },
    y: { label: yLabel, grid: true, nice: true },
    marks: [
      ...(exponential === undefined
        ? []
        : [
            plot.axisY({ anchor: "left", label: yLabel }),
            plot.axisY({ anchor: "right", label: exponential.label, tickFormat: exponentialOf }),
          ]),
      ...series.flatMap((one, index) => {
        const isReference = one.style === "reference";
        const line = strokeOf(one, index);
        const { stroke } = line;
        const ranges = one.points.filter(({ low, high }) => low !== null && high !== null);
        return [
          one.style === "band"
            ? plot.areaY(ranges, { x: "x", y1: "low", y2: "high", fill: stroke, fillOpacity: 0.2 })
            : plot.ruleX(ranges, { x: "x", y1: "low", y2: "high", stroke }),
          one.style === "points" ? null : plot.line(one.points, { x: "x", y: "y", ...line }),
          one.style === "points" || one.style === "line-points"
            ? plot.dot(one.points, { x: "x", y: "y", fill: stroke, symbol: symbols[index % symbols.length]! })
            : null,
          isReference
            ? null
            : plot.tip(
                one.points,
                plot.pointer({
                  x: "x",
                  y: "y",
                  title: (point: Curves["series"][number]["points"][number]) =>
                    `${one.label}\n${formatNumber(point.x)}: ${formatNumber(point.y)}`,
                }),
              ),
        ];
      }),
    ],
  };
}

/** What lies deeper is in the nested questions below the picture. */
const levelsDrawn = 5;
const leafWidth = 132;
const levelHeight = 92;

function treePlot(figure: ShownTree, plot: Plot, width: number): ReturnType<PlotMaker> {
  const root = layOutTree(figure.nodes, levelsDrawn);
  const all = everyNode(root);
  const leaves = all.filter(({ children }) => children.length === 0).length;
  const depth = Math.max(...all.map(({ level }) => level));
  const wide = Math.max(Math.min(width, leaves * 220), leaves * leafWidth);
  const links = all.flatMap((from) =>
    from.children.map((to, index) => ({ from, to, answer: index === 0 ? "yes" : "no" })),
  );
  const half = 0.46;
  return {
    width: wide,
    height: (depth + 1) * levelHeight,
    margin: 0,
    style: { maxWidth: "none" },
    x: { axis: null, domain: [-0.5, leaves - 0.5] },
    y: { axis: null, domain: [-0.5, depth + 0.5], reverse: true },
    marks: [
      plot.link(links, {
        x1: (link) => link.from.x,
        y1: (link) => link.from.level + 0.24,
        x2: (link) => link.to.x,
        y2: (link) => link.to.level - 0.24,
        stroke: "var(--line-strong)",
      }),
      plot.text(links, {
        x: (link) => (link.from.x + link.to.x) / 2,
        y: (link) => (link.from.level + link.to.level) / 2,
        text: "answer",
        fill: "var(--ink-soft)",
        stroke: "var(--surface)",
        strokeWidth: 5,
      }),
      plot.rect(all, {
        x1: (placed) => placed.x - half,
        x2: (placed) => placed.x + half,
        y1: (placed) => placed.level - 0.24,
        y2: (placed) => placed.level + 0.24,
        fill: "var(--sunken)",
        stroke: "var(--line-strong)",
        rx: 5,
      }),
      plot.text(all, {
        x: "x",
        y: "level",
        text: ({ node }) =>
          node.kind === "leaf"
            ? `${node.leansTo}\n${node.values.map(formatNumber).slice(0, 3).join(", ")}`
            : `${shortened(node.column)}\n${node.condition}`,
        fill: "var(--ink)",
        fontWeight: 500,
        lineHeight: 1.35,
      }),
    ],
  };
}

const shortened = (name: string) => (name.length > 17 ? `${name.slice(0, 16)}…` : name);

function labelOf(figure: ShownFigure): string {
  switch (figure.kind) {
    case "bars":
      return `${figure.title}: ${figure.bars.length} bars, the first is ${figure.bars[0]!.label}`;
    case "curves":
      return `${figure.title}: ${figure.yLabel} by ${figure.xLabel}`;
    case "tree":
      return `${figure.title}: a tree of ${figure.nodes.filter(({ kind }) => kind === "question").length} questions`;
  }
}

/** A line of the table of a curve's values. */
type CurveRow = Curves["series"][number]["points"][number] & {
  readonly series: string;
  readonly key: string;
};

const orDash = (value: number | null) => (value === null ? "–" : formatNumber(value));

function tableOf(figure: ShownFigure): ReactNode {
  switch (figure.kind) {
    case "bars":
      return (
        <DataTable
          caption={figure.title}
          hideCaption
          columns={[
            { title: "Name", cell: (bar) => bar.label },
            { title: figure.valueLabel, cell: (bar) => formatNumber(bar.value), number: true },
            ...(figure.exponential === undefined
              ? []
              : [
                  {
                    title: figure.exponential.label,
                    cell: (bar: Bars["bars"][number]) => exponentialOf(bar.value),
                    number: true,
                  },
                ]),
            { title: "From", cell: (bar) => orDash(bar.low), number: true },
            { title: "To", cell: (bar) => orDash(bar.high), number: true },
          ]}
          rows={figure.bars}
          keyOf={(bar) => bar.label}
        />
      );
    case "curves": {
      const { exponential, series } = figure;
      const hasRanges = series.some(({ points }) => points.some(({ low }) => low !== null));
      return (
        <DataTable
          caption={figure.title}
          hideCaption
          columns={[
            { title: "Series", cell: (row) => row.series },
            { title: figure.xLabel, cell: (row) => formatNumber(row.x), number: true },
            { title: figure.yLabel, cell: (row) => formatNumber(row.y), number: true },
            ...(exponential === undefined
              ? []
              : [{ title: exponential.label, cell: (row: CurveRow) => exponentialOf(row.y), number: true }]),
            ...(hasRanges
              ? [
                  { title: "From", cell: (row: CurveRow) => orDash(row.low), number: true },
                  { title: "To", cell: (row: CurveRow) => orDash(row.high), number: true },
                ]
              : []),
          ]}
          rows={series.flatMap((one) =>
            one.points.map(
              (point, index): CurveRow => ({ ...point, series: one.label, key: `${one.label} ${index}` }),
            ),
          )}
          keyOf={(row) => row.key}
        />
      );
    }
    case "tree":
      return (
        <ul className="tree-questions">
          <TreeQuestion figure={figure} index={0} answer={null} />
        </ul>
      );
  }
}

function TreeQuestion(props: {
  readonly figure: ShownTree;
  readonly index: number;
  readonly answer: "yes" | "no" | null;
}) {
  const node = props.figure.nodes[props.index]!;
  const prefix = props.answer === null ? null : <strong>{props.answer}: </strong>;
  if (node.kind === "leaf") {
    return (
      <li>
        {prefix}
        {node.leansTo} <span className="muted">({node.values.map(formatNumber).join(", ")})</span>
      </li>
    );
  }
  return (
    <li>
      {prefix}
      {node.column} {node.condition}?
      <ul>
        <TreeQuestion figure={props.figure} index={node.yes} answer="yes" />
        <TreeQuestion figure={props.figure} index={node.no} answer="no" />
      </ul>
    </li>
  );
}
