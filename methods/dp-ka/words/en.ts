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
};
