import { lazy, type ReactNode, Suspense } from "react";
import type { PlotMaker } from "./plotted";

const Plotted = lazy(() => import("./plotted"));

/**
 * A figure: its caption, the chart, and the same figures as a table for whoever cannot see it.
 * @param make - the plot's options; hold it stable (`useCallback` or outside the component), a new one draws anew
 */
export function Chart(props: {
  readonly caption: ReactNode;
  readonly label: string;
  readonly make: PlotMaker;
  readonly table?: ReactNode;
}) {
  return (
    <Figure caption={props.caption} table={props.table}>
      <Suspense fallback={<div className="chart muted">Drawing…</div>}>
        <Plotted make={props.make} label={props.label} />
      </Suspense>
    </Figure>
  );
}

/** A picture with its caption, and the same as a table. */
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
          <summary>The same as a table</summary>
          {props.table}
        </details>
      )}
    </figure>
  );
}
