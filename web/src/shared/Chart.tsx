import { type ReactNode, Suspense } from "react";
import { t } from "./language";
import { onDemand } from "./onDemand";
import type { PlotProps } from "./plotted";

const Plotted = onDemand(() => import("./plotted"));

/**
 * A figure: caption, chart, and the same values as a table for readers who cannot see the chart.
 * @param make - the plot's options; keep it and the readings stable (`useCallback`, `useMemo`, or outside the
 * component): new ones redraw the chart
 */
export function Chart(
  props: PlotProps & {
    readonly caption: ReactNode;
    readonly table?: ReactNode;
    /** Above the chart, such as its legend. */
    readonly above?: ReactNode;
    /** Below the chart, such as buttons of its zoom. */
    readonly below?: ReactNode;
  },
) {
  return (
    <Figure caption={props.caption} table={props.table}>
      <Suspense fallback={<div className="chart muted">{t("Drawing…")}</div>}>
        {props.above}
        <Plotted make={props.make} label={props.label} readings={props.readings} onBrush={props.onBrush} />
        {props.below}
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
