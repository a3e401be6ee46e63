import type { AnySaid, Name } from "@consilium/words/said";
import type { ForecastSays } from "@consilium/words/says/forecast";
import { lines, nameOf, saidText } from "../said.js";
import type { ExpectedPrecision } from "./expectedPrecision.js";

/** Lines of a forecast, in codes: command line and pages say the same. */

const line = lines<ForecastSays>();
const said = <K extends keyof ForecastSays & string>(code: K, params: ForecastSays[K]): AnySaid => ({
  code,
  params,
});

/** An interval that reaches to so many times a ratio, and to so small a part of it, is too imprecise. */
const maxFactor = 100;
/** And one of this half width, of a share or a curve. */
const maxPart = 0.5;

/** The figure's name, as a line. */
export function forecastOf({ statistic, of, at, unit }: ExpectedPrecision): string {
  const column = { column: nameOf(of ?? "") };
  switch (statistic) {
    case "count":
      return of === null ? line("forecast.count", {}) : line("forecast.count-of", column);
    case "share":
      return line("forecast.share-of", column);
    case "mean":
      return line("forecast.mean-of", column);
    case "median":
      return line("forecast.median-of", column);
    case "survival": {
      const when = { at: at ?? 0, unit: unitOf(unit) };
      return of === null
        ? line("forecast.survival", when)
        : line("forecast.survival-of", { ...column, ...when });
    }
    case "difference":
      return line("forecast.difference-of", column);
    case "odds ratio":
      return line("forecast.odds-of", column);
    case "rate ratio":
      return line("forecast.rate-of", column);
    case "hazard ratio":
      return line("forecast.hazard-of", column);
    case "accuracy":
      return line("forecast.accuracy", {});
    case "area":
      return line("forecast.area", {});
    case "association":
      return line("forecast.association-of", column);
  }
}

/** Half width of its interval, at best or as is likely, as a line. */
export function forecastWithin(one: ExpectedPrecision, which: "best" | "likely"): string {
  return saidText(within(one, one[which]));
}

function within({ statistic, unit }: ExpectedPrecision, half: number | null): AnySaid {
  const imprecise = said("forecast.imprecise", {});
  if (half === null) return imprecise;
  switch (statistic) {
    case "count":
      return said("forecast.within", { half: half >= 10 ? Math.ceil(half) : rounded(half), unit: null });
    case "share":
    case "survival":
    case "accuracy":
      return half >= maxPart ? imprecise : said("forecast.points", { points: rounded(100 * half) });
    case "area":
    case "association":
      return half >= maxPart ? imprecise : said("forecast.within", { half: rounded(half), unit: null });
    case "mean":
    case "median":
    case "difference":
      return said("forecast.within", { half: rounded(half), unit: unitOf(unit) });
    case "odds ratio":
    case "rate ratio":
    case "hazard ratio":
      return half > maxFactor ? imprecise : said("forecast.factor", { factor: Number(half.toPrecision(3)) });
  }
}

const unitOf = (unit: string | null): Name | null => (unit === null ? null : nameOf(unit));
const rounded = (value: number) => Number(value.toPrecision(2));
