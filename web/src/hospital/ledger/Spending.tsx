import type { LedgerSeriesView } from "@consilium/core/hospital/ledgerViews";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { Chart } from "../../shared/Chart";
import { SelectField } from "../../shared/choices";
import { Card, DataTable, Empty, Loaded, Moment, useNow } from "../../shared/components";
import { formatDelta, formatMoment } from "../../shared/format";
import { served, t } from "../../shared/language";
import type { PlotMaker, PlotReading } from "../../shared/plotted";
import { hospital } from "../api";
import { shown } from "../studies/privacyWords";
import { type Step, stepsUntil } from "./steps";

/** ε over time against its limit, by population. */
export function Spending() {
  const query = useQuery({ queryKey: ["ledger", "series"], queryFn: hospital.ledgerSeries });
  return (
    <Card title={t("Spending over time")}>
      <Loaded query={query} what={t("the ledger's history")}>
        {(series) => <Chosen series={series} />}
      </Loaded>
    </Card>
  );
}

function Chosen({ series }: { readonly series: readonly LedgerSeriesView[] }) {
  const [name, setName] = useState<string | null>(null);
  const one = series.find(({ population }) => population === name) ?? mostPoints(series);
  if (one === undefined || series.every(({ points }) => points.length === 0))
    return <Empty title={t("Nothing has been reserved or spent yet.")} />;
  return (
    <>
      {series.length < 2 ? null : (
        <div className="field-row">
          <SelectField
            label={t("Population")}
            value={one.population}
            options={series.map(({ population }) => [population, population])}
            onChange={setName}
          />
        </div>
      )}
      <Curve series={one} />
    </>
  );
}

function mostPoints(series: readonly LedgerSeriesView[]): LedgerSeriesView | undefined {
  return [...series].sort((a, b) => b.points.length - a.points.length)[0];
}

function Curve({ series }: { readonly series: LedgerSeriesView }) {
  const now = useNow(60_000);
  const make = useCallback<PlotMaker>((plot) => plotOf(plot, series, now), [series, now]);
  const readings = useMemo(() => series.points.map(readingOf), [series]);
  const last = series.points.at(-1);
  const limit = series.limit === null ? t("no limit") : t("a limit of {limit}", { limit: series.limit });
  return (
    <Chart
      caption={t(
        "ε per {unit} of population {population} at δ = {delta}: spent (line), including reserved (dashed){more}",
        {
          unit: served(series.unit),
          population: series.population,
          delta: formatDelta(series.delta),
          more: series.limit === null ? "" : t(", and the limit"),
        },
      )}
      label={t(
        "Epsilon per {unit} of population {population} over time: {more} spent, {more2} including reserved, {limit}",
        {
          unit: served(series.unit),
          population: series.population,
          more: shown(last?.spent ?? 0),
          more2: shown(last?.held ?? 0),
          limit,
        },
      )}
      make={make}
      readings={readings}
      table={
        <DataTable
          caption={t("Spending of population {population} per {unit}", {
            population: series.population,
            unit: served(series.unit),
          })}
          columns={[
            { title: t("Entry"), cell: (point) => point.entry },
            { title: t("When"), cell: (point) => <Moment iso={point.at} seconds /> },
            { title: t("Spent, ε"), number: true, cell: (point) => shown(point.spent) },
            { title: t("Including reserved, ε"), number: true, cell: (point) => shown(point.held) },
            { title: t("Without a proof"), number: true, cell: (point) => point.unproved },
          ]}
          rows={[...series.points].reverse()}
          keyOf={(point) => String(point.entry)}
          empty={t("No entries yet.")}
        />
      }
    />
  );
}

function readingOf({ at, spent, held, unproved }: LedgerSeriesView["points"][number]): PlotReading {
  return {
    x: new Date(at),
    y: spent,
    series: 0,
    lines: [
      formatMoment(at),
      `${t("Spent, ε")}: ${shown(spent)}`,
      `${t("Including reserved, ε")}: ${shown(held)}`,
      ...(unproved === 0 ? [] : [`${t("Without a proof")}: ${unproved}`]),
    ],
  };
}

/** Whether a point is so far to the right that its label would be cut off. */
function isLate(step: Step | undefined, steps: readonly Step[]): boolean {
  const [begin, end] = [steps[0], steps.at(-1)].map((one) => one?.at.getTime() ?? 0) as [number, number];
  return step !== undefined && step.at.getTime() > begin + 0.8 * (end - begin);
}

function plotOf(
  plot: Parameters<PlotMaker>[0],
  series: LedgerSeriesView,
  now: number,
): ReturnType<PlotMaker> {
  const steps = stepsUntil(series, now);
  const most = Math.max(series.limit ?? 0, ...steps.map(({ held }) => held));
  const unproved = steps.filter((step, index) => step.unproved > (steps[index - 1]?.unproved ?? 0));
  return {
    height: 280,
    marginRight: 40,
    x: { type: "time", label: null, grid: false },
    y: { label: "ε", domain: [0, most * 1.1 || 1], grid: true },
    marks: [
      plot.ruleY([0], { stroke: "var(--ink)" }),
      plot.areaY(steps, {
        x: "at",
        y: "spent",
        curve: "step-after",
        fill: "var(--series-1)",
        fillOpacity: 0.15,
      }),
      plot.lineY(steps, {
        x: "at",
        y: "held",
        curve: "step-after",
        stroke: "var(--series-3)",
        strokeDasharray: "4 3",
      }),
      plot.lineY(steps, {
        x: "at",
        y: "spent",
        curve: "step-after",
        stroke: "var(--series-1)",
        strokeWidth: 2,
      }),
      plot.dot(unproved, {
        x: "at",
        y: "spent",
        symbol: "times",
        stroke: "var(--bad)",
        r: 6,
        strokeWidth: 2,
      }),
      plot.text(unproved.slice(0, 1), {
        x: "at",
        y: "spent",
        text: () => t("✕ no proof"),
        dy: -14,
        textAnchor: isLate(unproved[0], steps) ? "end" : "start",
        fill: "var(--bad)",
      }),
      ...(series.limit === null
        ? []
        : [
            plot.ruleY([series.limit], { stroke: "var(--bad)", strokeWidth: 2, strokeDasharray: "6 3" }),
            plot.text([series.limit], {
              y: (value: number) => value,
              text: () => t("limit"),
              frameAnchor: "right",
              dy: -8,
              textAnchor: "end",
              fill: "var(--bad)",
            }),
          ]),
    ],
  };
}
