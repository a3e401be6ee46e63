import { readSaid } from "@consilium/core/readSaid";
import { barName } from "@consilium/core/release/drawing/bars";
import { drawFigure } from "@consilium/core/release/drawing/draw";
import {
  coloursByName,
  type Drawing,
  type Mark,
  narrowBelow,
  type Shape,
  titleHeight,
  untoldText,
  usualWidth,
} from "@consilium/core/release/drawing/drawing";
import { isLogRatioTold } from "@consilium/core/release/ratios";
import type { ShownFigure, ShownTree } from "@consilium/core/release/shownFigures";
import { type ReactNode, useMemo, useState } from "react";
import { Figure } from "../Chart";
import { DataTable } from "../components";
import { formatNumber } from "../format";
import { served, t } from "../language";
import { type Box, Explorable, Legend } from "./Explorable";
import { useFrameWidth } from "./frameWidth";
import { closer, type Range, type Reading, zoomableRange, zoomed } from "./reading";

/** A release's figure, whose values can be read out and are in a table too, or a tree as nested questions. */
export default function ReleaseFigure({ figure: released }: { readonly figure: ShownFigure }) {
  const figure = useMemo(() => inWords(released), [released]);
  if (figure.kind === "tree") return <TreeFigure figure={figure} />;
  return (
    <Figure caption={figure.title} table={tableOf(figure)}>
      {figure.kind === "curves" ? <CurvesPicture figure={figure} /> : <ReadPicture figure={figure} />}
    </Figure>
  );
}

/** A tree; where its frame is too narrow for it, as nested questions instead of a part of the picture. */
function TreeFigure({ figure }: { readonly figure: ShownTree }) {
  const [frame, width] = useFrameWidth(usualWidth);
  const drawing = useMemo(() => drawFigure(figure), [figure]);
  const isTold = width < narrowBelow && drawing.width > width;
  return (
    <Figure caption={figure.title} table={isTold ? undefined : tableOf(figure)}>
      <div ref={frame}>
        {isTold ? (
          tableOf(figure)
        ) : (
          <Picture figure={figure} drawing={drawing} label={labelOf(figure)} isRead />
        )}
      </div>
    </Figure>
  );
}

function ReadPicture({ figure }: { readonly figure: Bars | Flow }) {
  const [frame, width] = useFrameWidth(usualWidth);
  const drawing = useMemo(() => drawFigure(figure, { width }), [figure, width]);
  return (
    <div ref={frame}>
      <Picture figure={figure} drawing={drawing} label={labelOf(figure)} isRead />
    </div>
  );
}

/** Curves with a legend that hides series, and a closer look at a part of the horizontal axis. */
function CurvesPicture({ figure }: { readonly figure: Curves }) {
  const [hidden, setHidden] = useState<ReadonlySet<number>>(new Set());
  const [range, setRange] = useState<Range | null>(null);
  const [read, setRead] = useState<Reading | null>(null);
  const [frame, width] = useFrameWidth(usualWidth);
  const whole = useMemo(() => zoomableRange(figure), [figure]);
  const own = useMemo(() => coloursByName(figure.series.map(({ label }) => label)), [figure]);
  const { shown, drawing, colours } = useMemo(() => {
    const all = figure.series.flatMap((_, index) => (hidden.has(index) ? [] : [index]));
    const some = { ...figure, series: all.map((index) => figure.series[index]!) };
    const part = range === null ? some : zoomed(some, range);
    // A series may have no point in that part.
    const kept = all.filter((index) =>
      part.series.some(({ label }) => label === figure.series[index]!.label),
    );
    const shown = part.series.length === 0 ? some : part;
    const colours = (part.series.length === 0 ? all : kept).map((index) => own[index]!);
    return {
      shown,
      colours,
      drawing: drawFigure(shown, {
        colours,
        legend: figure.series.length === 1,
        width,
      }),
    };
  }, [figure, hidden, range, width, own]);
  const now = range ?? whole;
  const look = (next: Range | null) => {
    setRange(next);
    // Its place was in the picture before.
    setRead(null);
  };
  const zoomTo = (box: Box) => {
    const [from, to] = box.x.map((x) => placeAt(shown, drawing, x)) as [number, number];
    if (to > from) look([from, to]);
  };
  return (
    <div ref={frame}>
      {figure.series.length === 1 ? null : (
        <Legend
          series={figure.series.map((one, index) => ({
            label: one.label,
            mark: <SeriesMark style={one.style} colour={own[index]!} />,
          }))}
          hidden={hidden}
          onChange={setHidden}
        />
      )}
      <Picture
        figure={shown}
        drawing={drawing}
        label={labelOf(figure)}
        colours={colours}
        isRead
        onBrush={whole === null ? undefined : zoomTo}
        onRead={(one) => one !== null && setRead(one)}
      />
      {now === null || whole === null ? null : (
        <div className="zoom">
          <button
            type="button"
            onClick={() =>
              look(closer(now, read === null ? (now[0] + now[1]) / 2 : placeAt(shown, drawing, read.x)))
            }
          >
            {t("Zoom in")}
          </button>
          {range === null ? (
            <span className="hint wide-only">{t("Or drag across the chart.")}</span>
          ) : (
            <button type="button" onClick={() => look(null)}>
              {t("Reset zoom")}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

/** The value of the horizontal axis at a place of the picture, from two marks of different values. */
function placeAt(figure: Curves, { marks }: Drawing, x: number): number {
  const placeOf = ({ series, point }: Mark) => figure.series[series]!.points[point]!.x;
  const first = marks.reduce((a, b) => (b.x < a.x ? b : a));
  const last = marks.reduce((a, b) => (b.x > a.x ? b : a));
  const share = last.x === first.x ? 0 : (x - first.x) / (last.x - first.x);
  return placeOf(first) + Math.min(1, Math.max(0, share)) * (placeOf(last) - placeOf(first));
}

function SeriesMark({
  style,
  colour,
}: {
  readonly style: Curves["series"][number]["style"];
  readonly colour: number;
}) {
  return (
    <svg className="drawing" width="26" height="12" viewBox="0 0 26 12" aria-hidden="true">
      {style === "points" ? (
        <circle className={`f${colour}`} cx="13" cy="6" r="3.5" />
      ) : (
        <polyline className={style === "reference" ? style : `line s${colour}`} points="0,6 26,6" />
      )}
    </svg>
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
        // Names of columns stay; a pair of them has a word between, and a term is a sentence as facts.
        bars: figure.bars.map((bar) =>
          /^\S+ with \S+$/.test(bar.label) || readSaid(bar.label) !== null
            ? { ...bar, label: served(bar.label) }
            : bar,
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
        ...(figure.belowLabel === undefined ? {} : { belowLabel: served(figure.belowLabel) }),
        yLabel: served(figure.yLabel),
        series: figure.series.map((one) => ({ ...one, label: served(one.label) })),
        ...(figure.exponential === undefined
          ? {}
          : { exponential: { ...figure.exponential, label: served(figure.exponential.label) } }),
      };
    case "flow":
      return {
        ...figure,
        title,
        steps: figure.steps.map(({ lines, aside }) => ({
          lines: lines.map((line) => served(line)),
          aside: aside.map((line) => served(line)),
        })),
      };
    case "tree":
      return { ...figure, title };
  }
}

type Bars = Extract<ShownFigure, { kind: "bars" }>;
type Curves = Extract<ShownFigure, { kind: "curves" }>;
type Flow = Extract<ShownFigure, { kind: "flow" }>;

/** Of a value's interval. */
interface Ends {
  readonly low: number | null;
  readonly high: number | null;
}

/** For a second axis that shows odds ratios next to log-odds. */
const exponentialOf = (value: number) => formatNumber(Number(Math.exp(value).toPrecision(3)));

/** A ratio by its logarithm; where that cannot be told, what its interval covers. */
const ratioText = (value: number, ends: Ends) =>
  isLogRatioTold(ends)
    ? exponentialOf(value)
    : t("cannot be told (interval covers {low} to {high})", {
        low: exponentialOf(ends.low ?? value),
        high: exponentialOf(ends.high ?? value),
      });

/** The image in the release's SVG file, in the page's colours. */
export function FigurePicture({ figure, label }: { readonly figure: ShownFigure; readonly label: string }) {
  const said = useMemo(() => inWords(figure), [figure]);
  const [frame, width] = useFrameWidth(usualWidth);
  const drawing = useMemo(() => drawFigure(said, { width }), [said, width]);
  return (
    <div ref={frame}>
      <Picture figure={said} drawing={drawing} label={label} />
    </div>
  );
}

/** @param props.colours - each series' own */
function Picture(props: {
  readonly figure: ShownFigure;
  readonly drawing: Drawing;
  readonly label: string;
  readonly colours?: readonly number[];
  readonly isRead?: boolean;
  readonly onBrush?: ((box: Box) => void) | undefined;
  readonly onRead?: (reading: Reading | null) => void;
}) {
  const { figure, drawing, label, isRead = false } = props;
  const { width, shapes } = drawing;
  const height = drawing.height - titleHeight;
  const readings = useMemo(() => readingsOf(figure, drawing), [figure, drawing]);
  const drawn = (
    <svg
      className="drawing"
      data-kind={figure.kind}
      viewBox={`0 ${titleHeight} ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={label}
    >
      {shapes.map((shape, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a figure does not change, and shapes have no other key
        <Drawn key={index} shape={saidShape(figure, shape)} hasHint={!isRead} />
      ))}
    </svg>
  );
  if (isRead)
    return (
      <div className="chart">
        <Explorable
          label={label}
          readings={readings}
          size={{ width, height }}
          onBrush={props.onBrush}
          isWholeHeight
          {...(props.onRead === undefined ? {} : { onRead: props.onRead })}
        >
          {drawn}
        </Explorable>
      </div>
    );
  // A picture may be wider than its frame, which scrolls with the keyboard too.
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields
    <div className="chart" role="group" aria-label={label} tabIndex={0}>
      {drawn}
    </div>
  );
}

function readingsOf(figure: ShownFigure, { marks }: Drawing): Reading[] {
  return marks.map((mark) => ({
    x: mark.x,
    y: mark.y - titleHeight,
    series: mark.series,
    lines: linesOf(figure, mark),
  }));
}

/** A value in words: its name, then its numbers. */
function linesOf(figure: ShownFigure, { series, point }: Mark): string[] {
  switch (figure.kind) {
    case "bars": {
      const bar = figure.bars[point]!;
      const { valueLabel, exponential } = figure;
      return [barName(figure, bar), ...valueLines(valueLabel, exponential?.label, bar.value, bar)];
    }
    case "curves": {
      const { label, points } = figure.series[series]!;
      const { x, y, ...ends } = points[point]!;
      return [
        label,
        `${figure.xLabel}: ${formatNumber(x)}`,
        ...valueLines(figure.yLabel, figure.exponential?.label, y, ends),
      ];
    }
    case "flow":
      return [];
    case "tree": {
      const node = figure.nodes[point]!;
      return node.kind === "leaf"
        ? [node.leansTo, node.values.map(formatNumber).join(", ")]
        : [`${node.column} ${served(node.condition)}?`];
    }
  }
}

function valueLines(label: string, exponential: string | undefined, value: number, ends: Ends): string[] {
  const { low, high } = ends;
  return [
    `${label}: ${formatNumber(value)}`,
    ...(exponential === undefined ? [] : [`${exponential}: ${ratioText(value, ends)}`]),
    ...(low === null || high === null
      ? []
      : [t("{low} to {high}", { low: formatNumber(low), high: formatNumber(high) })]),
  ];
}

function saidShape(figure: ShownFigure, shape: Shape): Shape {
  if (figure.kind === "tree") return answered(shape);
  return shape.text === untoldText ? { ...shape, text: t("cannot be told") } : shape;
}

/** A tree's texts: the answers beside its branches, and questions about a level. */
const answered = (shape: Shape): Shape =>
  shape.text === "yes" || shape.text === "no"
    ? { ...shape, text: t(shape.text) }
    : shape.text?.startsWith("is ")
      ? { ...shape, text: served(shape.text) }
      : shape;

/** Where values are read out, a shape's own hint would say the same twice. */
function Drawn(props: { readonly shape: Shape; readonly hasHint: boolean }) {
  const { tag: Tag, attributes, text, hint } = props.shape;
  const { class: className, "text-anchor": textAnchor, ...others } = attributes;
  return (
    <Tag className={className} textAnchor={textAnchor as "start" | "middle" | "end"} {...others}>
      {hint === undefined || !(props.hasHint || Tag === "text") ? null : <title>{hint}</title>}
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
        label: barName(figure, figure.bars[0]!),
      });
    case "curves":
      return t("{title}: {yLabel} by {xLabel}", {
        title: figure.title,
        yLabel: figure.yLabel,
        xLabel: figure.xLabel,
      });
    case "flow":
      return `${figure.title}: ${flowLines(figure).join("; ")}`;
    case "tree":
      return t("{title}: a tree of {value} questions", {
        title: figure.title,
        value: figure.nodes.filter(({ kind }) => kind === "question").length,
      });
  }
}

const flowLines = ({ steps }: Flow) => steps.flatMap(({ lines, aside }) => [...lines, ...aside]);

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
            ...(figure.groups === undefined
              ? []
              : [
                  {
                    title: t("Group"),
                    cell: (bar: Bars["bars"][number]) => figure.groups?.[bar.group ?? 0] ?? "",
                  },
                ]),
            { title: figure.valueLabel, cell: (bar) => formatNumber(bar.value), number: true },
            ...(figure.exponential === undefined
              ? []
              : [
                  {
                    title: figure.exponential.label,
                    cell: (bar: Bars["bars"][number]) => ratioText(bar.value, bar),
                    number: true,
                  },
                ]),
            { title: t("From"), cell: (bar) => orDash(bar.low), number: true },
            { title: t("To"), cell: (bar) => orDash(bar.high), number: true },
          ]}
          rows={figure.bars}
          keyOf={(bar) => barName(figure, bar)}
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
              : [{ title: exponential.label, cell: (row: CurveRow) => ratioText(row.y, row), number: true }]),
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
    case "flow":
      return (
        <ul>
          {flowLines(figure).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      );
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
