import { oneOf } from "../oneOf.js";
import type { Say, Words } from "../said.js";
import type { Association, CountedParams, FindingSays, Step } from "../says/findings.js";

function stepText({ step, unit }: Step, { number }: Say): string {
  if (step === null || (step === 1 && unit === null)) return "";
  if (unit === null) return ` (per ${number(step)})`;
  if (step !== 1) return ` (per ${number(step)} ${unit})`;
  const one = oneOf(unit, "en");
  return one === null ? ` (per increase by 1; unit: ${unit})` : ` (per ${one})`;
}

const association = (measure: string, it: Association, say: Say) => {
  const { pValue, estimate } = say;
  const against = it.reference === null ? "" : ` vs ${it.reference}`;
  const chosen =
    it.of === 1
      ? pValue(it.chosen)
      : `the clearest of ${say.number(it.of)} terms, ${pValue(it.chosen)} allowing for that choice`;
  return `${it.clear === 0 ? `No clear association with ${it.outcome}. ` : ""}${measure} of ${it.outcome}, ${it.term}${against}${stepText(it, say)}: ${estimate(it)}; ${chosen}. Test of the whole model: ${pValue(it.whole)}.`;
};

const until = ({ until: end, unit }: { until: number; unit: string | null }, { number }: Say) =>
  `up to ${number(end)}${unit === null ? "" : ` ${unit}`}`;

const medians = (all: FindingSays["finding.survival-imprecise"]["medians"], { list }: Say) =>
  all.length === 0 ? "" : ` Median survival: ${list(all)}.`;

const timed = (value: number, unit: string | null, { number }: Say) =>
  `${number(value)}${unit === null ? "" : ` ${unit}`}`;

const capital = (text: string) => text.replace(/^./, (first) => first.toUpperCase());

const unitOf = ({ unit }: CountedParams, { list }: Say) => capital(list([unit]));

const counted = (what: string, it: CountedParams, { noisy }: Say) =>
  `${what}${it.name === null ? "" : ` (${it.name})`}: ${noisy(it)}`;

export const findings: Words<FindingSays> = {
  "finding.odds-ratio": (it, say) => association("Odds ratio", it, say),
  "finding.rate-ratio": (it, say) => association("Rate ratio", it, say),
  "finding.hazard-ratio": (it, say) => association("Hazard ratio", it, say),
  "finding.difference": (it, say) => association("Difference in the mean", it, say),
  "finding.term": (it, say) => `${it.term}${stepText(it, say)}`,
  "finding.share-per": ({ unit }) =>
    `share of the records with a value, per ${unit === null ? "unit" : (oneOf(unit, "en") ?? `unit (${unit})`)}`,
  "finding.no-coefficient": ({ outcome, terms }, { number }) =>
    `Too imprecise to interpret: none of the ${number(terms)} associations with ${outcome} can be stated.`,
  "finding.jointly": ({ outcome, terms, whole }, { number, pValue }) =>
    `The variables together are associated with ${outcome} (test of the whole model: ${pValue(whole)}); each of the ${number(terms)} associations by itself is too imprecise to interpret.`,
  "finding.survival-differs": (it, say) =>
    `Survival differs by ${it.column} (log-rank ${say.pValue(it.pValue)}, ${until(it, say)}). This is an association, not proof of a cause.${medians(it.medians, say)}`,
  "finding.survival-alike": (it, say) =>
    `No evidence that survival differs by ${it.column} (log-rank ${say.pValue(it.pValue)}, ${until(it, say)}). This does not show that the groups are equal.${medians(it.medians, say)}`,
  "finding.survival-imprecise": ({ column, medians: all }, say) =>
    `Too imprecise to interpret: whether survival differs by ${column} cannot be tested.${medians(all, say)}`,
  "finding.median": (it, { estimate }) => {
    const { group } = it;
    const shown = estimate(it, it.unit);
    return group === null ? `Median survival: ${shown}.` : `${shown} for ${group}`;
  },
  "finding.survival-at": (it, say) =>
    `Median survival not reached; survival at ${timed(it.time, it.unit, say)}: ${say.share(it)}.`,
  "finding.no-curve": () =>
    "Too imprecise to interpret: the number of records does not stand out of the noise, so there is no survival curve.",
  "finding.counts": ({ units, counts, more, none }, { list, number, say }) =>
    `Number of ${say(units)}: ${list(counts)}${more === 0 ? "" : `; ${number(more)} more conditions in the table`}.${none === 0 ? "" : ` ${number(none)} of the conditions may have none.`}`,
  "finding.count": (it, { noisy }) => `${it.name} ${noisy(it)}`,
  "finding.rows": () => "rows",
  "finding.patients": () => "patients",
  "finding.described": (it, { noisy, number, say }) => {
    const { units, largest, of } = it;
    const total = `${noisy(it)} ${say(units)}.`;
    if (of === null) return total;
    if (largest === null) return `${total} No clear difference between the groups.`;
    return `${total} ${of === 1 ? "The clear difference" : `The largest of ${number(of)} clear differences`} between the groups: ${say(largest)}.`;
  },
  "finding.means": ({ column, first, second }, { say }) =>
    `mean of ${column} ${say(first)} and ${say(second)}`,
  "finding.shares": ({ column, level, first, second }, { say }) =>
    `${column} = ${level}, ${say(first)} and ${say(second)}`,
  "finding.in-group": (it, { estimate }) => `${estimate(it)} in ${it.group}`,
  "finding.share-in-group": (it, { share }) => `${share(it)} in ${it.group}`,
  "finding.used": (it, say) => counted(`${unitOf(it, say)} used`, it, say),
  "finding.excluded": (it, say) => counted(`${unitOf(it, say)} excluded`, it, say),
  "finding.training": (it, say) => counted(`${unitOf(it, say)} in the fit`, it, say),
  "finding.held-out": (it, say) => counted(`${unitOf(it, say)} held out for evaluation`, it, say),
  "finding.events": (it, say) => counted("Events", it, say),
  "finding.exposure": (it, say) =>
    it.unit === "years"
      ? counted("Person-years", it, say)
      : counted(`Exposure${it.unit === null ? "" : `, ${say.list([it.unit])}`}`, it, say),
  "flow.used": (it, { noisy, list }) => `${capital(list([it.unit]))} used: ${noisy(it)}`,
  "flow.used-imprecise": ({ unit }, { list }) => `${capital(list([unit]))} used: too imprecise to interpret`,
  "flow.read": (it, { noisy, list, count }) =>
    `${capital(list([it.unit]))} read at ${count(it.hospitals, "hospital")}: ${noisy(it)}`,
  "flow.left-out": ({ unit, causes }, { list }) => `${capital(list([unit]))} left out: ${list(causes)}`,
  "flow.where": (it, { noisy }) => `not within the study's where: ${noisy(it)}`,
  "flow.label": (it, { noisy }) => `no label: ${noisy(it)}`,
  "flow.level": (it, { noisy }) => `a value that is not declared: ${noisy(it)}`,
  "flow.type": (it, { noisy }) => `no number where one is declared: ${noisy(it)}`,
  "flow.missing": (it, { noisy }) => `a missing value: ${noisy(it)}`,
  "flow.beyond": ({ unit, values }, { list }) =>
    `${capital(list([unit]))} used with a number set to its bound: ${list(values)}`,
  "flow.below": (it, { noisy, number }) => `${it.column} below ${number(it.bound)}: ${noisy(it)}`,
  "flow.above": (it, { noisy, number }) => `${it.column} above ${number(it.bound)}: ${noisy(it)}`,
  "flow.hospitals": ({ invited, taking }, { number }) =>
    `Hospitals: ${number(invited)} invited, ${number(taking)} took part`,
  "flow.refused": ({ reasons }, { list }) =>
    `Reasons for not taking part, reported by the aggregator and signed by no hospital: ${list(reasons)}`,
  "flow.refused-by": ({ hospitals, code }, { count }) => `${code} (${count(hospitals, "hospital")})`,
  "flow.gone": ({ counted, finished }, { number, count }) =>
    `Of these ${count(counted, "hospital")} ${number(counted - finished)} left the study afterwards: later results are without their data`,
  "flow.box-invited": ({ hospitals }, { number }) => `Hospitals invited: ${number(hospitals)}`,
  "flow.box-others": ({ hospitals }, { number }) => `Hospitals that did not take part: ${number(hospitals)}`,
  "flow.box-read": (it, { noisy, list }) => `${capital(list([it.unit]))} read: ${noisy(it)}`,
  "flow.box-counted": ({ hospitals }, { count }) => `at ${count(hospitals, "hospital")}`,
  "flow.box-left-out": ({ unit }, { list }) => `${capital(list([unit]))} left out, by the first cause:`,
  "flow.box-used": (it, { noisy, list }) => `${capital(list([it.unit]))} used: ${noisy(it)}`,
  "finding.clear": () => "clear",
  "finding.inconclusive": () => "inconclusive",
  "finding.noise": () =>
    "Nothing was found: the noise is as large as the number of records. More rows or a larger epsilon would help.",
  "finding.components": ({ count: n, share }, { count, share: percent }) =>
    `${count(n, "principal component")} of the columns ${n === 1 ? "explains" : "explain"} ${percent({ value: share, low: share, high: share })} of their variance, estimated from noisy sums.`,
  "finding.no-components": ({ rows, needed }, { number }) =>
    `Too imprecise to interpret: components stand out of the noise with more than ${number(needed)} rows, and about ${number(rows)} took part.`,
  "finding.correlated": (it, { noisy, number }) =>
    `${it.clear === 0 ? `No clear association with ${it.outcome}. ` : ""}${it.column} has the strongest correlation with ${it.outcome}: |φ| = ${noisy(it)}${it.of === 1 ? "" : `, the strongest of ${number(it.of)} columns`}.`,
  "finding.no-split": ({ outcome }) =>
    `No column separates the groups of ${outcome} beyond the noise: the tree is a single leaf.`,
  "finding.ranked": ({ outcome, columns, of, again }, { list, number, share }) =>
    `Most associated with ${outcome}, of ${number(of)} columns: ${list(columns)}.${again === null ? "" : ` With fresh noise of the same size each would be selected again in at least ${share({ value: again, low: again, high: again })} of runs.`}`,
  "finding.not-ranked": ({ outcome }) =>
    `No column stands out of the noise: the order of the columns by their association with ${outcome} may be due to chance.`,
  "finding.together": ({ columns, more, outcome, first, k }, { list, number }) =>
    `Columns released together, each combination shared by at least ${number(k)}: ${list(columns)}${more === 0 ? "" : ` and ${number(more)} more`}. ${first === null ? `No column stands out of the noise by its association with ${outcome}` : `Most associated with ${outcome}: ${first}`}.`,
  "finding.none-together": ({ k }, { number }) =>
    `No column could be released in groups of at least ${number(k)}.`,
  "finding.auc": (it, { estimate }) =>
    `${it.clear === 0 ? "No evidence that the model predicts better than chance" : "The model predicts better than chance"}: area under the ROC curve for ${it.outcome} ${estimate(it)} on held-out rows.`,
  "finding.balanced-accuracy": (it, { share }) =>
    `${it.clear === 0 ? "No evidence that the model predicts better than chance" : "The model predicts better than chance"}: balanced accuracy for ${it.outcome} ${share(it)} on held-out rows, where chance gives ${share({ value: it.chance, low: it.chance, high: it.chance })}.`,
  "finding.imprecise-model": ({ outcome }) =>
    `How well the model predicts ${outcome} is too imprecise to interpret: there are too few held-out rows for the noise.`,
  "finding.unmeasured-model": ({ outcome, first }) =>
    first === null
      ? `No association with ${outcome} stands out of the noise, and the model was not evaluated.`
      : `The model of ${outcome} rests most on ${first}. How well it predicts was not measured.`,
  "finding.synthetic": ({ rows, first, second, dependence }, { number, share }) =>
    `${number(rows)} synthetic rows; none is a patient. ${
      first === null || second === null
        ? "No two columns are associated beyond the noise, so that the rows show single columns alone."
        : `Strongest association that they keep: ${first} with ${second} (${share({ value: dependence, low: dependence, high: dependence })} of the rows would have to change for the two to be independent).`
    } Standard errors and p values computed from them are too small.`,
};
