import { lazy, type ReactNode, Suspense } from "react";
import { t } from "./language";
import type { PlotMaker } from "./plotted";

const Plotted = lazy(() => import("./plotted"));

/**
 * A figure: caption, chart, and the same values as a table for readers who cannot see the chart.
 * @param make - the plot's options; keep it stable (`useCallback` or outside the component): a new one redraws the
 * chart
 */
export function Chart(props: {
  readonly caption: ReactNode;
  readonly label: string;
  readonly make: PlotMaker;
  readonly table?: ReactNode;
}) {
  return (
    <Figure caption={props.caption} table={props.table}>
      <Suspense fallback={<div className="chart muted">{t("Drawing…")}</div>}>
        <Plotted make={props.make} label={props.label} />
      </Suspense>
    </Figure>
  );
}

/** An image with its caption, and its values as a table. */
export function Figure(props: {
  readonly caption: ReactNode;
  readonly children: ReactNode;
  readonly table?: ReactNode;
}) {
  return (
    <figure>
      <figcaption>{props.caption}</figcaption>
      {props.children}
      {props.table === undefined ? null : (
        <details>
          <summary>{t("Show as table")}</summary>
          {props.table}
        </details>
      )}
    </figure>
  );
}
