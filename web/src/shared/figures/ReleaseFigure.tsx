import { drawFigure } from "@consilium/core/release/drawing/draw";
import { type Shape, titleHeight } from "@consilium/core/release/drawing/drawing";
import type { ShownFigure, ShownTree } from "@consilium/core/release/shownFigures";
import { type ReactNode, useMemo } from "react";
import { Figure } from "../Chart";
import { DataTable } from "../components";
import { formatNumber } from "../format";
import { served, t } from "../language";

/** A release's figure, with its values as a table, or a tree as nested questions. */
export function ReleaseFigure({ figure: released }: { readonly figure: ShownFigure }) {
  const figure = useMemo(() => inWords(released), [released]);
  return (
    <Figure caption={figure.title} table={tableOf(figure)}>
      <FigurePicture figure={figure} label={labelOf(figure)} />
    </Figure>
  );
}

/** The figure with its texts in the reader's language. Its file in the release stays as it is. */
function inWords(figure: ShownFigure): ShownFigure {
  const title = served(figure.title);
  switch (figure.kind) {
    case "bars":
      return {
        ...figure,
        title,
        valueLabel: served(figure.valueLabel),
        // Names of columns stay; a pair of them has a word between.
        bars: figure.bars.map((bar) =>
          /^\S+ with \S+$/.test(bar.label) ? { ...bar, label: served(bar.label) } : bar,
        ),
        ...(figure.exponential === undefined
          ? {}
          : { exponential: { ...figure.exponential, label: served(figure.exponential.label) } }),
      };
    case "curves":
      return {
        ...figure,
        title,
        xLabel: served(figure.xLabel),
        yLabel: served(figure.yLabel),
        series: figure.series.map((one) => ({ ...one, label: served(one.label) })),
        ...(figure.exponential === undefined
          ? {}
          : { exponential: { ...figure.exponential, label: served(figure.exponential.label) } }),
      };
    case "tree":
      return { ...figure, title };
  }
}

type Bars = Extract<ShownFigure, { kind: "bars" }>;
type Curves = Extract<ShownFigure, { kind: "curves" }>;

/** For a second axis that shows odds ratios next to log-odds. */
const exponentialOf = (value: number) => formatNumber(Number(Math.exp(value).toPrecision(3)));

/** The image in the release's SVG file, in the page's colours. */
export function FigurePicture({ figure, label }: { readonly figure: ShownFigure; readonly label: string }) {
  const { width, height, shapes } = useMemo(() => drawFigure(inWords(figure)), [figure]);
  const drawn = (
    <svg
      className="drawing"
      data-kind={figure.kind}
      viewBox={`0 ${titleHeight} ${width} ${height - titleHeight}`}
      width={width}
      height={height - titleHeight}
      role="img"
      aria-label={label}
    >
      {shapes.map((shape, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a figure does not change, and shapes have no other key
        <Drawn key={index} shape={figure.kind === "tree" ? answered(shape) : shape} />
      ))}
    </svg>
  );
  if (figure.kind !== "tree") return <div className="chart">{drawn}</div>;
  // A tree may be wider than its frame and scrolls, with the keyboard too.
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields
    <div className="chart" role="group" aria-label={label} tabIndex={0}>
      {drawn}
    </div>
  );
}

/** A tree's texts: the answers beside its branches, and questions about a level. */
const answered = (shape: Shape): Shape =>
  shape.text === "yes" || shape.text === "no"
    ? { ...shape, text: t(shape.text) }
    : shape.text?.startsWith("is ")
      ? { ...shape, text: served(shape.text) }
      : shape;

function Drawn({ shape: { tag: Tag, attributes, text, hint } }: { readonly shape: Shape }) {
  const { class: className, "text-anchor": textAnchor, ...others } = attributes;
  return (
    <Tag className={className} textAnchor={textAnchor as "start" | "middle" | "end"} {...others}>
      {hint === undefined ? null : <title>{hint}</title>}
      {text}
    </Tag>
  );
}

function labelOf(figure: ShownFigure): string {
  switch (figure.kind) {
    case "bars":
      return t("{title}: {bars} bars, the first is {label}", {
        title: figure.title,
        bars: figure.bars.length,
        label: figure.bars[0]!.label,
      });
    case "curves":
      return t("{title}: {yLabel} by {xLabel}", {
        title: figure.title,
        yLabel: figure.yLabel,
        xLabel: figure.xLabel,
      });
    case "tree":
      return t("{title}: a tree of {value} questions", {
        title: figure.title,
        value: figure.nodes.filter(({ kind }) => kind === "question").length,
      });
  }
}

/** A row in the table of a curve's values. */
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
            { title: t("Name"), cell: (bar) => bar.label },
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
            { title: t("From"), cell: (bar) => orDash(bar.low), number: true },
            { title: t("To"), cell: (bar) => orDash(bar.high), number: true },
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
            { title: t("Series"), cell: (row) => row.series },
            { title: figure.xLabel, cell: (row) => formatNumber(row.x), number: true },
            { title: figure.yLabel, cell: (row) => formatNumber(row.y), number: true },
            ...(exponential === undefined
              ? []
              : [{ title: exponential.label, cell: (row: CurveRow) => exponentialOf(row.y), number: true }]),
            ...(hasRanges
              ? [
                  { title: t("From"), cell: (row: CurveRow) => orDash(row.low), number: true },
                  { title: t("To"), cell: (row: CurveRow) => orDash(row.high), number: true },
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
  const prefix = props.answer === null ? null : <strong>{t(props.answer)}: </strong>;
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
