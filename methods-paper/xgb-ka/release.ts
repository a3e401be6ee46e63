import { commonModel, testsOf } from "@consilium/methods/shared/k-anonymous/selection";
import type { PaperKaResult } from "./conversation.js";
import type { PaperKaStudy } from "./study.js";

/** `model.json` of a published method. */
export function paperKaModel(study: PaperKaStudy, result: PaperKaResult): Record<string, unknown> {
  return {
    ...commonModel(study, result),
    tests: testsOf(study, result.pass, ({ rows, classes, smallest }) => ({
      rows,
      groups: classes,
      smallest,
    })),
  };
}
