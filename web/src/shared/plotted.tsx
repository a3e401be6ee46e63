import * as Plot from "@observablehq/plot";
import { useEffect, useRef, useState } from "react";
import { type Box, Explorable } from "./figures/Explorable";
import type { Reading } from "./figures/reading";

type PlotOptions = Plot.PlotOptions;
export type PlotMaker = (plot: typeof Plot, width: number) => PlotOptions;

/** A value that a plot's reader can have read out, by the values of its axes. */
export interface PlotReading {
  readonly x: number | string | Date;
  readonly y: number | string | Date;
  readonly series: number;
  /** Its name, then its values. */
  readonly lines: readonly string[];
}

export interface PlotProps {
  readonly make: PlotMaker;
  readonly label: string;
  readonly readings: readonly PlotReading[];
  /** Called with the values of the axes that a mouse was drawn across. */
  readonly onBrush?: ((box: Box) => void) | undefined;
}

interface Drawn {
  readonly plot: ReturnType<typeof Plot.plot>;
  readonly readings: readonly Reading[];
  readonly size: { readonly width: number; readonly height: number };
}

/** The part of `Chart` that needs the plotting library; loaded when a page first shows a chart. */
export default function Plotted({ make, label, readings, onBrush }: PlotProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [drawn, setDrawn] = useState<Drawn | null>(null);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const element = frame.current;
    if (element === null || width === 0) return;
    const plot = Plot.plot({ className: "plot", width, ariaLabel: label, ...make(Plot, width) });
    // An inline <style> would need 'unsafe-inline'; components.css has those rules.
    for (const style of plot.querySelectorAll("style")) style.remove();
    // The figure is one image with one label; its marks have no role of their own.
    for (const mark of plot.querySelectorAll("[aria-label]")) mark.removeAttribute("aria-label");
    plot.setAttribute("role", "img");
    plot.setAttribute("aria-label", label);
    element.replaceChildren(plot);
    setDrawn({
      plot,
      size: { width, height: Number(plot.getAttribute("height")) },
      readings: readings.map(({ x, y, ...words }) => ({
        ...words,
        x: placeOf(plot, "x", x),
        y: placeOf(plot, "y", y),
      })),
    });
  }, [make, label, width, readings]);
  const brushed = (box: Box) => {
    if (drawn === null || onBrush === undefined) return;
    const ends = (axis: "x" | "y"): readonly [number, number] => {
      const [a, b] = box[axis].map((place) => Number(drawn.plot.scale(axis)?.invert?.(place)));
      return [Math.min(a!, b!), Math.max(a!, b!)];
    };
    onBrush({ x: ends("x"), y: ends("y") });
  };
  return (
    <Explorable
      label={label}
      readings={drawn?.readings ?? []}
      size={drawn?.size ?? { width: 1, height: 1 }}
      onBrush={onBrush === undefined ? undefined : brushed}
    >
      <div ref={frame} className="chart" />
    </Explorable>
  );
}

/** The pixel of a value; of a band its middle. */
function placeOf(plot: Drawn["plot"], axis: "x" | "y", value: PlotReading["x"]): number {
  const scale = plot.scale(axis);
  return Number(scale?.apply(value) ?? 0) + (scale?.bandwidth ?? 0) / 2;
}
