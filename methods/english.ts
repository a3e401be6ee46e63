import { en as counts } from "./counts/words/en.js";
import { en as describe } from "./describe/words/en.js";
import { en as dpAdditive } from "./dp-additive/words/en.js";
import { en as dpHistboost } from "./dp-histboost/words/en.js";
import { en as dpKa } from "./dp-ka/words/en.js";
import { en as dpPca } from "./dp-pca/words/en.js";
import { en as dpPcc } from "./dp-pcc/words/en.js";
import { en as dpPccS } from "./dp-pcc-s/words/en.js";
import { en as felpA } from "./felp-a/words/en.js";
import { en as felpS } from "./felp-s/words/en.js";
import { en as regression } from "./regression/words/en.js";
import { en as survival } from "./survival/words/en.js";
import { en as syntheticTable } from "./synthetic-table/words/en.js";

/** Every method's own sentences in English. */
export const english = {
  ...counts,
  ...describe,
  ...dpAdditive,
  ...dpHistboost,
  ...dpKa,
  ...dpPca,
  ...dpPcc,
  ...dpPccS,
  ...felpA,
  ...felpS,
  ...regression,
  ...survival,
  ...syntheticTable,
};
