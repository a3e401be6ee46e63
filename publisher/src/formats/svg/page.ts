import { htmlText } from "../escape.js";

/** What all figures share: a page with title and description for those who do not see it, colours for light and dark. */

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
    ...series.map((colour, i) => `.s${i} { stroke: ${colour}; } .f${i} { fill: ${colour}; }`),
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
${colourRules(light)}
@media (prefers-color-scheme: dark) {
${colourRules(dark)}
}
`;

/** Colours of series that there are; further ones begin anew. */
export const colours = light.series.length;

/** One figure as a document of its own. */
export function svgPage(options: {
  readonly title: string;
  /** What the figure shows, in words and numbers. */
  readonly description: string;
  readonly width: number;
  readonly height: number;
  readonly body: readonly string[];
}): string {
  const { title, description, width, height, body } = options;
  return `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title description">
<title id="title">${xmlText(title)}</title>
<desc id="description">${xmlText(description)}</desc>
<style>${style}</style>
<rect class="ground" width="${width}" height="${height}"/>
${text(20, 28, title, { class: "title", most: Math.floor((width - 40) / 8.5) })}
${body.join("\n")}
</svg>
`;
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

/** A coordinate: hundredths of a pixel are enough. */
export const at = (value: number): string => String(Number(value.toFixed(2)));

/** @param options.most - characters shown; the whole is told where the text is pointed at */
export function text(
  x: number,
  y: number,
  value: string,
  options: {
    readonly class?: string;
    readonly anchor?: "start" | "middle" | "end";
    readonly most?: number;
    readonly turned?: boolean;
  } = {},
): string {
  const { anchor = "start", most = Number.POSITIVE_INFINITY } = options;
  const characters = Array.from(value);
  const isCut = characters.length > most;
  const shown = isCut ? `${characters.slice(0, Math.max(1, most - 1)).join("")}…` : value;
  const attributes = [
    `x="${at(x)}" y="${at(y)}"`,
    ...(options.class === undefined ? [] : [`class="${options.class}"`]),
    ...(anchor === "start" ? [] : [`text-anchor="${anchor}"`]),
    ...(options.turned === true ? [`transform="rotate(-90 ${at(x)} ${at(y)})"`] : []),
  ].join(" ");
  return `<text ${attributes}>${isCut ? `<title>${xmlText(value)}</title>` : ""}${xmlText(shown)}</text>`;
}

export function line(x1: number, y1: number, x2: number, y2: number, className: string): string {
  return `<line class="${className}" x1="${at(x1)}" y1="${at(y1)}" x2="${at(x2)}" y2="${at(y2)}"/>`;
}

/** A number to read: three significant digits. */
export function shortNumber(value: number): string {
  const short = Number(value.toPrecision(3));
  return Math.abs(short) >= 1e6 ? short.toExponential() : String(short);
}

/** e to the power of a value to read, on a second axis beside the value's own. */
export function exponentialOf(value: number): string {
  return shortNumber(Math.exp(value));
}
