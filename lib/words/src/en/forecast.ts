import type { Say, Words } from "../said.js";
import type { ForecastSays } from "../says/forecast.js";

const withUnit = (value: string, unit: string | null) => (unit === null ? value : `${value} ${unit}`);
const unseen = (what: string, { epsilon, ratio }: ForecastSays["forecast.odds-unseen"], { number }: Say) =>
  `at ε = ${number(epsilon)} ${what} between ${number(Number((1 / ratio).toPrecision(2)))} and ${number(ratio)} over a column's range will not be told from 1`;

export const forecast: Words<ForecastSays> = {
  "forecast.count": () => "Each count",
  "forecast.count-of": ({ column }) => `Each count of ${column}`,
  "forecast.share-of": ({ column }) => `Proportion of each category of ${column}`,
  "forecast.mean-of": ({ column }) => `Mean of ${column}`,
  "forecast.median-of": ({ column }) => `Median of ${column}`,
  "forecast.survival": ({ at, unit }, { number }) => `Survival at ${withUnit(number(at), unit)}`,
  "forecast.survival-of": ({ column, at, unit }, { number }) =>
    `Survival of each group of ${column} at ${withUnit(number(at), unit)}`,
  "forecast.difference-of": ({ column }) => `Difference over the range of ${column}`,
  "forecast.odds-of": ({ column }) => `Odds ratio over the range of ${column}`,
  "forecast.rate-of": ({ column }) => `Rate ratio over the range of ${column}`,
  "forecast.hazard-of": ({ column }) => `Hazard ratio over the range of ${column}`,
  "forecast.accuracy": () => "Accuracy on held-out rows",
  "forecast.area": () => "AUC on held-out rows",
  "forecast.association-of": ({ column }) => `Association of ${column}`,

  "forecast.within": ({ half, unit }, { number }) => `±${withUnit(number(half), unit)}`,
  "forecast.points": ({ points }, { number }) => `±${number(points)} percentage points`,
  "forecast.factor": ({ factor }, { number }) => `a factor of ${number(factor)} up or down`,
  "forecast.imprecise": () => "too imprecise to interpret",

  "forecast.odds-unseen": (params, say) => unseen("an odds ratio", params, say),
  "forecast.rate-unseen": (params, say) => unseen("a rate ratio", params, say),
  "forecast.hazard-unseen": (params, say) => unseen("a hazard ratio", params, say),
  "forecast.difference-unseen": ({ epsilon, difference, unit }, { number }) =>
    `at ε = ${number(epsilon)} a difference below ${withUnit(number(difference), unit)} over a column's range will not be told from 0`,
  "forecast.curves-unseen": ({ epsilon, points, at, unit }, { number }) =>
    `at ε = ${number(epsilon)} two groups whose survival at ${withUnit(number(at), unit)} differs by less than ${number(points)} percentage points will not be told apart`,
  "forecast.nothing-seen": ({ epsilon }, { number }) =>
    `at ε = ${number(epsilon)} every coefficient is likely to be too imprecise to interpret`,
  "forecast.few-events": ({ events, coefficients }, { number }) =>
    `fewer than 10 events a coefficient (${number(events)} for ${number(coefficients)}): intervals will be wide, and levels with few events have none`,
  "forecast.events-assumed": ({ percent }, { number }) =>
    `${number(percent)}% of the rows are taken to have the event: state participation.expectedEvents, on which precision depends`,
  "forecast.enough": ({ wide, figures, rows, epsilon }, { number }) => {
    const ways = [
      ...(rows === null ? [] : [`about ${number(rows)} rows`]),
      ...(epsilon === null ? [] : [`ε = ${number(epsilon)}`]),
    ];
    const begin = `${number(wide)} of ${number(figures)} figures ${wide === 1 ? "is" : "are"} likely to be too wide to be of use`;
    return ways.length === 0
      ? `${begin}: not even 32 times the rows or ε would do; declare closer bounds, fewer features or fewer categories`
      : `${begin}: ${ways.join(" or ")} would do`;
  },

  "forecast.unproven": () => "no forecast: intervals of a method as published count no noise",
  "forecast.no-noise": () => "no forecast: the study adds no noise",
  "forecast.no-interval": () => "no forecast: the release states no number with an interval",
};
