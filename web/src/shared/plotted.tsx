import * as Plot from "@observablehq/plot";
import { useEffect, useRef, useState } from "react";

type PlotOptions = Plot.PlotOptions;
export type PlotMaker = (plot: typeof Plot, width: number) => PlotOptions;

/** The part of `Chart` that needs the plotting library; loaded when a page first shows a chart. */
export default function Plotted({ make, label }: { readonly make: PlotMaker; readonly label: string }) {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
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
    const drawn = Plot.plot({ className: "plot", width, ariaLabel: label, ...make(Plot, width) });
    // An inline <style> would need 'unsafe-inline'; components.css has those rules.
    for (const style of drawn.querySelectorAll("style")) style.remove();
    // The figure is one image with one label; its marks have no role of their own.
    for (const mark of drawn.querySelectorAll("[aria-label]")) mark.removeAttribute("aria-label");
    drawn.setAttribute("role", "img");
    drawn.setAttribute("aria-label", label);
    element.replaceChildren(drawn);
    // An image wider than its frame scrolls, with the keyboard too.
    const scrolls = element.scrollWidth > element.clientWidth;
    element.tabIndex = scrolls ? 0 : -1;
    for (const [name, value] of [
      ["role", "group"],
      ["aria-label", label],
    ] as const) {
      if (scrolls) element.setAttribute(name, value);
      else element.removeAttribute(name);
    }
  }, [make, label, width]);
  return <div ref={frame} className="chart" />;
}
