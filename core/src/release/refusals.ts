import type { FindingSays } from "@consilium/words/says/findings";
import { lines, nameOf } from "../said.js";
import type { Refusals } from "./refusalsSchema.js";

const line = lines<FindingSays>();

/** Refusals in a sentence, as a line; none without any. */
export const refusalTexts = (refusals: Refusals = []): string[] =>
  refusals.length === 0
    ? []
    : [
        line("flow.refused", {
          reasons: refusals.map(({ code, hospitals }) => ({
            code: "flow.refused-by",
            params: { hospitals, code: nameOf(code) },
          })),
        }),
      ];
