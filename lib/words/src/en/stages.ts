import type { Words } from "../said.js";
import type { StageSays } from "../says/stages.js";

export const stages: Words<StageSays> = {
  "sent.summed": ({ what }, { say }) => `${say(what)}, added up over all sites`,
  "sent.weighed": ({ what }, { say }) =>
    `${say(what)}, each row weighing 1 over the number of its patient's rows that are used, so that patients are counted`,
  "sent.precise": ({ what, min, max }, { say }) =>
    `${say(what)} (each count is within ±${min}${min === max ? "" : ` to ±${max}, depending on the table,`} of the true one at 95 %)`,
  "sent.flow": ({ units, bounded }, { say }) =>
    `how many ${say(units)} the study uses and leaves out, by cause${bounded === 0 ? "" : ", and how many of those used have a value beyond a bound"}`,
  "sent.evaluation": ({ heldOut, ranges }) =>
    `counts of the held-out rows (about ${heldOut} of all) by ${ranges === 0 ? "class predicted" : `${ranges} ranges of the model's score`} and class`,
  "sent.bins": ({ features, label }) =>
    `counts of rows by the bins of each of the ${features} features and by ${label}`,
  "sent.leaves": ({ leaves, label }) => `counts of rows by the ${leaves} leaves of the tree and by ${label}`,
  "sent.derivatives": ({ level, features, of }) =>
    `first and second derivatives of the rows' log loss at each node of level ${level} of a tree, separately for each bin of each of ${features === of ? "" : `${features} of `}the ${of} features`,
  "sent.intervals": ({ features, hessians }) =>
    `counts of rows${hessians === 0 ? "" : ", and the second derivatives of their log loss,"} by declared interval of each of ${features} numeric features`,
  "learns.sum": ({ noise }) =>
    `the aggregator, and every site and reader through what is computed from it: the sum over all sites${noise === 0 ? "" : " with the noise in it"}`,
  "learns.shuffled": () => "the aggregator, site by site; after shuffling, everyone who reads the release",
  "noise.none": () => "none: the sum is exact",
  "noise.gaussian": ({ deviation }) =>
    `discrete Gaussian noise, a share of it from every site: standard deviation at least ${Number(deviation).toPrecision(4)} in the sum of the fewest sites without the colluding ones`,
};
