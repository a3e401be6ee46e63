import type { FindingSays } from "@consilium/words/says/findings";
import { lines, nameOf } from "../said.js";
import type { ProfileReportView } from "./profileViews.js";

const line = lines<FindingSays>();

/** The exact flow of a hospital's own rows in sentences, as a release's flow is said; empty for a study without one. */
export function exactFlowTexts({ flow }: Pick<ProfileReportView, "flow">): string[] {
  if (flow === undefined) return [];
  const unit = { code: `finding.${flow.unit}`, params: {} };
  const exact = (count: number) => ({ value: count, low: count, high: count });
  const leftOut = flow.leftOut.filter(({ count }) => count > 0);
  const beyond = flow.beyond.filter(({ count }) => count > 0);
  const said = (code: keyof FindingSays, count: number, more = {}) => ({
    code,
    params: { ...exact(count), ...more },
  });
  return [
    line("flow.box-read", { unit, ...exact(flow.read) }),
    line("flow.used", { unit, ...exact(flow.used) }),
    ...(leftOut.length === 0
      ? []
      : [
          line("flow.left-out", {
            unit,
            causes: leftOut.map(({ cause, count }) => said(`flow.${cause}`, count)),
          }),
        ]),
    ...(beyond.length === 0
      ? []
      : [
          line("flow.beyond", {
            unit,
            values: beyond.map(({ column, side, bound, count }) =>
              said(`flow.${side}`, count, { column: nameOf(column), bound }),
            ),
          }),
        ]),
  ];
}
