import { countsMethod } from "./counts/method.js";
import { describeMethod } from "./describe/method.js";
import { dpAdditive } from "./dp-additive/method.js";
import { dpHistBoost } from "./dp-histboost/method.js";
import { dpKa } from "./dp-ka/method.js";
import { dpPca } from "./dp-pca/method.js";
import { dpPcc } from "./dp-pcc/method.js";
import { dpPccS } from "./dp-pcc-s/method.js";
import { felpA } from "./felp-a/method.js";
import { felpS } from "./felp-s/method.js";
import { regressionMethod } from "./regression/method.js";
import { survival } from "./survival/method.js";
import { syntheticTable } from "./synthetic-table/method.js";

/**
 * The methods whose privacy is proved: one line each, in the order in which they are shown. Of an analysis the first is the usual
 * one. Whatever a program knows of methods follows from this list and that of `methods-paper/registry.ts`.
 */
export const soundMethods = [
  describeMethod,
  countsMethod,
  regressionMethod,
  survival,
  syntheticTable,
  dpPca,
  dpPcc,
  dpPccS,
  dpHistBoost,
  dpAdditive,
  felpA,
  felpS,
  dpKa,
] as const;
