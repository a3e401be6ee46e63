import { faults } from "@consilium/core/fault";
import { sentences } from "@consilium/core/said";
import type { RuntimeSays } from "@consilium/words/says/runtime";

/** Errors of this package, by the codes of their sentences. */
export const fault = faults<RuntimeSays>();

/** A sentence of this package for a place within another. */
export const reason = sentences<RuntimeSays>();
