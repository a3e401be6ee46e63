import { drawFigure } from "@consilium/core/release/drawing/draw";
import { type Shape, text } from "@consilium/core/release/drawing/drawing";
import type { ShownFigure } from "@consilium/core/release/shownFigures";
import { english } from "@consilium/runtime/http/spoken";
import { htmlText } from "./escape.js";

interface Palette {
  readonly ink: string;
  readonly soft: string;
  readonly grid: string;
  readonly ground: string;
  /** Of series, apart for the colour-blind too, after Okabe and Ito. */
  readonly series: readonly string[];
}

const light: Palette = {
  ink: "#1b1b1b",
  soft: "#5c5c5c",
  grid: "#d9d9d9",
  ground: "#ffffff",
  series: ["#0072b2", "#b34a00", "#00795a", "#a0457e", "#7a6a00", "#3a6f9c"],
};
const dark: Palette = {
  ink: "#ececec",
  soft: "#b0b0b0",
  grid: "#444444",
  ground: "#161616",
  series: ["#56b4e9", "#e69f00", "#2fc79b", "#e08cc0", "#f0e442", "#8fc1e8"],
};

/** Plain rules for either ground: programs that draw pictures for print know no variables. */
function colourRules({ ink, soft, grid, ground, series }: Palette): string {
  return [
    `text { fill: ${ink}; }`,
    `.soft { fill: ${soft}; }`,
    `.ground { fill: ${ground}; }`,
    `.grid { stroke: ${grid}; }`,
    `.axis, .reference { stroke: ${soft}; }`,
    `.whisker { stroke: ${ink}; }`,
    `.box { fill: ${ground}; stroke: ${soft}; }`,
    ...series.map((colour, i) => `.s${i}, .grouped.f${i} { stroke: ${colour}; } .f${i} { fill: ${colour}; }`),
  ].join("\n");
}

const style = `
text { font: 13px system-ui, sans-serif; }
.title { font-size: 16px; font-weight: 600; }
.soft { font-size: 12px; }
.whisker { stroke-width: 1.5; }
.line { fill: none; stroke-width: 2; }
.reference { fill: none; stroke-dasharray: 5 4; }
.band { fill-opacity: 0.2; stroke: none; }
.untold { fill-opacity: 0.35; }
.grouped { stroke-width: 1.5; }
.grouped.f1 { fill-opacity: 0.45; }
.grouped.f2 { fill-opacity: 0.12; }
.grouped.f3 { fill-opacity: 0.7; }
.grouped.f4 { fill-opacity: 0.3; }
.grouped.f5 { fill-opacity: 0; }
.grouped.f3, .grouped.f4, .grouped.f5 { stroke-dasharray: 4 2; }
${colourRules(light)}
@media (prefers-color-scheme: dark) {
${colourRules(dark)}
}
`;

/** The lines of a flow, labels of bars and what an axis is of may be sentences as facts; all other texts are English. */
function inEnglish(figure: ShownFigure): ShownFigure {
  if (figure.kind === "bars")
    return { ...figure, bars: figure.bars.map((bar) => ({ ...bar, label: english(bar.label) })) };
  if (figure.kind === "curves") return { ...figure, yLabel: english(figure.yLabel) };
  if (figure.kind !== "flow") return figure;
  const steps = figure.steps.map(({ lines, aside }) => ({
    lines: lines.map((line) => english(line)),
    aside: aside.map((line) => english(line)),
  }));
  return { ...figure, steps };
}

/** A figure as an SVG document that runs nothing and loads nothing. */
export function figureSvg(figure: ShownFigure): string {
  const { title, description, width, height, shapes } = drawFigure(inEnglish(figure));
  const heading = text(20, 28, title, { class: "title", most: Math.floor((width - 40) / 8.5) });
  return `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title description">
<title id="title">${xmlText(title)}</title>
<desc id="description">${xmlText(description)}</desc>
<style>${style}</style>
<rect class="ground" width="${width}" height="${height}"/>
${[heading, ...shapes].map(element).join("\n")}
</svg>
`;
}

function element({ tag, attributes, text: content = "", hint }: Shape): string {
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${xmlText(value)}"`);
  const inner = `${hint === undefined ? "" : `<title>${xmlText(hint)}</title>`}${xmlText(content)}`;
  return inner === "" ? `<${tag}${written.join("")}/>` : `<${tag}${written.join("")}>${inner}</${tag}>`;
}

/**
 * Text that XML 1.0 can hold, escaped: what it has no room for is replaced, be it a control character or half a surrogate
 * pair.
 */
function xmlText(value: string): string {
  const held = value.replace(/[\p{Cc}\p{Surrogate}\ufffe\uffff]/gu, (found) =>
    /\s/.test(found) ? " " : "\ufffd",
  );
  return htmlText(held);
}
