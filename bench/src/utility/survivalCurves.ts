import { planStudy } from "@consilium/core/study/plan";
import { followedRows, horizon, trueSurvival } from "../survival.js";
import type { UtilityCell } from "./cell.js";
import type { UtilityNetwork } from "./network.js";
import { releaseOf } from "./releases.js";
import { equalNoise, studyOf } from "./tables.js";

/**
 * How far a released survival curve is from that of the exact times, at the ends of 40 intervals as far as it goes. Figures to reach are of another
 * table of this size; again: those of central_counts.py, of tables drawn as here.
 */

const delta = 1e-5;
const intervals = 40;

interface Setting {
  readonly records: number;
  readonly epsilon: number | null;
  /** Null where there are no such figures. */
  readonly target: number | null;
  readonly again?: number;
  /** Whether the plan warns of too few records; then intervals do not promise their rate. */
  readonly isWarned?: true;
}

const settings: readonly Setting[] = [
  { records: 228, epsilon: 0.5, target: 0.29, again: 0.158, isWarned: true },
  { records: 228, epsilon: 1, target: 0.19, again: 0.15, isWarned: true },
  { records: 228, epsilon: 2, target: 0.12, again: 0.095 },
  { records: 1000, epsilon: 0.5, target: 0.108, again: 0.075 },
  { records: 1000, epsilon: 1, target: 0.074, again: 0.042 },
  { records: 1000, epsilon: 2, target: 0.048, again: 0.023 },
  { records: 1000, epsilon: null, target: null },
  { records: 5000, epsilon: 0.5, target: 0.042, again: 0.016 },
  { records: 5000, epsilon: 1, target: 0.024, again: 0.008 },
  { records: 5000, epsilon: 2, target: 0.013, again: 0.004 },
  { records: 5000, epsilon: null, target: null },
  { records: 20_000, epsilon: 0.5, target: 0.013, again: 0.004 },
  { records: 20_000, epsilon: 1, target: 0.007, again: 0.002 },
  { records: 20_000, epsilon: 2, target: 0.004, again: 0.001 },
  { records: 20_000, epsilon: null, target: null },
];

interface FollowedTable {
  readonly features: readonly Record<string, unknown>[];
  readonly levels: readonly string[];
  readonly train: { readonly rows: readonly number[][]; readonly labels: readonly number[] };
}

const tables = new Map<string, FollowedTable>();

function followedTable(records: number, seed: number): FollowedTable {
  const name = `followed ${records} ${seed}`;
  const rows = tables.has(name) ? [] : followedRows([records, 0], 1, name);
  const table = tables.get(name) ?? {
    features: [{ name: "months", type: "numeric", min: 0, max: horizon, below: "reject-row" }],
    levels: ["alive", "dead"],
    train: { rows: rows.map(({ months }) => [months]), labels: rows.map(({ status }) => status) },
  };
  tables.set(name, table);
  return table;
}

const studyOn = (table: FollowedTable, epsilon: number | null) =>
  studyOf(table, {
    analysis: "survival",
    method: "survival",
    parameters: { event: "dead", intervals },
    privacy: equalNoise(epsilon, delta),
  });

/** Kaplan and Meier's curve of the times themselves, at these ascending times. */
function exactCurve({ rows, labels }: FollowedTable["train"], at: readonly number[]): number[] {
  const order = rows.map(([months], r) => ({ months: months!, isEvent: labels[r] === 1 }));
  order.sort((a, b) => a.months - b.months);
  let [next, survival] = [0, 1];
  return at.map((time) => {
    // Times are distinct below the horizon, and nobody has the event there.
    for (; next < order.length && order[next]!.months < Math.min(time, horizon); next++)
      if (order[next]!.isEvent) survival *= 1 - 1 / (order.length - next);
    return survival;
  });
}

interface Figures {
  readonly distance: number;
  readonly "truth in the intervals": number;
  /** Of the exact curve from the truth. */
  readonly sampling: number;
}

async function measured(
  { records, epsilon }: Setting,
  seed: number,
  network: UtilityNetwork | null,
): Promise<Figures> {
  const table = followedTable(records, seed);
  const study = studyOn(table, epsilon);
  const { rows } = await releaseOf(study, table, `survival ${records} ${epsilon} ${seed}`, network);
  const points = (await rows()).map((line) => ({
    time: Number(line.time),
    survival: Number(line.survival),
    low: Number(line.survival_low),
    high: Number(line.survival_high),
  }));
  const exact = exactCurve(
    table.train,
    points.map(({ time }) => time),
  );
  const all = Array.from({ length: intervals }, (_, b) => ((b + 1) * horizon) / intervals);
  const held = points.filter(
    ({ time, low, high }) => low <= trueSurvival(time) && trueSurvival(time) <= high,
  );
  return {
    distance: Math.max(0, ...points.map(({ survival }, b) => Math.abs(survival - exact[b]!))),
    "truth in the intervals": held.length / points.length,
    sampling: Math.max(
      ...exactCurve(table.train, all).map((one, b) => Math.abs(one - trueSurvival(all[b]!))),
    ),
  };
}

const runs = new Map<string, Promise<Figures>>();

function cellOf(setting: Setting, metric: keyof Figures): UtilityCell {
  const { records, epsilon, target, again, isWarned } = setting;
  const isError = metric !== "truth in the intervals";
  return {
    method: "survival",
    variant: epsilon === null ? "none" : "sound",
    data: `${records} drawn records`,
    epsilon,
    metric,
    ...(isError ? { isError } : {}),
    target: metric === "distance" ? target : isError || isWarned ? null : 0.95,
    ...(metric === "distance" ? { again } : {}),
    async run(seed, network) {
      const key = JSON.stringify([records, epsilon, seed, network === null]);
      const known = runs.get(key) ?? measured(setting, seed, network);
      runs.set(key, known);
      return (await known)[metric];
    },
  };
}

const warnedCell = ({ records, epsilon }: Setting): UtilityCell => ({
  method: "survival",
  variant: "sound",
  data: `${records} drawn records`,
  epsilon,
  metric: "warned of too few records",
  target: 1,
  async run(seed) {
    const { warnings } = planStudy(studyOn(followedTable(records, seed), epsilon));
    return warnings.some((one) => one.startsWith("survival.too-few-rows")) ? 1 : 0;
  },
});

export const cells: readonly UtilityCell[] = settings.flatMap((setting) => [
  cellOf(setting, "distance"),
  ...(setting.records === 228 ? [] : [cellOf(setting, "truth in the intervals")]),
  ...(setting.isWarned ? [warnedCell(setting)] : []),
  ...(setting.epsilon === null ? [cellOf(setting, "sampling")] : []),
]);
