import type { Words } from "../said.js";
import type { SurvivalSays } from "../says/survival.js";

const inEach = (groups: number) => (groups === 1 ? "" : ` in ${groups} groups of equal size`);

export const survival: Words<SurvivalSays> = {
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
};
