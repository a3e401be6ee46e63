import { cartDpsAdaboost } from "./cart-dps-adaboost/method.js";
import { elfedPca } from "./elfed-pca/method.js";
import { felp } from "./felp/method.js";
import { pearsonTree } from "./pearson-tree/method.js";
import { xgbKa } from "./xgb-ka/method.js";

/** The methods as published, one line each, in the order in which they are shown. Of an analysis the first is the usual one. */
export const paperMethods = [elfedPca, pearsonTree, cartDpsAdaboost, felp, xgbKa] as const;
