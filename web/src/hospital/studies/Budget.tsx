import type { StudyBudgetView } from "@consilium/core/hospital/studyViews";
import { useCallback, useMemo } from "react";
import { Chart } from "../../shared/Chart";
import { Badge, DataTable, Fold } from "../../shared/components";
import { formatDelta } from "../../shared/format";
import { served, t } from "../../shared/language";
import type { PlotMaker, PlotReading } from "../../shared/plotted";
import { budgetTexts, shown, shownDown } from "./privacyWords";

/** The study's effect on its population's budget, as a bar, as numbers and in words. */
export function Budget({
  budget,
  isWaiting,
}: {
  readonly budget: StudyBudgetView;
  readonly isWaiting: boolean;
}) {
  const { before, after, limit } = budget;
  const make = useCallback<PlotMaker>(
    (plot) => budgetPlot(plot, { before, after, limit }),
    [before, after, limit],
  );
  const readings = useMemo(
    () =>
      [
        { row: t("without"), value: before },
        { row: t("with"), value: after },
      ].map(
        ({ row, value }): PlotReading => ({ x: value, y: row, series: 0, lines: [row, `ε ${shown(value)}`] }),
      ),
    [before, after],
  );
  return (
    <Fold title={t("Remaining budget")}>
      {budget.fits ? null : (
        <p>
          <Badge tone="bad">{t("not enough budget")}</Badge>
        </p>
      )}
      {budgetTexts(budget).map((text) => (
        <p key={text}>{text}</p>
      ))}
      <Chart
        caption={t(
          "ε per {unit} of population {population} at δ = {delta}: spent or reserved without this study and with it{more}",
          {
            unit: served(budget.unit),
            population: budget.population,
            delta: formatDelta(budget.delta),
            more: limit === null ? "" : t(", against its limit"),
          },
        )}
        label={t("Epsilon {before} without this study, {after} with it{more}", {
          before: shown(before),
          after: shown(after),
          more: limit === null ? "" : t(", of at most {limit}", { limit }),
        })}
        make={make}
        readings={readings}
      />
      <DataTable
        caption={t("The budget in numbers")}
        columns={[
          { title: t("Budget"), cell: (row) => row.name },
          { title: isWaiting ? t("Before") : t("Without it"), number: true, cell: (row) => row.before },
          { title: isWaiting ? t("After") : t("With it"), number: true, cell: (row) => row.after },
        ]}
        rows={rowsOf(budget)}
        keyOf={(row) => row.name}
      />
    </Fold>
  );
}

function rowsOf({ before, after, remainingBefore, remainingAfter, limit }: StudyBudgetView) {
  const spent = { name: t("Spent or reserved, ε"), before: shown(before), after: shown(after) };
  if (remainingBefore === null || remainingAfter === null || limit === null) return [spent];
  return [
    spent,
    { name: t("Remains, ε"), before: shownDown(remainingBefore), after: shownDown(remainingAfter) },
    { name: t("Limit, ε"), before: String(limit), after: String(limit) },
  ];
}

function budgetPlot(
  plot: Parameters<PlotMaker>[0],
  budget: Pick<StudyBudgetView, "before" | "after" | "limit">,
): ReturnType<PlotMaker> {
  const { before, after, limit } = budget;
  const bars = [
    { row: t("without"), from: 0, to: before, kind: "others" },
    { row: t("with"), from: 0, to: before, kind: "others" },
    { row: t("with"), from: before, to: after, kind: "own" },
  ];
  return {
    height: 130,
    marginLeft: 70,
    marginRight: 30,
    x: { label: "ε", domain: [0, Math.max(after, limit ?? 0) * 1.05 || 1], grid: true },
    y: { label: null, domain: [t("without"), t("with")] },
    color: {
      domain: ["others", "own"],
      range: ["var(--series-6)", "var(--series-1)"],
      legend: false,
    },
    marks: [
      plot.barX(bars, { x1: "from", x2: "to", y: "row", fill: "kind", insetTop: 3, insetBottom: 3 }),
      plot.ruleX([0], { stroke: "var(--ink)" }),
      ...(limit === null
        ? []
        : [
            plot.ruleX([limit], { stroke: "var(--bad)", strokeWidth: 2, strokeDasharray: "5 3" }),
            plot.text([limit], {
              x: (value: number) => value,
              text: () => t("limit"),
              frameAnchor: "top",
              dy: -8,
              fill: "var(--bad)",
            }),
          ]),
    ],
  };
}
