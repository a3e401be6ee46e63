import type { AnySaid, Id, Name, None } from "@consilium/words/said";

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
  "counts.criterion-bound": None;
  "counts.criterion-form": None;
  "counts.name": None;
  "counts.condition-needed": None;
  "counts.name-taken": { condition: number };
  "counts.missing-uncounted": { column: Name };
  "counts.number": { column: Name };
  "counts.category": { column: Name };
  "counts.level-twice": None;
  "counts.level-undeclared": { level: Name; column: Name };
  "counts.no-number": { atLeast: number; below: number };
  "counts.outside": { value: number; min: number; max: number; column: Name };
  "counts.groups-needed": None;
  "counts.groups-sites": None;
  "counts.groups-name": None;
  "counts.site-twice": { site: Id };
  "counts.site-unknown": { site: Id };
  "counts.site-without": { site: Id };
}
