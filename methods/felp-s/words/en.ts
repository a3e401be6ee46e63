import type { Words } from "@consilium/words/said";
import type { FelpSSays } from "../says.js";

export const en: Words<FelpSSays> = {
  "felp-s.sent": ({ features, blocks }) =>
    `weights of the ${features} features, learned in each of ${blocks} blocks of rows drawn by lot, cut at 0 and to length 1`,
  "felp-s.few-blocks": ({ selected, of, needed, blocks, expected }, { say }) =>
    `${selected} of ${of} features stand out of the noise only with far more than ${needed} blocks of rows in all, here are ${blocks} ${say(expected)}: raise epsilon or parameters.blocks, invite more sites, or use felp-a`,
  "felp-s.many-blocks": ({ blocks, rows }) =>
    `${blocks} blocks for at most ${rows} rows; some 20 rows to a block are a good size`,
};
