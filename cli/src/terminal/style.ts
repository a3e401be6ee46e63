import pc from "picocolors";
import type { CliIo, TextSink } from "./io.js";

type Paint = (text: string) => string;

/** The style of text on a stream: colours (no-ops when off) and the bar's characters. */
export interface Style {
  readonly strong: Paint;
  readonly faint: Paint;
  readonly good: Paint;
  readonly bad: Paint;
  readonly caution: Paint;
  readonly accent: Paint;
  readonly bar: { readonly full: string; readonly empty: string };
}

/**
 * Colours only on a terminal that supports them, or anywhere with FORCE_COLOR (https://force-color.org); never with
 * --no-color or NO_COLOR (https://no-color.org), which take precedence.
 */
export function coloursWanted(sink: TextSink, environment: NodeJS.ProcessEnv, option: boolean): boolean {
  if (!option || environment.NO_COLOR) return false;
  const forced = environment.FORCE_COLOR;
  // As in other programs, 0 and false turn colours off.
  if (forced) return forced !== "0" && forced !== "false";
  return sink.isTerminal && environment.TERM !== "dumb";
}

export function styleFor(sink: TextSink, io: Pick<CliIo, "environment">, option: boolean): Style {
  const paint = pc.createColors(coloursWanted(sink, io.environment, option));
  const { LC_ALL, LC_CTYPE, LANG } = io.environment;
  const unicode = /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || "");
  return {
    strong: paint.bold,
    faint: paint.dim,
    good: paint.green,
    bad: paint.red,
    caution: paint.yellow,
    accent: paint.cyan,
    bar: unicode ? { full: "█", empty: "░" } : { full: "#", empty: "-" },
  };
}

export const plainStyle: Style = {
  strong: (text) => text,
  faint: (text) => text,
  good: (text) => text,
  bad: (text) => text,
  caution: (text) => text,
  accent: (text) => text,
  bar: { full: "#", empty: "-" },
};
