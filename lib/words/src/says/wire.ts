import type { Name } from "../said.js";

/** What a side says of a message that cannot travel, or that it cannot take. */
export interface WireSays {
  /** @param name - as it can be shown: escaped */
  readonly "wire.column-name": { readonly table: Name; readonly column: number; readonly name: Name };
  readonly "wire.table": { readonly table: Name };
  readonly "wire.table-room": { readonly table: Name; readonly columns: number; readonly maxBytes: number };
  readonly "wire.invitation": Record<never, never>;
  readonly "wire.questions": { readonly max: number };
}
