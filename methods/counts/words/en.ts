import type { Words } from "@consilium/words/said";
import type { CountsSays } from "../says.js";

export const en: Words<CountsSays> = {
  "counts.sent": ({ units, conditions, named, more, groups }, { say, names }) =>
    `how many ${say(units)} meet each of ${conditions} ${conditions === 1 ? "condition" : "conditions"} (${names(named, more)})${groups === 1 ? "" : `, by ${groups} groups of sites`}`,
  "counts.few": ({ expected, needed, units, grouped, percent, factor }, { say }) =>
    `${say(expected)} a condition must be met by more than ${needed} ${say(units)}${grouped === 0 ? "" : " in an average group of sites"} (${percent === null ? "more than there are" : `${percent} % of them`}) to stand out of the noise; ask fewer conditions or groups, or raise epsilon about ${factor}-fold to see a tenth`,
  "counts.criterion-bound": () => "write atLeast, below or both for a number, in for a category, or missing",
  "counts.criterion-form": () =>
    "a column with `atLeast`, `below` or both; with `in` and a list of levels; or with `missing: true` or `false`",
  "counts.name": () => "letters, digits, spaces, dots, hyphens and underscores, the first a letter or digit",
  "counts.condition-needed": () => "declare at least one condition",
  "counts.name-taken": ({ condition }) => `parameters.conditions[${condition}] has this name already`,
  "counts.missing-uncounted": ({ column }) =>
    `column "${column}" does not count missing values; write missing: own-level there`,
  "counts.number": ({ column }) => `column "${column}" is a number: write atLeast or below`,
  "counts.category": ({ column }) => `column "${column}" is a category: write in and a list of levels`,
  "counts.level-twice": () => "a level is listed twice; list each once",
  "counts.level-undeclared": ({ level, column }) => `"${level}" is not a declared level of "${column}"`,
  "counts.no-number": ({ atLeast, below }) => `no number is at least ${atLeast} and below ${below}`,
  "counts.outside": ({ value, min, max, column }) =>
    `${value} is not above min (${min}) and at most max (${max}) of "${column}": every number, or none, would meet it`,
  "counts.groups-needed": () => "declare two groups or more",
  "counts.groups-sites": () => "groups need the sites of the study; name them in participation.sites",
  "counts.groups-name": () => "two groups have one name",
  "counts.site-twice": ({ site }) => `site "${site}" is listed twice; list each site in one group`,
  "counts.site-unknown": ({ site }) => `site "${site}" is not in participation.sites`,
  "counts.site-without": ({ site }) => `site "${site}" of participation.sites is in no group`,
};
