import { faults } from "@consilium/core/fault";
import type { TableSays } from "@consilium/words/says/tables";

/** Errors at tables that the agent itself raises, and the process that reads them for it. */
export const fault = faults<TableSays>();
