import type { Name, Say, Words } from "@consilium/words/said";
import type { RegressionSays } from "../says.js";

const adjusted = (what: string) =>
  `Each coefficient is the change in ${what} for an increase of a variable by its step (\`per\`; 1 where none is declared), or of a level against the reference, adjusted for the other variables`;

const listed = (
  {
    terms,
    more,
  }: { readonly terms: RegressionSays["regression.few-events"]["terms"]; readonly more: number },
  { list, number }: Say,
) => (more === 0 ? list(terms) : `${terms.join(", ")} and ${number(more)} more`);

const percent = (share: number, { number }: Say) => `${number(Number((100 * share).toPrecision(2)))}%`;

const interval = ({ low, high }: { readonly low: number; readonly high: number }, say: Say) =>
  low === high ? "" : ` (95% noise interval ${percent(low, say)} to ${percent(high, say)})`;

const families: Readonly<Record<string, string>> = { poisson: "Poisson", cox: "Cox" };
const familyName = (family: Name) => families[family] ?? family;

export const en: Words<RegressionSays> = {
  "regression.gram": ({ columns, outcome }) =>
    `the products of the ${columns} columns and the outcome ${outcome} with each other`,
  "regression.squares": ({ columns }) =>
    `squared residuals times products of the ${columns} columns with each other`,
  "regression.exposures": () => "counts and exposures",
  "regression.follow-up": ({ intervals }) => `events and times of follow-up in ${intervals} intervals`,
  "regression.sums-logistic": ({ parameters }) =>
    `first and second derivatives of the rows' log loss for the ${parameters} coefficients`,
  "regression.sums-poisson": ({ parameters }) =>
    `first and second derivatives of the rows' Poisson likelihood for the ${parameters} coefficients`,
  "regression.sums-cox": ({ parameters }) =>
    `first and second derivatives of the rows' likelihood for the ${parameters} coefficients`,
  "regression.log-odds": ({ label, level, reference }) =>
    `${adjusted(`the log-odds of ${label} = ${level} against ${reference}`)}; exp(coefficient) is the odds ratio. The intercept is the log-odds where every number is 0 and every category is at its reference.`,
  "regression.mean": ({ outcome, residual, rSquared }, { number }) =>
    `${adjusted(`the mean of ${outcome}`)}. The intercept is the mean where every number is 0 and every category is at its reference. Residual standard deviation ${number(residual)}; R² = ${number(rSquared)} on the rows of the fit.`,
  "regression.log-rate": ({ outcome, exposure }) =>
    `${adjusted(`the log rate of ${outcome}`)}; exp(coefficient) is the rate ratio. The intercept is the log rate ${exposure === null ? "of a row" : `per unit of ${exposure}`} where every number is 0 and every category is at its reference.`,
  "regression.log-hazard": ({ label, event, time }) =>
    `${adjusted(`the log hazard of ${label} = ${event}`)}; exp(coefficient) is the hazard ratio. baseline.csv has the hazard in each interval of ${time} where every number is 0 and every category is at its reference.`,
  "regression.events": ({ events, time }, { number }) =>
    `About ${number(events)} events. Piecewise exponential model: hazard constant within intervals of ${time}, proportional hazards. Where another outcome rules the event out (a competing risk), the hazard is cause-specific.`,
  "regression.cut": (params, say) =>
    `Follow-up ended at a cumulative hazard of ${say.number(params.cap)} in ${percent(params.share, say)} of the patients${interval(params, say)}. Where hazards are not proportional, ratios are those within that follow-up.`,
  "regression.counts": ({ outcome, total, dispersion }, { number }) =>
    `The total of ${outcome} is about ${number(total)}. Counts vary ${number(dispersion)} times as much as a Poisson distribution would; the standard errors allow for it.`,
  "regression.at-bound": (params, say) =>
    `At most ${percent(params.share, say)} of the rows${interval(params, say)} had a count ${say.number(params.cap)} or further below its mean, and were set to that bound: where the share is not small, rates are too low.`,
  "regression.equal-variances": () =>
    "Equal variances assumed: standard errors take the residual variance as the same for all rows.",
  "regression.intervals": ({ noise }) =>
    noise === 0
      ? "No noise was added. The 95% confidence intervals and p values cover sampling. They invert a score test."
      : "The 95% confidence intervals and p values cover sampling and privacy noise. They invert a score test. In 95% of releases an interval contains the true value, where a coefficient that is too imprecise to interpret counts as contained. They assume that no other coefficient is further than 40, over its variable's declared range, from where the last sum was taken.",
  "regression.weighted-rows": () =>
    "Each row weighs 1 over the number of its patient's rows. Intervals take a patient's rows as equal, and are too wide where they differ.",
  "regression.associations": () =>
    "These are associations, not causes. A number outside its declared bounds was set to the nearer bound.",
  "regression.pooled": () =>
    "All hospitals count as one population. Where the outcome differs between hospitals for other reasons than the variables, coefficients mix differences between patients with differences between hospitals.",
  "regression.predicting": () =>
    "model.onnx predicts with coefficients that are shrunk towards 0 (`predicting` in model.json). They have no intervals and are not those of coefficients.csv.",
  "regression.calibrated": ({ intercept, slope }, { number }) =>
    `model.onnx is calibrated: its log-odds are ${number(intercept)} + ${number(slope)} × those of its coefficients.`,
  "regression.not-calibrated": () =>
    "model.onnx states the probabilities of its coefficients: the held-out rows are too few, beside the noise, to calibrate them.",
  "regression.convergence": ({ sums, change, misfit, freedom }, { number }) =>
    `Convergence: ${number(sums)} sums; the last one still changes the linear predictor by ${number(change)} (root mean square), and its gradient is χ² = ${number(misfit)} from 0 with ${number(freedom)} degrees of freedom.`,
  "regression.separated": ({ label }) =>
    `Separation: the variables determine ${label} almost without exception. If they do without any, no finite coefficients are most likely. Look for a variable that follows from the outcome before reading them.`,
  "regression.few-outcomes": ({ what, count }, { number }) =>
    `About ${number(count)} ${what} over all hospitals: too few for the noise or for chance. The coefficients are uninformative.`,
  "regression.unbounded": (params, say) =>
    `Too imprecise to interpret: ${listed(params, say)}. ${params.noise === 0 ? "A variable follows from others, or a level has no events: remove it, or merge levels." : "More rows, a larger epsilon or fewer variables would help."}`,
  "regression.few-events": (terms, say) =>
    `Too imprecise to interpret, because a level has fewer than about ten events: ${listed(terms, say)}. Merging the level with another would help.`,
  "regression.wide-bounds": (terms, say) =>
    `Too imprecise to interpret, because the declared bounds are wide beside the spread of the values: ${listed(terms, say)}. Narrower bounds would help.`,
  "regression.not-arrived": () =>
    "Too imprecise to interpret: every coefficient, because the fit did not converge in the noise. More rows, a larger epsilon or fewer variables would help.",
  "regression.elsewhere": () =>
    "Estimated on these hospitals' rows. Elsewhere or later it may do worse; measure it there before relying on it.",
  "regression.no-device": () =>
    "Associations, not causes. Not a medical device: no decision on a patient may rest on it alone.",
  "regression.few-rows": ({ expected, bearable, of }, { say }) =>
    `${say(expected)} at most ${bearable} of ${of} coefficients can have an interval of use: raise epsilon, declare fewer features or levels, or invite more sites`,
  "regression.variant": () => "regression is `sound`; there is no variant of it as published",
  "regression.many-coefficients": ({ coefficients, max }) =>
    `${coefficients} coefficients are over the limit of ${max}; declare fewer features or levels`,
  "regression.no-interval": ({ rows, units, coefficients }, { say }) =>
    `even with all ${rows} ${say(units)} that there may be, noise leaves none of ${coefficients} coefficients an interval of use; raise epsilon, declare fewer features, or invite more sites`,
  "regression.other-parameter": ({ families, family }) =>
    `only with family: ${families.join(" or ")}; a ${familyName(family)} regression has none`,
  "regression.holds-none-out": ({ family }) =>
    `only with family: logistic; a ${familyName(family)} regression holds no rows out: write none`,
  "regression.feature-needed": () => "declare at least one feature beside the outcome",
  "regression.no-label": ({ family }) =>
    `only with family: logistic or cox; a ${familyName(family)} regression explains parameters.outcome`,
  "regression.label-missing": ({ family }) =>
    family === "cox"
      ? "missing: a Cox regression explains when the label's level `event` comes; declare it"
      : "missing: a logistic regression explains a label of two levels; declare it",
  "regression.two-levels": ({ levels }) => `${levels} levels; a logistic regression explains exactly two`,
  "regression.event-missing": ({ levels }) => `missing; take one of: ${levels.join(", ")}`,
  "regression.role-missing": ({ role }) =>
    `missing: ${role === "time" ? "name the time of follow-up" : "name the numeric feature that is to be explained"}`,
  "regression.not-numeric": ({ column }) => `"${column}" is not a numeric feature of the study`,
  "regression.is-counted": ({ column }) => `"${column}" is what is counted`,
  "regression.exposure-zero": () =>
    "above 0: a count is in proportion to its exposure, and a row without one tells nothing",
  "regression.time-zero": () => "0: follow-up begins there; max is the horizon",
  "regression.counts-zero": () => "0: counts begin there",
  "regression.value-below": ({ min }) =>
    `reject-row: a value below ${min} is an error in the record, and is not used`,
  "regression.value-missing": () => "reject-row: no constant stands for what was not recorded",
};
