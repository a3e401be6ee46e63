import type { Say, Words } from "../said.js";
import type { PlanSays } from "../says/plans.js";

const apart = ({ hospitals, more, at }: PlanSays["plan.per-hospital"], { list, number }: Say) =>
  `${list(at)} ${at.length === 1 ? "tells" : "tell"} ${more === 0 ? list(hospitals) : `${hospitals.join(", ")} and ${number(more)} more`} apart from the other hospitals`;

export const plans: Words<PlanSays> = {
  "plan.hospitals-pooled": () =>
    "all hospitals count as one population: where the outcome differs between them for other reasons than the columns', coefficients mix what goes with a patient and what goes with a hospital",
  "plan.counts-beyond-max": ({ outcome, max }, { number }) =>
    `a count of ${outcome} beyond ${number(max)} counts as ${number(max)}: declare a max that no more than one event in 500 lies above, or no interval holds what it says`,
  "plan.unweighted-rows": ({ rows }, { number }) =>
    `intervals take rows as independent, and up to ${number(rows)} rows of one patient are not; write weighting: patients, or maxRows: 1`,
  "plan.sums-public": () =>
    "the noisy sums of every stage become public with the release, so that anybody can compute the result from them anew; of a record they tell no more than epsilon allows, and they are sums over all hospitals that took part",
  "plan.beyond-budget": ({ needs, limit, delta }, { number }) =>
    `hospitals with the budget that \`site enroll\` proposes (epsilon ${number(limit)} at delta ${delta}) cannot take part: the study needs epsilon ${number(needs)} there`,
  "plan.per-hospital": (params, say) =>
    `${apart(params, say)}: results show noisy figures of fewer than ${say.number(params.least)} hospitals, or of one alone; the noise protects patients, not the hospital. Each hospital's policy must have figures.perHospital: true`,
  "plan.per-hospital-refused": (params, say) =>
    `study ${params.study}: ${apart(params, say)}, and the policy allows no figures of fewer than ${say.number(params.least)} hospitals`,
  "plan.policy-per-hospital": () => "Studies may show noisy figures of this hospital alone.",
  "plan.policy-together": () =>
    "No study may tell this hospital apart by its id: figures are of three hospitals or more.",
  "plan.sites-unnamed": ({ hospitals, at }, { list }) =>
    `${list(at)} ${at.length === 1 ? "names" : "name"} ${list(hospitals)}, and the study invites every enrolled site: name its sites, so that its plan says what it shows of single hospitals`,
  "plan.group-few": ({ group, sites, least }, { number }) =>
    `group ${group} has ${number(sites)} of the sites, at least ${number(least)} are needed: with fewer its sum would show single hospitals`,
  "plan.rows": ({ rows, patients, stated }) =>
    `with ${patients === 0 ? (stated === 0 ? `${rows} rows, half of the most that there may be,` : `the ${rows} rows that the study expects`) : stated === 0 ? `${rows} patients, half of the most that there may be,` : `at most ${rows} patients, as many as the study expects rows,`}`,
  "plan.evaluation-weak": ({ expected, needed }, { say }) =>
    `${say(expected)} the evaluation says little, which needs about ${needed}: raise epsilon or evaluation.share, or switch it off with evaluation: none`,
  "plan.delta-large": ({ delta, rows, exponent }) =>
    `delta ${delta} is too large for up to ${rows} records; use 1e${exponent} or less`,
  "plan.no-licence": () =>
    "release.license states no licence: the release will say so, and readers have to ask before any use",
  "plan.no-creator": () => "release.creator names nobody: a citation of the release will have no author",
  "plan.exact-sums": () =>
    "sums without noise are opened for one list of sites: a site that leaves after the first sum ends the study",
  "plan.no-noise": () => "The study asks for none: no noise is added anywhere.",
};
