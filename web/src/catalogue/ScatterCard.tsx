import type { ReleaseSample, ReleaseView } from "@consilium/core/release/views";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { request } from "../shared/api";
import { Chart } from "../shared/Chart";
import { SelectField } from "../shared/choices";
import { Card, Loaded } from "../shared/components";
import { type Box, Legend } from "../shared/figures/Explorable";
import { formatNumber } from "../shared/format";
import { locale, t } from "../shared/language";
import type { PlotMaker, PlotReading } from "../shared/plotted";
import { groupLevels, pointsOf } from "./scatter";

/** Scatter plot of two columns, coloured by a label: for a PCA the first two components. */
export function ScatterCard({ view }: { readonly view: ReleaseView }) {
  const { columns, id } = view.content;
  const numbers = columns.filter((column) => column.type === "number").map(({ name }) => name);
  const labels = columns.filter((column) => column.type === "level").map(({ name }) => name);
  const [x, setX] = useState(numbers[0] ?? "");
  const [y, setY] = useState(numbers[1] ?? "");
  const [colour, setColour] = useState(labels[0] ?? "");
  const address = sampleAddress(id, { x, y, colour });
  const query = useQuery({
    queryKey: ["sample", address],
    queryFn: () => request<ReleaseSample>("GET", address),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: numbers.length >= 2,
  });
  if (numbers.length < 2) return null;
  const isComponents = view.content.study.analysis === "pca";
  return (
    <Card title={isComponents ? t("Component scatter plot") : t("Column scatter plot")}>
      <div className="chooser">
        <Choose label={t("X axis")} of={numbers} value={x} onChange={setX} />
        <Choose label={t("Y axis")} of={numbers} value={y} onChange={setY} />
        {labels.length === 0 ? null : (
          <Choose label={t("Colour")} of={["", ...labels]} value={colour} onChange={setColour} />
        )}
      </div>
      <Loaded query={query} what={t("a sample of rows")}>
        {(sample) => <Scatter key={address} sample={sample} x={x} y={y} colour={colour} />}
      </Loaded>
    </Card>
  );
}

function sampleAddress(id: string, asked: { x: string; y: string; colour: string }): string {
  const query = new URLSearchParams({ x: asked.x, y: asked.y, limit: "2000" });
  if (asked.colour !== "") query.set("colour", asked.colour);
  return `/api/releases/${id}/sample?${query}`;
}

/** Limits the menu: a table may have thousands of columns. */
const choicesMost = 200;

function Choose(props: {
  readonly label: string;
  readonly of: readonly string[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <SelectField
      label={props.label}
      value={props.value}
      options={props.of.slice(0, choicesMost).map((name) => [name, name === "" ? "none" : name])}
      onChange={props.onChange}
    />
  );
}

const symbols = ["circle", "square", "triangle", "diamond", "star", "cross"] as const;
/** The same in the legend. */
const signs = ["○", "□", "△", "◇", "☆", "+"] as const;

function Scatter(props: {
  readonly sample: ReleaseSample;
  readonly x: string;
  readonly y: string;
  readonly colour: string;
}) {
  const { sample, x, y, colour } = props;
  const [hidden, setHidden] = useState<ReadonlySet<number>>(new Set());
  const [box, setBox] = useState<Box | null>(null);
  const groups = useMemo(() => groupLevels(sample), [sample]);
  const points = useMemo(
    () => pointsOf(sample, groups).filter(({ group }) => !hidden.has(groups.indexOf(group))),
    [sample, groups, hidden],
  );
  const readings = useMemo(
    () =>
      points
        .filter((point) => box === null || isWithin(box, point))
        .sort((a, b) => a.x - b.x)
        .map(
          (point): PlotReading => ({
            x: point.x,
            y: point.y,
            series: 0,
            lines: [
              ...(point.group === "" ? [] : [point.group]),
              `${x}: ${formatNumber(point.x)}`,
              `${y}: ${formatNumber(point.y)}`,
            ],
          }),
        ),
    [points, box, x, y],
  );
  const make: PlotMaker = useCallback(
    (plot, width) => {
      const range = groups.map((_, index) => `var(--series-${(index % 6) + 1})`);
      return {
        height: Math.min(520, Math.max(300, width * 0.6)),
        marginLeft: 52,
        grid: true,
        x: { label: x, ...(box === null ? { nice: true } : { domain: box.x }) },
        y: { label: y, ...(box === null ? { nice: true } : { domain: box.y }) },
        ...(groups.length === 0
          ? {}
          : {
              color: { domain: groups, range },
              symbol: { domain: groups, range: symbols.slice(0, groups.length) },
            }),
        marks: [
          plot.dot(
            points.filter((point) => box === null || isWithin(box, point)),
            {
              x: "x",
              y: "y",
              r: 3,
              strokeWidth: 1.2,
              ...(groups.length === 0
                ? { stroke: "var(--series-1)" }
                : { stroke: "group" as const, symbol: "group" as const }),
            },
          ),
        ],
      };
    },
    [points, groups, box, x, y],
  );
  const shown = sample.x.length;
  const part =
    shown === sample.total
      ? t("All {shown} rows", { shown })
      : t("{shown} of {value} rows, evenly spaced", { shown, value: sample.total.toLocaleString(locale()) });
  return (
    <Chart
      caption={t("{part}: {y} by {x}{more}.", {
        part,
        y,
        x,
        more: colour === "" ? "" : t(", coloured by {colour}", { colour }),
      })}
      label={t("Scatter plot of {shown} rows: {y} by {x}", { shown, y, x })}
      make={make}
      readings={readings}
      onBrush={setBox}
      above={
        groups.length < 2 ? null : (
          <Legend
            series={groups.map((label, index) => ({
              label,
              mark: (
                <span aria-hidden="true" style={{ color: `var(--series-${(index % 6) + 1})` }}>
                  {signs[index % signs.length]}
                </span>
              ),
            }))}
            hidden={hidden}
            onChange={setHidden}
          />
        )
      }
      below={
        <div className="zoom">
          {box === null ? (
            <span className="hint wide-only">{t("Drag across the chart to zoom in.")}</span>
          ) : (
            <button type="button" onClick={() => setBox(null)}>
              {t("Reset zoom")}
            </button>
          )}
        </div>
      }
    />
  );
}

const isWithin = ({ x, y }: Box, point: { readonly x: number; readonly y: number }) =>
  point.x >= x[0] && point.x <= x[1] && point.y >= y[0] && point.y <= y[1];
