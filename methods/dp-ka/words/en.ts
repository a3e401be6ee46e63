import type { Words } from "@consilium/words/said";
import type { DpKaSays } from "../says.js";

export const en: Words<DpKaSays> = {
  "dp-ka.rows": () => "the number of rows",
  "dp-ka.test": ({ max }) =>
    `counts of rows by the combinations of the bins of some features, at most ${max}`,
  "dp-ka.table": ({ max, label }) =>
    `counts of rows by the combinations of the bins of the selected features, at most ${max}, and by ${label}`,
  "dp-ka.one-round": ({ counts }, { say }) => `${say(counts)}, to order the features in one round`,
  "dp-ka.because": ({ what, reason }, { say }) => `${say(what)} (${say(reason)})`,
  "dp-ka.many-classes": ({ classes }) => `boosting takes two classes, and there are ${classes}`,
  "dp-ka.training-rows": ({ rows, units, needed }, { say }) =>
    `about ${rows} ${say(units)} are expected for training, and boosting's splits need ${needed} to stand out of the noise`,
  "dp-ka.large-features": ({ max, features, more }) =>
    `never selected, for they have more than maxCells = ${max} bins: ${features.map((one) => `"${one}"`).join(", ")}${more === 0 ? "" : ` and ${more} more`}`,
  "dp-ka.few-rows": ({ expected, needed, units }, { say }) =>
    `${say(expected)} hardly two features can be selected together: a group must show ${needed} ${say(units)} to stand out of a test's noise; raise epsilon, or declare fewer features or bins`,
  "dp-ka.order-noise": ({ expected, needed, units }, { say }) =>
    `${say(expected)} the order of the features is mostly noise: even one that decides half of the label needs ${needed} ${say(units)} for training to stand out; raise epsilon or budget.importance, or declare fewer features or bins`,
  "dp-ka.order-declared": ({ expected, needed, units }, { say }) =>
    `${say(expected)} the order of the features is mostly that of their declaration: a side of a split needs ${needed} ${say(units)} to stand out of the noise; write order: histogram, raise epsilon or budget.importance, or declare fewer features`,
  "dp-ka.parts": () => "the parts are more than the whole; lower one of them",
  "dp-ka.two-classes": ({ classes }) =>
    `boosting takes two classes, and there are ${classes}; declare two, or write order: histogram`,
  "dp-ka.max-cells": ({ max, fewest }) =>
    `every feature has more bins than ${max}, ${fewest} at least: none could be selected; raise maxCells, or declare fewer bins`,
  "dp-ka.threshold": ({ needed, units, rows }, { say }) =>
    `a group must show ${needed} ${say(units)} to stand out of a test's noise, and there are at most ${rows} in all; raise epsilon or budget.tests, or declare fewer features`,
};
