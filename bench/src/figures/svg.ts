import type { Figure, FigurePoint } from "./figure.js";

/** A figure as a line chart in SVG: measured lines with bars of one standard deviation, published ones dashed. */

const width = 720;
const height = 420;
const plot = { left: 64, top: 40, right: 500, bottom: 360 };
/** Told apart by readers who see few colours [Okabe, Ito 2008]. */
const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

interface Axis {
  readonly low: number;
  readonly high: number;
  readonly at: (value: number) => number;
  readonly ticks: readonly number[];
}

export function svgOf(figure: Figure): string {
  const shown = figure.series.filter(({ points }) => points.length > 0);
  const all = shown.flatMap(({ points }) => points);
  const x = xAxis(all.map((point) => point.x));
  const y = yAxis(all.flatMap(({ y: value, sd = 0 }) => [value - sd, value + sd]));
  const lines = shown.map((series, i) => {
    const colour = colours[i % colours.length]!;
    const points = [...series.points].sort((a, b) => a.x - b.x);
    const path = points.map((point) => `${round(x.at(point.x))},${round(y.at(point.y))}`).join(" ");
    const dashes = series.published ? ' stroke-dasharray="5 4"' : "";
    const legend = plot.top + 18 * i;
    return [
      `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="1.8"${dashes}/>`,
      ...points.flatMap((point) => marks(point, x, y, colour)),
      `<line x1="${plot.right + 14}" x2="${plot.right + 38}" y1="${legend}" y2="${legend}" stroke="${colour}" stroke-width="1.8"${dashes}/>`,
      text(plot.right + 44, legend + 4, `${series.name}${series.published ? " (published)" : ""}`, "start"),
    ].join("\n");
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" role="img">
<title>${escaped(figure.title)}</title>
<desc>${escaped(figure.verdict)}</desc>
<rect width="${width}" height="${height}" fill="#fff"/>
${text(plot.left, 22, figure.title, "start", 15)}
${x.ticks.map((tick) => `<line x1="${round(x.at(tick))}" x2="${round(x.at(tick))}" y1="${plot.top}" y2="${plot.bottom}" stroke="#e5e5e5"/>\n${text(x.at(tick), plot.bottom + 18, String(tick), "middle")}`).join("\n")}
${y.ticks.map((tick) => `<line x1="${plot.left}" x2="${plot.right}" y1="${round(y.at(tick))}" y2="${round(y.at(tick))}" stroke="#e5e5e5"/>\n${text(plot.left - 8, y.at(tick) + 4, String(tick), "end")}`).join("\n")}
${text((plot.left + plot.right) / 2, plot.bottom + 40, figure.xLabel, "middle")}
<g transform="rotate(-90 16 ${(plot.top + plot.bottom) / 2})">${text(16, (plot.top + plot.bottom) / 2, figure.yLabel, "middle")}</g>
${lines.join("\n")}
</svg>
`;
}

function marks({ x: at, y: value, sd }: FigurePoint, x: Axis, y: Axis, colour: string): string[] {
  const [cx, cy] = [round(x.at(at)), round(y.at(value))];
  const dot = `<circle cx="${cx}" cy="${cy}" r="2.6" fill="${colour}"/>`;
  if (sd === undefined || sd === 0) return [dot];
  const [from, to] = [round(y.at(value - sd)), round(y.at(value + sd))];
  return [
    `<line x1="${cx}" x2="${cx}" y1="${from}" y2="${to}" stroke="${colour}" stroke-opacity="0.5"/>`,
    dot,
  ];
}

/** The values themselves; on a scale of logarithms where they span more than a factor of twenty. */
function xAxis(values: readonly number[]): Axis {
  const ticks = [...new Set(values)].sort((a, b) => a - b);
  const [low, high] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const scale = low > 0 && high / low > 20 ? Math.log : (value: number) => value;
  const span = scale(high) - scale(low) || 1;
  const at = (value: number) =>
    plot.left + 12 + ((scale(value) - scale(low)) / span) * (plot.right - plot.left - 24);
  return { low, high, at, ticks: apart(ticks, at) };
}

/** Labels that do not run into each other. */
function apart(ticks: readonly number[], at: (value: number) => number): number[] {
  const kept: number[] = [];
  for (const tick of ticks) if (kept.length === 0 || at(tick) - at(kept.at(-1)!) >= 30) kept.push(tick);
  return kept;
}

function yAxis(values: readonly number[]): Axis {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const rough = (most - least || 1) / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((candidate) => candidate >= rough)!;
  const [low, high] = [Math.floor(least / step) * step, Math.ceil(most / step) * step || step];
  const ticks: number[] = [];
  for (let i = 0; low + i * step <= high + step / 2; i++) ticks.push(Number((low + i * step).toPrecision(6)));
  const at = (value: number) => plot.bottom - ((value - low) / (high - low || 1)) * (plot.bottom - plot.top);
  return { low, high, at, ticks };
}

function text(x: number, y: number, words: string, anchor: string, size?: number): string {
  const font = size === undefined ? "" : ` font-size="${size}"`;
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}"${font}>${escaped(words)}</text>`;
}

const round = (value: number) => Math.round(value * 10) / 10;

function escaped(words: string): string {
  return words.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
