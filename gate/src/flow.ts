import type { HistogramQuery } from "./query.js";
import type { FeatureDomain, RecordDomain } from "./record.js";

/**
 * The flow of a study's rows: how many it uses; how many it leaves out, by cause; and how many that it uses lie beyond each bound of a
 * number. No method is asked about it: what reads the table says one status of each row, and the gate writes its cells.
 *
 * A record counts 2 in one cell of a section of statuses and 1 in at most four cells of a section of sides, so that Δ² = 4 + 4: one size of
 * noise is half as wide in what counts 2. Under a patient unit the patient is the record (`flowRecords.ts`). Proof: docs/METHODS.md#flow.
 */

/** Status of a row: that it is used, or why it is left out, of several causes the first in this order. */
export const flowStatus = { used: 0, where: 1, label: 2, level: 3, type: 4, missing: 5 } as const;
export type FlowStatus = keyof typeof flowStatus;

export const flowStatuses = Object.keys(flowStatus).length;
/** Beyond a number's bounds; 0 is within them. */
export const flowSide = { below: 1, above: 2 } as const;
/** Numbers beyond their bounds that one record counts in, at most: the first in the study's order. */
export const flowSidesMost = 4;

/** What a record counts in its status, where there are sides. */
const statusCount = (numbers: number) => (numbers === 0 ? 1 : 2);

/** Cells: the statuses, then below and above of each number. @param numbers - features with bounds */
export function flowQuery(numbers: number): HistogramQuery {
  const most = statusCount(numbers);
  const touches = Math.min(flowSidesMost, numbers);
  const statuses = { cells: flowStatuses, most };
  const sides = numbers === 0 ? [] : [{ cells: 2 * numbers, most: 1, touches }];
  return {
    kind: "histogram",
    cells: flowStatuses + 2 * numbers,
    touches: 1 + touches,
    channels: [{ least: 0, most }],
    sections: [statuses, ...sides],
  };
}

/** What a flow's records are made of: a status, and of each number on which side of its bounds it lies. */
export function flowDomain(numbers: number): RecordDomain {
  const side: FeatureDomain = { kind: "level", levels: 3 };
  const sides = Array.from({ length: numbers }, () => side);
  return { features: [{ kind: "level", levels: flowStatuses }, ...sides], labels: 1 };
}
