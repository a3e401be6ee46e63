import type { Words } from "@consilium/words/said";
import type { DpPccSSays } from "../says.js";

export const en: Words<DpPccSSays> = {
  "dp-pcc-s.sent": ({ blocks, level, nodes, features, label }) =>
    `of each of ${blocks} random blocks of rows and each of ${nodes} ${nodes === 1 ? "node" : "nodes"} of level ${level}, how strongly the best cut of each of the ${features} features goes with ${label}, from 0 to 1, and where it lies`,
};
