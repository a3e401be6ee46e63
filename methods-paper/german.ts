import { german as sound } from "@consilium/methods/german";
import { de as cartDpsAdaboost } from "./cart-dps-adaboost/words/de.js";
import { de as elfedPca } from "./elfed-pca/words/de.js";
import type { english } from "./english.js";
import { de as felp } from "./felp/words/de.js";
import { de as pearsonTree } from "./pearson-tree/words/de.js";
import { de as xgbKa } from "./xgb-ka/words/de.js";

/** Every method's own sentences in German, of the proven and the published. */
export const german: typeof english = {
  ...sound,
  ...cartDpsAdaboost,
  ...elfedPca,
  ...felp,
  ...pearsonTree,
  ...xgbKa,
};
