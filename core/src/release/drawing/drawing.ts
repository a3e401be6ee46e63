/**
 * A figure as shapes, which the publisher writes as an SVG document and a page puts into its own. Classes name what a
 * shape is (`grid`, `axis`, `soft`, `s0` for the first series' lines, `f0` for its areas); each side has its colours.
 */
export interface Shape {
  readonly tag: "line" | "rect" | "circle" | "polyline" | "polygon" | "text";
  readonly attributes: Readonly<Record<string, string>>;
  /** Of a text element. */
  readonly text?: string;
  /** Shown where the shape is pointed at. */
  readonly hint?: string;
}

/** Where a value is drawn, so that a page can read it out. */
export interface Mark {
  readonly x: number;
  readonly y: number;
  /** Index of its series; 0 for bars and nodes. */
  readonly series: number;
  /** Index of the point in its series, of the bar or of the node. */
  readonly point: number;
}

/** How a page draws a figure that it lets its reader change. */
export interface DrawingOptions {
  /** Each series' own colour where others are hidden; by default by its name. */
  readonly colours?: readonly number[];
  /** Default: true. */
  readonly legend?: boolean;
  /** Of bars and curves, in pixels: at least 280. Default: `usualWidth`. A tree is as wide as its leaves. */
  readonly width?: number;
}

export interface Drawing {
  readonly title: string;
  /** What the figure shows, in words and numbers, for those who do not see it. */
  readonly description: string;
  readonly width: number;
  readonly height: number;
  readonly shapes: readonly Shape[];
  readonly marks: readonly Mark[];
}

export const usualWidth = 720;
const leastWidth = 280;
/** The width that a picture is drawn for. */
export const widthOf = ({ width = usualWidth }: Pick<DrawingOptions, "width">): number =>
  Math.max(leastWidth, width);
/** Of a line of text, and about of a character: so many are shown as there is room for. */
export const lineHeight = 16;
export const letterWidth = 7;
/** In a narrower picture names stand above their bars, and axes take less room. */
export const narrowBelow = 560;

/** What is above it is room for a title. */
export const titleHeight = 36;

/** Series with colours of their own; further ones begin anew. */
export const colours = 6;

/** Of groups by their names, so that two figures whose studies declare them in another order agree. */
export function coloursByName(names: readonly string[]): number[] {
  const sorted = [...names].sort();
  return names.map((name) => sorted.indexOf(name) % colours);
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
): Shape {
  const { anchor = "start", most = Number.POSITIVE_INFINITY } = options;
  const characters = Array.from(value);
  const isCut = characters.length > most;
  return {
    tag: "text",
    attributes: {
      x: at(x),
      y: at(y),
      ...(options.class === undefined ? {} : { class: options.class }),
      ...(anchor === "start" ? {} : { "text-anchor": anchor }),
      ...(options.turned === true ? { transform: `rotate(-90 ${at(x)} ${at(y)})` } : {}),
    },
    text: isCut ? `${characters.slice(0, Math.max(1, most - 1)).join("")}…` : value,
    ...(isCut ? { hint: value } : {}),
  };
}

/** A text in lines of at most so many characters, broken between words. */
export function lines(value: string, most: number): string[] {
  const found: string[] = [];
  for (const word of value.split(" ")) {
    const longer = `${found.at(-1) ?? ""} ${word}`;
    if (found.length > 0 && longer.length <= most) found[found.length - 1] = longer;
    else found.push(word);
  }
  return found;
}

export function line(x1: number, y1: number, x2: number, y2: number, className: string): Shape {
  return { tag: "line", attributes: { class: className, x1: at(x1), y1: at(y1), x2: at(x2), y2: at(y2) } };
}

/** In place of a ratio whose interval tells nothing of it: see ratios.ts. */
export const untoldText = "cannot be told";

/** A number to read: three significant digits. */
export function shortNumber(value: number): string {
  const short = Number(value.toPrecision(3));
  return Math.abs(short) >= 1e6 ? short.toExponential() : String(short);
}

/** e to the power of a value to read, on a second axis beside the value's own. */
export function exponentialOf(value: number): string {
  return shortNumber(Math.exp(value));
}
