import type { AnySaid, Name } from "@consilium/words/said";

/** Counts of conditions: what is sent. */
export interface CountsSays {
  "counts.sent": { units: AnySaid; conditions: number; named: readonly Name[]; more: number; groups: number };
  "counts.few": {
    expected: AnySaid;
    needed: number;
    units: AnySaid;
    grouped: number;
    percent: number | null;
    factor: number;
  };
}
