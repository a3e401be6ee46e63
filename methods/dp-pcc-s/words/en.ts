import type { Words } from "@consilium/words/said";
import type { DpPccSSays } from "../says.js";

export const en: Words<DpPccSSays> = {
  "dp-pcc-s.sent": ({ blocks, level, nodes, features, label }) =>
    `of each of ${blocks} random blocks of rows and ${nodes === 1 ? "the root of the tree" : `each of the ${nodes} nodes of level ${level}`}, how strongly the best cut of each of the ${features} features goes with ${label}, from 0 to 1, and where it lies`,
  "dp-pcc-s.few-rows": ({ expected, rows, level }, { say }) =>
    `${say(expected)} a site has fewer than ${rows} of a block in a node of level ${level}, whose best cut is chance; lower blocks or depth`,
  "dp-pcc-s.few-blocks": ({ blocks, hidden, needed, shown }) =>
    `with ${blocks} blocks in all the noise hides differences of correlation below ${Number(hidden).toPrecision(2)}; ${needed} blocks would show ${shown}: give more blocks or sites, raise epsilon, declare fewer features, or use dp-pcc`,
  "dp-pcc-s.many-counts": ({ blocks, nodes, counts, max, maxNodes }) =>
    `${blocks} blocks at ${nodes} nodes are ${counts} counts in a site's memory; at most ${max}, and ${maxNodes} blocks of nodes: lower blocks, depth or bins`,
  "dp-pcc-s.noise": ({ needed, max }) =>
    `the noise is as large as the answers of ${needed} blocks, and there are at most ${max} in all; give more blocks, raise epsilon, declare fewer features, or lower depth or guard`,
};
