import { methodKey } from "@consilium/core/method/method";
import type { Study } from "@consilium/core/study/study";

/** Whether a site may compute a study in shares of its table: each stage is a sum over rows, or over the levels of a feature. */
export const isAdditive = (study: Study): boolean =>
  study.variant === "sound"
    ? study[methodKey].answersByBlocks !== true
    : togetherBy(study) !== null && study.patient === undefined;

/** The feature whose levels are a published method's map tasks; null where it has none. */
export const togetherBy = (study: Study): string | null => study[methodKey].togetherBy?.(study) ?? null;
