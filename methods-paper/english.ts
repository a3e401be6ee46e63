import { english as sound } from "@consilium/methods/english";
import { en as cartDpsAdaboost } from "./cart-dps-adaboost/words/en.js";
import { en as elfedPca } from "./elfed-pca/words/en.js";
import { en as felp } from "./felp/words/en.js";
import { en as pearsonTree } from "./pearson-tree/words/en.js";
import { en as xgbKa } from "./xgb-ka/words/en.js";

/** Every method's own sentences in English, of the proven and the published. */
export const english = {
  ...sound,
  ...cartDpsAdaboost,
  ...elfedPca,
  ...felp,
  ...pearsonTree,
  ...xgbKa,
};
