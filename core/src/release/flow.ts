import type { FindingSays } from "@consilium/words/says/findings";
import { z95 } from "../linalg/z95.js";
import { lines, nameOf } from "../said.js";
import type { Figure } from "./figures.js";
import type { Counted } from "./finding.js";
import type { Flow } from "./flowSchema.js";
import type { ResultTable } from "./tables.js";

/**
 * The flow of a study's rows, from a sum of its own before the method's first: docs/METHODS.md#flow. Estimates are unbiased and may be
 * below 0, as may the ends of their intervals; only sentences cut them there.
 */

type Estimate = Flow["read"];

const line = lines<FindingSays>();

/** No number of rows is below 0; a cut one is no further from the true one, so that an interval around it covers that as often. */
function cut({ value, low }: Estimate): Estimate {
  const shown = Math.max(0, value);
  const half = value - low;
  return { value: shown, low: Math.max(0, shown - half), high: shown + half };
}

const unitOf = ({ unit }: Pick<Flow, "unit">) => ({ code: `finding.${unit}`, params: {} });
const said = (code: keyof FindingSays & `flow.${string}`, of: Estimate, more = {}) => ({
  code,
  params: { ...cut(of), ...more },
});

/**
 * Whether a count is above 0 however many were looked at: a standard normal is above z with at most exp(-z²/2), which is 5 % over all
 * of them. Every count of a hundred told at its own 95 % would be noise in two or three cases.
 */
const standsOut = ({ value, low }: Estimate, of: number) =>
  value > 0 && value >= ((value - low) / z95) * Math.sqrt(2 * Math.log(of / 0.05));

const width = ({ low, high }: Omit<Estimate, "value">) => high - low;

/** Whether a method's count is of all that it used, as the flow's is. */
export const isAllUsed = ({ of, name, unit }: Counted, flow: Pick<Flow, "unit">) =>
  of === "used" && name === null && unit === flow.unit;

/** The method's count of all that it used, where its interval is no wider than the flow's. */
export const narrowerCount = (flow: Flow, counted: readonly Counted[]): Counted | undefined =>
  counted.find((one) => isAllUsed(one, flow) && width(one) <= width(flow.used));

/** An interval as wide as the number read leaves any part of it possible. */
const isImprecise = (used: Omit<Estimate, "value">, { read }: Pick<Flow, "read">) => width(used) > read.value;

/**
 * The flow in sentences, as lines.
 * @param options.isUsedSaid - the number used is said elsewhere, by a count with a narrower interval
 */
export function flowTexts(flow: Flow, { isUsedSaid = false } = {}): string[] {
  const unit = unitOf(flow);
  const { invited, taking, counted, finished } = flow;
  const causes = flow.leftOut.map(({ cause, ...of }) => said(`flow.${cause}`, of));
  const beyond = flow.beyond
    .filter((one) => standsOut(one, flow.beyond.length))
    .map(({ column, side, bound, ...of }) => said(`flow.${side}`, of, { column: nameOf(column), bound }));
  return [
    ...(isUsedSaid
      ? []
      : [
          isImprecise(flow.used, flow)
            ? line("flow.used-imprecise", { unit })
            : line("flow.used", { unit, ...cut(flow.used) }),
        ]),
    line("flow.read", { unit, ...cut(flow.read), hospitals: counted }),
    line("flow.left-out", { unit, causes }),
    ...(beyond.length === 0 ? [] : [line("flow.beyond", { unit, values: beyond })]),
    line("flow.hospitals", { invited, taking }),
    ...(finished === counted ? [] : [line("flow.gone", { counted, finished })]),
  ];
}

/** The flow as boxes, for STROBE and CONSORT. @param methodCounted - what the method counted: one number of those used is shown */
export function flowFigure(flow: Flow, methodCounted: readonly Counted[] = []): Figure {
  const unit = unitOf(flow);
  const used = narrowerCount(flow, methodCounted) ?? flow.used;
  const { invited, taking, counted, finished } = flow;
  const count = (code: "flow.box-read" | "flow.box-used", of: Estimate) => line(code, { unit, ...cut(of) });
  return {
    kind: "flow",
    name: "flow",
    title: `Flow of ${flow.unit}`,
    steps: [
      {
        lines: [line("flow.box-invited", { hospitals: invited })],
        aside: invited === taking ? [] : [line("flow.box-others", { hospitals: invited - taking })],
      },
      {
        lines: [count("flow.box-read", flow.read), line("flow.box-counted", { hospitals: counted })],
        aside: [
          line("flow.box-left-out", { unit }),
          ...flow.leftOut.map(({ cause, ...of }) => line(`flow.${cause}`, cut(of))),
        ],
      },
      {
        lines: [
          isImprecise(used, flow) ? line("flow.used-imprecise", { unit }) : count("flow.box-used", used),
          ...(finished === counted ? [] : [line("flow.gone", { counted, finished })]),
        ],
        aside: [],
      },
    ],
  };
}

/** Every number of the flow, uncut. */
export function flowTable(flow: Flow): ResultTable {
  const cells = (step: string, of: string | null, { value, low, high }: Estimate) => [
    step,
    of,
    value,
    low,
    high,
  ];
  return {
    name: "flow",
    title: `Flow of ${flow.unit}`,
    description: `How many ${flow.unit} the hospitals read, left out by the first cause in this order, and used; and how many of those used had a number beyond a bound, which was set to it. Estimates carry privacy noise and may be below 0; the interval covers that noise alone, at 95%.`,
    columns: [
      { name: "step", type: "text", description: "read, left out, used, or beyond" },
      {
        name: "of",
        type: "text",
        description: "why they are left out, or which number lies beyond which bound",
      },
      { name: "count", type: "number", description: `number of ${flow.unit}` },
      { name: "low", type: "number", description: "lower end of the 95% interval" },
      { name: "high", type: "number", description: "upper end of the 95% interval" },
    ],
    rows: [
      cells("read", null, flow.read),
      ...flow.leftOut.map((one) => cells("left out", one.cause, one)),
      cells("used", null, flow.used),
      ...flow.beyond.map((one) => cells("beyond", `${one.column} ${one.side} ${one.bound}`, one)),
    ],
    // It is long, and the figure and the sentences have what stands out.
    isShown: false,
  };
}
