import type { Name, None } from "../said.js";

/** What the doctor says of what a table's stages read, in MiB, what an OMOP database lacks, what the agent refuses of a table's place, and as which user tables are read. */
export interface TableSays {
  /** The process that reads tables is of another build than the agent: each with its version. */
  readonly "table.other-build": { readonly agent: Name; readonly tables: Name };
  readonly "table.stopping": None;
  readonly "table.study-over": None;
  readonly "table.process-ended": None;
  /** An error of ours: its class and where it was thrown. */
  readonly "table.unexpected": { readonly what: Name };
  readonly "table.unknown": { readonly table: Name };
  /** The remedy. */
  readonly "table.name-it": { readonly tables: readonly Name[] };
  readonly "table.older-hash": { readonly study: Name };
  /** The remedy. */
  readonly "table.start-again": None;
  readonly "table.none-in": { readonly file: Name };
  /** The remedy. */
  readonly "table.write-entry": None;
  readonly "table.not-in-config": { readonly table: Name };
  /** The remedy. */
  readonly "table.add-one": { readonly tables: readonly Name[] };
  readonly "table.reading": { readonly table: Name };
  readonly "table.first-rows": { readonly table: Name };
  /** The remedy of what the table check finds. */
  readonly "table.test-it": { readonly table: Name };
  readonly "table.held": { readonly needs: number; readonly holds: number; readonly memory: number };
  readonly "table.too-large": { readonly needs: number; readonly holds: number; readonly memory: number };
  /** The remedy. */
  readonly "table.more-memory": { readonly memory: number };
  readonly "table.not-read": { readonly holds: number; readonly memory: number };
  readonly "table.always-read": Record<never, never>;
  readonly "table.read-by-engine": Record<never, never>;
  readonly "table.cdm-number": { readonly table: Name; readonly column: Name };
  readonly "table.cdm-day": { readonly table: Name; readonly column: Name };
  /** The remedy. */
  readonly "table.cdm-types": Record<never, never>;
  readonly "table.beside-keys": { readonly folder: Name };
  /** The remedy. */
  readonly "table.move-away": Record<never, never>;
  /** A door: what starts the process that reads tables, as another user. The system's code says why it does not answer. */
  readonly "table.door-away": { readonly door: Name; readonly code: Name };
  /** The remedy. */
  readonly "table.start-door": Record<never, never>;
  readonly "table.door-unable": { readonly door: Name; readonly code: Name };
  /** The remedy. */
  readonly "table.give-door-room": Record<never, never>;
  readonly "table.reader": Record<never, never>;
  readonly "table.read-apart": Record<never, never>;
  readonly "table.read-without-native-code": Record<never, never>;
  readonly "table.read-by-agents-user": Record<never, never>;
  /** The remedy. */
  readonly "table.separate": Record<never, never>;
}
