import type { Name, Words } from "@consilium/words/said";
import type { SurvivalSays } from "../says.js";

const inEach = (groups: number) => (groups === 1 ? "" : ` in ${groups} groups of equal size`);

/** Of a group; nothing where all records are one. */
const ofGroup = ({ group }: { readonly group: Name | null }) => (group === null ? "" : ` of ${group}`);

const timed = (time: number, { unit }: { readonly unit: Name | null }, number: (value: number) => string) =>
  unit === null ? number(time) : `${number(time)} ${unit}`;

export const en: Words<SurvivalSays> = {
  "survival.sent": ({ time, status, events, group }) =>
    `counts of rows by the interval of ${time}, by whether ${status} is ${events.join(" or ")}${group === null ? "" : ` and by ${group}`}: each row in one count`,
  "survival.precise": ({ what, rows, groups, within }, { say }) =>
    `${say(what)} (where half of ${rows} rows${groups === 1 ? "" : ` in each of ${groups} groups`} survive, noise puts a curve within ±${within} at 95 %)`,
  "survival.noise-as-large": ({ rows, groups, needed }, { number }) =>
    `noise is as large as the counts of ${number(rows)} rows${inEach(groups)}: no curve would begin with fewer than ${number(needed)}; raise epsilon, or expect more rows`,
  "survival.too-few-rows": ({ rows, groups, needed, declared }, { number }) =>
    `${declared === 1 ? `the ${number(rows)} rows that the study expects` : `${number(rows)} rows, half of the most that there may be,`} are too few${inEach(groups)}: from about ${number(needed)} rows on noise leaves a curve within 0.1 where half survive; raise epsilon`,
  "survival.few-intervals": ({ intervals }) =>
    `${intervals} intervals are too few for the log-rank test of groups that are followed for different times: it may find a difference where there is none; ask for 10 or more, or leave the number out`,
  "survival.competing-event": ({ level }) => `"${level}" is the event; leave it out`,
  "survival.no-level": ({ level, column, levels }) =>
    `"${level}" is not a level of ${column}; take some of: ${levels.join(", ")}`,
  "survival.test-imprecise": ({ half, constant }, { number }) =>
    `The log-rank test is too imprecise to interpret: its two rules for an interval give p = ${number(half)} and p = ${number(constant)}, on either side of 0.05. More intervals, or edges closer together where follow-up ends, would help.`,
  "survival.few-records": ({ records, groups, needed }, { list, number }) =>
    `Few records: about ${list(records)}${groups.length === 0 ? "" : ` of ${list(groups)}`}, where this noise asks for about ${number(needed)}. Noise may move such a curve by more than 0.1, and it may end early; more rows or a larger epsilon would help.`,
  "survival.curves": ({ status, event, time, censored, more, horizon, unit }, { list, number }) =>
    `data.csv has the curves: survival is the probability that ${status} has not become ${event} by the end of each interval of ${time}, estimated from grouped times, with constant hazards within an interval. Records with ${status} ${list(censored)}${more === 0 ? "" : ` and ${number(more)} others`} are censored at their time, and all others at ${number(horizon)}${unit === null ? "" : ` ${unit}`}.`,
  "survival.competing": ({ event, competing }, { list }) =>
    `Survival is the probability that neither ${event} nor ${list(competing)} has come. The cumulative incidence of each is the probability that it has come, and before the others (Aalen-Johansen); with survival they add up to 1. The log-rank test compares the hazards of ${event} alone.`,
  "survival.intervals": ({ noise }) =>
    `Each interval of 95 % holds at its own time, for records like these as a sample. It covers what other records would have given, ${noise === 0 ? "" : "the noise that protects these, "}and that the order of events and censorings within an interval is not known.`,
  "survival.noise-errors": ({ errors }, { list }) => `Expected error: ${list(errors)}.`,
  "survival.noise-error": (params, { number }) =>
    `the noise moves survival${ofGroup(params)} by a standard deviation of ${number(params.deviation)} at most, at ${timed(params.time, params, number)}, where sampling gives ${number(params.sampling)}${params.wider === null ? "" : ` (the interval is ${number(params.wider)} times as wide as without noise)`}`,
  "survival.medians": ({ medians }, { list }) =>
    `Median survival, with its interval of 95 %: ${list(medians)}.`,
  "survival.median": (params, { number }) => {
    const shown = (time: number | null) => (time === null ? "beyond the curve" : timed(time, params, number));
    const { value, low, high } = params;
    return `${low === null ? shown(null) : `${shown(value)} (${shown(low)} to ${shown(high)})`}${ofGroup(params)}`;
  },
  "survival.log-rank": (params, { count, number }) =>
    `Log-rank test of ${params.column}, up to ${timed(params.until, params, number)}: χ² = ${number(params.statistic)} with ${count(params.freedom, "degree")} of freedom, p = ${params.pValue < 1e-4 ? "less than 0.0001" : number(params.pValue)}.${params.noise === 0 ? "" : " Its variance counts the noise."} It says whether the groups' hazards differ, not why.`,
  "survival.left-out": (params, { list }) =>
    `The log-rank test leaves out ${params.column} = ${list(params.groups)}: ${params.noise === 0 ? "no record is there" : "the number at risk there does not stand out of the noise"}.`,
  "survival.untested-nobody": ({ column }) =>
    `There is no log-rank test of ${column}: at most one group has records at risk that can be compared.`,
  "survival.untested-no-events": ({ column, event }) =>
    `There is no log-rank test of ${column}: no ${event} was counted in the intervals that could be compared.`,
  "survival.untested-no-variance": ({ column }) =>
    `There is no log-rank test of ${column}: chance could not have made the groups differ, so that no difference can be judged.`,
  "survival.curve-ends": ({ ends, noise }, { list }) =>
    `A curve ends where ${noise === 0 ? "nobody is at risk any more" : "by the end of the next interval the number at risk is within twice the standard deviation of its noise"}: ${list(ends)}.`,
  "survival.curve-end": (params, { number }) =>
    `that${ofGroup(params)} at ${timed(params.time, params, number)}`,
  "survival.no-curve": (params, { list }) =>
    `There is no curve${params.groups.length === 0 ? "" : ` of ${params.column} = ${list(params.groups)}`}: ${params.noise === 0 ? "no record" : "the number of records does not stand out of the noise"}.`,
  "survival.variant": () => "survival is `sound`; it has no other variant",
  "survival.ring": () =>
    "noise of this size does not fit 64-bit numbers; raise epsilon, or lower maxRowsPerSite",
  "survival.one-time": ({ columns }) => `${columns} numeric columns; declare one, the time of follow-up`,
  "survival.one-group": ({ columns }) => `${columns} categorical columns; declare at most one, the group`,
  "survival.many-groups": ({ groups, max }) => `${groups} groups; at most ${max}`,
  "survival.time-zero": () =>
    "0: follow-up begins there; max is the horizon, where those still followed are censored",
  "survival.time-below": () => "reject-row: a negative time is an error in the record, and is not used",
  "survival.time-missing": () => "reject-row: no constant stands for a time that was not recorded",
};
