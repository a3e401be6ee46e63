import type { MethodResult, RowsPart } from "@consilium/core/method/aggregatorSide";
import type { ReleaseColumn } from "@consilium/core/release/content";
import type { Figure } from "@consilium/core/release/figures";
import { soundSum } from "@consilium/core/study/soundSums";
import { counted, namesText } from "@consilium/core/words";
import { cautionOf } from "../shared/evaluation/caution.js";
import type { Estimate } from "../shared/evaluation/estimate.js";
import { atRisk } from "./counts.js";
import { type CurvePoint, medianSurvival, type TimeEstimate } from "./curve.js";
import type { SurvivalResult } from "./result.js";
import { recordsNeeded, type SurvivalStudy, survivalLayout } from "./study.js";

/** What a release of survival curves says beside its model: rows, facts, notes and figures. */

interface NumberColumn {
  readonly name: string;
  readonly description: string;
  /** Whether it is a time, and so has the time's unit. */
  readonly isTime?: true;
  readonly of: (point: CurvePoint) => number;
}

const columns: readonly NumberColumn[] = [
  { name: "time", description: "Where the interval ends", isTime: true, of: ({ to }) => to },
  {
    name: "survival",
    description: "The part without the event at the interval's end, by Kaplan and Meier's estimate",
    of: ({ survival }) => survival.value,
  },
  {
    name: "survival_low",
    description: "Lower end of its interval of 95 %, which covers sampling, noise and the width of intervals",
    of: ({ survival }) => survival.low,
  },
  { name: "survival_high", description: "Upper end of that interval", of: ({ survival }) => survival.high },
  {
    name: "at_risk",
    description: "Records under observation when the interval begins, as the noisy counts have them",
    of: (point) => point.atRisk,
  },
  { name: "events", description: "Records with the event in the interval", of: ({ events }) => events },
  { name: "censored", description: "Records censored in the interval", of: ({ censored }) => censored },
  {
    name: "cumulative_hazard",
    description: "At the interval's end, by Nelson and Aalen's estimate",
    of: ({ hazard }) => hazard.value,
  },
  {
    name: "cumulative_hazard_low",
    description: "Lower end of its interval of 95 %",
    of: ({ hazard }) => hazard.low,
  },
  {
    name: "cumulative_hazard_high",
    description: "Upper end of that interval",
    of: ({ hazard }) => hazard.high,
  },
  {
    name: "sampling_std_dev",
    description: "Standard deviation of survival that other records of the same kind would give it",
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
  { name: "interval_start", description: "Where the interval begins", isTime: true, of: ({ from }) => from },
];

export const curveShape = (study: SurvivalStudy) => ({
  columns: columns.length,
  levels: survivalLayout(study).groupAt === null ? 0 : 1,
});

/** The curves as rows: group by group, interval by interval. */
export function curveRows(study: SurvivalStudy, { curves }: SurvivalResult): RowsPart[] {
  const { levels } = curveShape(study);
  return curves.map((points, g) => ({
    rows: points.length,
    values: Float64Array.from(points.flatMap((point) => columns.map(({ of }) => of(point)))),
    labels: levels === 0 ? null : new Uint16Array(points.length).fill(g),
  }));
}

export function curveColumns(study: SurvivalStudy): ReleaseColumn[] {
  const { unit, groupName, groups } = survivalLayout(study);
  const numbers = columns.map(
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

export function survivalFacts(study: SurvivalStudy, result: SurvivalResult): MethodResult["facts"] {
  const { stage, edges, groups } = survivalLayout(study);
  return {
    masking: `pairwise, in the ring of integers modulo 2^${soundSum(study, stage).ringBits}`,
    intervals: edges.length - 1,
    groups: groups.length,
    noise: study.privacy === "none" ? "none" : "discrete Gaussian, a share from every site",
    noiseStdDev: result.stdDev,
    noisyRows: result.counts.reduce((sum, one) => sum + atRisk(one)[0]!, 0),
  };
}

export function survivalNotes(study: SurvivalStudy, result: SurvivalResult): string[] {
  const { time, edges } = survivalLayout(study);
  const { event } = study.parameters;
  const { name, levels } = study.label;
  const others = levels.filter((level) => level !== event);
  const horizon = inUnits(study, edges.at(-1)!);
  const competing =
    others.length > 1
      ? ` Where one of these rules out ${event} for good, 1 - survival is more than the part that will have it.`
      : "";
  return [
    `data.csv has the curves: survival is the part of a group whose ${name} has not become ${event} by the end of each interval of ${time.name}. Records with ${name} ${namesText(others)} are censored at their time, and all others at ${horizon}.${competing} Within an interval those censored count as at risk for half of it.`,
    "Each interval of 95 % holds at its own time, for records like these as a sample. It covers what other records would have given, the noise that protects these, and that the order of events and censorings within an interval is not known.",
    ...paragraph(result.curves.flatMap((points, g) => errorNote(study, points, g))),
    medianNote(study, result),
    ...testNote(study, result),
    ...paragraph(survivalWarnings(study, result)),
  ].map((note) => note.slice(0, 2000));
}

/** A release has few paragraphs, and a study may have many groups. */
const paragraph = (sentences: readonly string[]) => (sentences.length === 0 ? [] : [sentences.join(" ")]);

const rounded = (value: number) => String(Number(value.toPrecision(3)));

function inUnits(study: SurvivalStudy, time: number): string {
  const { unit } = survivalLayout(study);
  return unit === null ? rounded(time) : `${rounded(time)} ${unit}`;
}

/** "of arm = new"; nothing where all records are one group. */
function ofGroup(study: SurvivalStudy, group: number): string {
  const { groupName, groups } = survivalLayout(study);
  return groupName === null ? "" : ` of ${groupName} = ${groups[group]}`;
}

/** The error that the noise adds, beside that of sampling. */
function errorNote(study: SurvivalStudy, points: readonly CurvePoint[], group: number): string[] {
  if (study.privacy === "none" || points.length === 0) return [];
  const worst = points.reduce((one, other) => (other.noiseStdDev > one.noiseStdDev ? other : one));
  const total = Math.hypot(worst.noiseStdDev, worst.samplingStdDev, worst.intervalStdDev);
  const alone = Math.hypot(worst.samplingStdDev, worst.intervalStdDev);
  const wider =
    alone > 0 ? `, so the interval is ${rounded(total / alone)} times as wide as without noise` : "";
  return [
    `Expected error${ofGroup(study, group)}: the noise moves survival by a standard deviation of ${rounded(worst.noiseStdDev)} at most, at ${inUnits(study, worst.to)}, where sampling gives ${rounded(worst.samplingStdDev)}${wider}.`,
  ];
}

function medianNote(study: SurvivalStudy, { curves }: SurvivalResult): string {
  const medians = curves.map(
    (points, g) => `${medianText(study, medianSurvival(points))}${ofGroup(study, g)}`,
  );
  return `Median survival, with its interval of 95 %: ${namesText(medians)}.`;
}

function medianText(study: SurvivalStudy, { value, low, high }: TimeEstimate): string {
  const shown = (time: number | null) => (time === null ? "beyond the curve" : inUnits(study, time));
  return low === null ? shown(null) : `${shown(value)} (${shown(low)} to ${shown(high)})`;
}

function testNote(study: SurvivalStudy, { logRank, counts }: SurvivalResult): string[] {
  if (logRank === null || counts.length === 1) return [];
  const { groupName, edges } = survivalLayout(study);
  const { statistic, degreesOfFreedom, pValue, intervals } = logRank;
  const noise = study.privacy === "none" ? "" : " Its variance counts the noise.";
  return [
    `Log-rank test of ${groupName}, up to ${inUnits(study, edges[intervals]!)}: χ² = ${rounded(statistic)} with ${counted(degreesOfFreedom, "degree", "degrees")} of freedom, p = ${pValue < 1e-4 ? "less than 0.0001" : rounded(pValue)}.${noise} It says whether the groups' hazards differ, not why.`,
  ];
}

/** What only the released counts tell: too few records, and curves that end early or are not there. */
function survivalWarnings(study: SurvivalStudy, { counts, curves, stdDev }: SurvivalResult): string[] {
  const { edges } = survivalLayout(study);
  const needed = recordsNeeded(stdDev, edges.length - 1);
  return counts.flatMap((one, g) => {
    const records = atRisk(one)[0]!;
    const end = curves[g]!.at(-1)?.to ?? 0;
    return [
      ...(records < needed
        ? [
            `Too few records${ofGroup(study, g)}: the noisy counts have about ${Math.round(records)}, and with this noise ${edges.length - 1} intervals need about ${Math.ceil(needed)}. The curve's intervals of 95 % hold the truth less often than that; ask fewer intervals of time, or raise epsilon.`,
          ]
        : []),
      ...(end > 0 && end < edges.at(-1)!
        ? [
            `The curve${ofGroup(study, g)} ends at ${inUnits(study, end)}: after that the number at risk is ${study.privacy === "none" ? "0" : "within twice the standard deviation of its noise"}.`,
          ]
        : []),
      ...(end === 0
        ? [
            `There is no curve${ofGroup(study, g)}: ${study.privacy === "none" ? "no record." : nothingAtRisk}`,
          ]
        : []),
    ];
  });
}

const nothingAtRisk = "the number of records does not stand out of the noise.";

export function survivalCaution(study: SurvivalStudy, { curves }: SurvivalResult): string | null {
  if (study.privacy === "none") return null;
  const without = curves.flatMap((points, g) => (points.length === 0 ? [g] : []));
  if (without.length === 0) return null;
  const { groupName, groups } = survivalLayout(study);
  const which =
    groupName === null
      ? ""
      : `for ${groupName} = ${namesText(
          without.map((g) => groups[g]!),
          200,
        )} `;
  return cautionOf(`${which}${nothingAtRisk}`, null);
}

export function survivalFigures(study: SurvivalStudy, { curves }: SurvivalResult): Figure[] {
  const { event } = study.parameters;
  return [
    curvesFigure(study, curves, {
      name: "survival",
      title: `Survival without ${study.label.name} = ${event}`,
      yLabel: "part without the event",
      start: 1,
      of: ({ survival }) => survival,
    }),
    curvesFigure(study, curves, {
      name: "cumulative-hazard",
      title: `Cumulative hazard of ${study.label.name} = ${event}`,
      yLabel: "cumulative hazard",
      start: 0,
      of: ({ hazard }) => hazard,
    }),
  ];
}

function curvesFigure(
  study: SurvivalStudy,
  curves: SurvivalResult["curves"],
  { name, title, yLabel, start, of }: CurvesAbout,
): Figure {
  const { time, unit, groupName, groups } = survivalLayout(study);
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
    })),
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
