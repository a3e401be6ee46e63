import { de as counts } from "./counts/words/de.js";
import { de as describe } from "./describe/words/de.js";
import { de as dpAdditive } from "./dp-additive/words/de.js";
import { de as dpHistboost } from "./dp-histboost/words/de.js";
import { de as dpKa } from "./dp-ka/words/de.js";
import { de as dpPca } from "./dp-pca/words/de.js";
import { de as dpPcc } from "./dp-pcc/words/de.js";
import { de as dpPccS } from "./dp-pcc-s/words/de.js";
import type { english } from "./english.js";
import { de as felpA } from "./felp-a/words/de.js";
import { de as felpS } from "./felp-s/words/de.js";
import { de as regression } from "./regression/words/de.js";
import { de as survival } from "./survival/words/de.js";
import { de as syntheticTable } from "./synthetic-table/words/de.js";

/** Every method's own sentences in German. */
export const german: typeof english = {
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
