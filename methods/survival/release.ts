import type { MethodResult, RowsPart } from "@consilium/core/method/aggregatorSide";
import type { ReleaseColumn } from "@consilium/core/release/content";
import type { Figure } from "@consilium/core/release/figures";
import type { ResultTable } from "@consilium/core/release/tables";
import { lines, nameOf } from "@consilium/core/said";
import { soundSum } from "@consilium/core/study/soundSums";
import type { Estimate } from "../shared/evaluation/estimate.js";
import { atRisk } from "./counts.js";
import { type CurvePoint, medianSurvival } from "./curve.js";
import type { SurvivalResult } from "./result.js";
import type { SurvivalSays } from "./says.js";
import { recordsNeeded, type SurvivalStudy, survivalLayout } from "./study.js";

/** Rows, tables, facts, notes and figures of a survival study's release, beside its model. */

const line = lines<SurvivalSays>();

interface NumberColumn {
  readonly name: string;
  readonly description: string;
  /** True for a time, which has the time's unit. */
  readonly isTime?: true;
  readonly of: (point: CurvePoint) => number;
}

/** An estimate and its interval. */
const estimateColumns = (
  name: string,
  description: string,
  of: (point: CurvePoint) => Estimate,
): NumberColumn[] => [
  { name, description, of: (point) => of(point).value },
  {
    name: `${name}_low`,
    description: `${name}: lower end of the pointwise 95 % interval (sampling, privacy noise and grouped times)`,
    of: (point) => of(point).low,
  },
  {
    name: `${name}_high`,
    description: `${name}: upper end of the pointwise 95 % interval`,
    of: (point) => of(point).high,
  },
];

function columnsOf(study: SurvivalStudy): NumberColumn[] {
  const { causes } = survivalLayout(study);
  const [event, ...competing] = causes;
  const competes = competing.length > 0;
  return [
    { name: "time", description: "Where the interval ends", isTime: true, of: ({ to }) => to },
    ...estimateColumns(
      "survival",
      `Survival probability at the interval's end (grouped-time estimate)${competes ? ": none of the events has come" : ""}`,
      ({ survival }) => survival,
    ),
    {
      name: "at_risk",
      description: "Number at risk at the start of the interval (noisy)",
      of: (point) => point.atRisk,
    },
    {
      name: "events",
      description: `Records with ${event} in the interval (noisy)`,
      of: ({ events }) => events,
    },
    ...competing.map(
      (cause, i): NumberColumn => ({
        name: `competing_${i + 1}`,
        description: `Records with ${cause} in the interval (noisy)`,
        of: (point) => point.competing[i]!,
      }),
    ),
    {
      name: "censored",
      description: "Records censored in the interval (noisy)",
      of: ({ censored }) => censored,
    },
    ...estimateColumns(
      "cumulative_hazard",
      `Cumulative hazard of ${event} at the interval's end (Nelson-Aalen, grouped times)`,
      ({ hazard }) => hazard,
    ),
    ...estimateColumns(
      "restricted_mean",
      "Restricted mean survival time up to the interval's end",
      ({ restrictedMean }) => restrictedMean,
    ).map((one): NumberColumn => ({ ...one, isTime: true })),
    ...(competes ? causes : []).flatMap((cause, i) =>
      estimateColumns(
        i === 0 ? "incidence" : `incidence_${i}`,
        `Cumulative incidence of ${cause} at the interval's end (Aalen-Johansen, grouped times)`,
        ({ incidence }) => incidence[i]!,
      ),
    ),
    {
      name: "sampling_std_dev",
      description: "Standard error of survival from sampling",
      of: ({ samplingStdDev }) => samplingStdDev,
    },
    {
      name: "noise_std_dev",
      description: "Standard deviation of survival that the privacy noise gives it",
      of: ({ noiseStdDev }) => noiseStdDev,
    },
    {
      name: "interval_std_dev",
      description: "Standard deviation of survival for the unknown order of events within intervals",
      of: ({ intervalStdDev }) => intervalStdDev,
    },
    {
      name: "interval_start",
      description: "Where the interval begins",
      isTime: true,
      of: ({ from }) => from,
    },
  ];
}

export const curveShape = (study: SurvivalStudy) => ({
  columns: columnsOf(study).length,
  levels: survivalLayout(study).groupAt === null ? 0 : 1,
});

/** The curves as rows: group by group, interval by interval. */
export function curveRows(study: SurvivalStudy, { curves }: SurvivalResult): RowsPart[] {
  const { levels } = curveShape(study);
  const columns = columnsOf(study);
  return curves.map((points, g) => ({
    rows: points.length,
    values: Float64Array.from(points.flatMap((point) => columns.map(({ of }) => of(point)))),
    labels: levels === 0 ? null : new Uint16Array(points.length).fill(g),
  }));
}

export function curveColumns(study: SurvivalStudy): ReleaseColumn[] {
  const { unit, groupName, groups } = survivalLayout(study);
  const numbers = columnsOf(study).map(
    ({ name, description, isTime }): ReleaseColumn => ({
      name,
      type: "number",
      description,
      ...(isTime === true && unit !== null ? { unit } : {}),
    }),
  );
  if (groupName === null) return numbers;
  return [
    ...numbers,
    { name: "group", type: "level", description: `The value of ${groupName}`, levels: [...groups] },
  ];
}

/** Numbers at risk are told at so many times. */
const riskTimes = 6;

/** Intervals at whose beginning they are. */
function riskStarts(study: SurvivalStudy): number[] {
  const intervals = survivalLayout(study).edges.length - 1;
  return [...new Set(Array.from({ length: riskTimes }, (_, i) => Math.floor((i * intervals) / riskTimes)))];
}

const riskAt = (points: readonly CurvePoint[], b: number) =>
  points[b] === undefined ? null : Math.round(points[b].atRisk);

/** Tables that people read first: a line for each group. */
export function survivalTables(study: SurvivalStudy, { counts, curves }: SurvivalResult): ResultTable[] {
  const { groupName, groups, edges, unit } = survivalLayout(study);
  const inTime = unit === null ? "" : ` (${unit})`;
  const group = { name: "group", type: "text", description: "The group" } as const;
  const names = groups.map((one) => (groupName === null ? "all records" : one));
  const number = (name: string, description: string) => ({ name, type: "number", description }) as const;
  const estimate = (name: string, description: string) => [
    number(name, description),
    number(`${name}_low`, "Lower end of its 95 % interval"),
    number(`${name}_high`, "Upper end of its 95 % interval"),
  ];
  const starts = riskStarts(study);
  return [
    {
      name: "survival-summary",
      title: "Median survival and restricted mean",
      description: `One line for each group. Medians that are not reached are empty${inTime === "" ? "" : `; times are in ${unit}`}.`,
      columns: [
        group,
        number("records", "Records (noisy)"),
        number("events", "Records with the event before the horizon (noisy)"),
        ...estimate("median", "Median survival"),
        ...estimate("restricted_mean", "Restricted mean survival time"),
        number("up_to", "Where the curve ends, to which the mean is restricted"),
      ],
      rows: curves.map((points, g) => {
        const { value, low, high } = medianSurvival(points);
        const end = points.at(-1);
        const mean = end?.restrictedMean;
        return [
          names[g]!,
          Math.round(atRisk(counts[g]!)[0]!),
          Math.round(counts[g]!.events.reduce((sum, one) => sum + one, 0)),
          value,
          low,
          high,
          mean?.value ?? null,
          mean?.low ?? null,
          mean?.high ?? null,
          end?.to ?? null,
        ];
      }),
      isShown: true,
    },
    {
      name: "numbers-at-risk",
      title: `Number at risk${inTime}`,
      description: "Records under observation after each time (noisy). Empty after the end of a curve.",
      columns: [group, ...starts.map((b) => number(inUnits(study, edges[b]!), "After this time"))],
      rows: curves.map((points, g) => [names[g]!, ...starts.map((b) => riskAt(points, b))]),
      isShown: true,
    },
  ];
}

export function survivalFacts(study: SurvivalStudy, result: SurvivalResult): MethodResult["facts"] {
  const { stage, edges, groups } = survivalLayout(study);
  return {
    masking: `pairwise, in the ring of integers modulo 2^${soundSum(study, stage).ringBits}`,
    intervals: edges.length - 1,
    groups: groups.length,
    noise: study.privacy === "none" ? "none" : "discrete Gaussian, a share from every site",
    noiseStdDev: result.stdDev / stage.integersPerUnit,
    noisyRows: result.counts.reduce((sum, one) => sum + atRisk(one)[0]!, 0),
  };
}

/** Names in a sentence; of more there is the number. */
const namesMost = 8;

export function survivalNotes(study: SurvivalStudy, result: SurvivalResult): string[] {
  const { time, edges, unit, causes } = survivalLayout(study);
  const { event, competing = [] } = study.parameters;
  const { name, levels } = study.label;
  const censored = levels.filter((level) => !causes.includes(level));
  return [
    line("survival.curves", {
      status: nameOf(name),
      event: nameOf(event),
      time: nameOf(time.name),
      censored: censored.slice(0, namesMost).map(nameOf),
      more: Math.max(0, censored.length - namesMost),
      horizon: edges.at(-1)!,
      unit: unit === null ? null : nameOf(unit),
    }),
    ...(competing.length === 0
      ? []
      : [line("survival.competing", { event: nameOf(event), competing: competing.map(nameOf) })]),
    line("survival.intervals", { noise: study.privacy === "none" ? 0 : 1 }),
    ...errorNotes(study, result),
    ...medianNotes(study, result),
    ...testNotes(study, result),
    ...fewRecords(study, result),
    ...curveWarnings(study, result),
  ];
}

/** As many digits as are shown: a line has room for 2,000 characters. */
const rounded = (value: number) => Number(value.toPrecision(4));

function inUnits(study: SurvivalStudy, time: number): string {
  const { unit } = survivalLayout(study);
  return unit === null ? String(rounded(time)) : `${rounded(time)} ${unit}`;
}

const unitOf = (study: SurvivalStudy) => {
  const { unit } = survivalLayout(study);
  return unit === null ? null : nameOf(unit);
};

/** Number of groups that have room in one line, each with its name and numbers. */
const groupsAtOnce = 4;

/** Sentences of groups, some in each line. */
function byGroups<T>(found: readonly T[], lineOf: (some: readonly T[]) => string): string[] {
  return Array.from({ length: Math.ceil(found.length / groupsAtOnce) }, (_, i) =>
    lineOf(found.slice(i * groupsAtOnce, (i + 1) * groupsAtOnce)),
  );
}

/** A group as a sentence names it; null where all records are one. */
function groupOf(study: SurvivalStudy, g: number) {
  const { groupName, groups } = survivalLayout(study);
  return groupName === null ? null : nameOf(`${groupName} = ${groups[g]}`);
}

function namedGroups(study: SurvivalStudy, of: readonly number[]) {
  const { groupName, groups } = survivalLayout(study);
  return {
    column: groupName === null ? null : nameOf(groupName),
    groups: groupName === null ? [] : of.map((g) => nameOf(groups[g]!)),
  };
}

/** The error that the noise adds, beside that of sampling. */
function errorNotes(study: SurvivalStudy, { curves }: SurvivalResult): string[] {
  if (study.privacy === "none") return [];
  const unit = unitOf(study);
  const errors = curves.flatMap((points, g) => {
    if (points.length === 0) return [];
    const worst = points.reduce((one, other) => (other.noiseStdDev > one.noiseStdDev ? other : one));
    const total = Math.hypot(worst.noiseStdDev, worst.samplingStdDev, worst.intervalStdDev);
    const alone = Math.hypot(worst.samplingStdDev, worst.intervalStdDev);
    const params = {
      group: groupOf(study, g),
      deviation: rounded(worst.noiseStdDev),
      time: rounded(worst.to),
      unit,
      sampling: rounded(worst.samplingStdDev),
      wider: alone > 0 ? rounded(total / alone) : null,
    };
    return [{ code: "survival.noise-error" as const, params }];
  });
  return byGroups(errors, (some) => line("survival.noise-errors", { errors: some }));
}

function medianNotes(study: SurvivalStudy, { curves }: SurvivalResult): string[] {
  const unit = unitOf(study);
  const time = (value: number | null) => (value === null ? null : rounded(value));
  const medians = curves.map((points, g) => {
    const { value, low, high } = medianSurvival(points);
    const params = { group: groupOf(study, g), value: time(value), low: time(low), high: time(high), unit };
    return { code: "survival.median" as const, params };
  });
  return byGroups(medians, (some) => line("survival.medians", { medians: some }));
}

function testNotes(study: SurvivalStudy, { logRank, untested }: SurvivalResult): string[] {
  const { groupName, edges } = survivalLayout(study);
  if (groupName === null) return [];
  const column = nameOf(groupName);
  if (untested !== null)
    return [
      untested === "no-events"
        ? line("survival.untested-no-events", { column, event: nameOf(study.parameters.event) })
        : line(`survival.untested-${untested}`, { column }),
    ];
  if (logRank === null) return [];
  const { halfInterval, constantHazards, degreesOfFreedom, decision, intervals, leftOut } = logRank;
  const { statistic, pValue } = halfInterval;
  const noise = study.privacy === "none" ? 0 : 1;
  return [
    line("survival.log-rank", {
      column,
      until: rounded(edges[intervals]!),
      unit: unitOf(study),
      statistic: rounded(statistic),
      freedom: degreesOfFreedom,
      pValue: rounded(pValue),
      noise,
    }),
    ...(leftOut.length === 0 ? [] : [line("survival.left-out", { ...namedGroups(study, leftOut), noise })]),
    ...(decision === "imprecise"
      ? [line("survival.test-imprecise", { half: pValue, constant: constantHazards.pValue })]
      : []),
  ];
}

function fewRecords(study: SurvivalStudy, { counts, stdDev }: SurvivalResult): string[] {
  const layout = survivalLayout(study);
  const needed = Math.ceil(recordsNeeded(layout, stdDev));
  const few = counts.flatMap((one, g) => {
    const records = Math.max(0, Math.round(atRisk(one)[0]!));
    return records < needed ? [{ records, group: layout.groups[g]! }] : [];
  });
  if (few.length === 0) return [];
  return [
    line("survival.few-records", {
      records: few.map(({ records }) => records),
      groups: layout.groupName === null ? [] : few.map(({ group }) => nameOf(group)),
      needed,
    }),
  ];
}

/** Warnings that only the released counts show: curves that end early or are not there. */
function curveWarnings(study: SurvivalStudy, { curves }: SurvivalResult): string[] {
  const horizon = survivalLayout(study).edges.at(-1)!;
  const noise = study.privacy === "none" ? 0 : 1;
  const unit = unitOf(study);
  const ends = curves.flatMap((points, g) => {
    const end = points.at(-1)?.to ?? horizon;
    const params = { group: groupOf(study, g), time: rounded(end), unit };
    return end < horizon ? [{ code: "survival.curve-end" as const, params }] : [];
  });
  const without = withoutCurve(curves);
  return [
    ...byGroups(ends, (some) => line("survival.curve-ends", { ends: some, noise })),
    ...(without.length === 0 ? [] : [line("survival.no-curve", { ...namedGroups(study, without), noise })]),
  ];
}

const withoutCurve = (curves: SurvivalResult["curves"]) =>
  curves.flatMap((points, g) => (points.length === 0 ? [g] : []));

export function survivalFigures(study: SurvivalStudy, { curves }: SurvivalResult): Figure[] {
  const { causes } = survivalLayout(study);
  const eventOf = (cause: string) => `event: ${study.label.name} = ${cause}`;
  const [event] = causes;
  return [
    curvesFigure(study, curves, {
      name: "survival",
      title:
        causes.length === 1
          ? `Survival (grouped times), ${eventOf(event!)}`
          : `Survival without any event (grouped times), ${study.label.name} = ${causes.join(", ")}`,
      yLabel: "survival probability",
      start: 1,
      of: ({ survival }) => survival,
    }),
    curvesFigure(study, curves, {
      name: "cumulative-hazard",
      title: `Cumulative hazard, ${eventOf(event!)}`,
      yLabel: "cumulative hazard",
      start: 0,
      of: ({ hazard }) => hazard,
    }),
    ...(causes.length === 1 ? [] : causes).map((cause, i) =>
      curvesFigure(study, curves, {
        name: i === 0 ? "incidence" : `incidence-${i}`,
        title: `Cumulative incidence, ${eventOf(cause)}`,
        yLabel: "cumulative incidence",
        start: 0,
        of: ({ incidence }) => incidence[i]!,
      }),
    ),
  ];
}

function curvesFigure(
  study: SurvivalStudy,
  curves: SurvivalResult["curves"],
  { name, title, yLabel, start, of }: CurvesAbout,
): Figure {
  const { time, unit, groupName, groups, edges } = survivalLayout(study);
  const starts = riskStarts(study);
  return {
    kind: "curves",
    name,
    title: title.slice(0, 300),
    xLabel: (unit === null || unit === time.name ? time.name : `${time.name} (${unit})`).slice(0, 300),
    yLabel,
    series: curves.map((points, g) => ({
      label:
        `${groupName === null ? "all records" : `${groupName} = ${groups[g]}`}, with 95 % interval`.slice(
          0,
          300,
        ),
      style: "band",
      points: [
        { x: 0, y: start, low: start, high: start },
        ...points.map((point) => {
          const { value, low, high } = of(point);
          return { x: point.to, y: value, low, high };
        }),
      ],
      below: starts.flatMap((b) => {
        const value = riskAt(points, b);
        return value === null ? [] : [{ x: edges[b]!, value }];
      }),
    })),
    belowLabel: "number at risk",
  };
}

interface CurvesAbout {
  readonly name: string;
  readonly title: string;
  readonly yLabel: string;
  /** The value at time 0. */
  readonly start: number;
  readonly of: (point: CurvePoint) => Estimate;
}
