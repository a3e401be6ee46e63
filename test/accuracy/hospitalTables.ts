import seedrandom from "seedrandom";

/**
 * Tables as hospitals have them, drawn: each with one thing that trips methods up. Every row's probability is known to the draw
 * alone, so what a release says can be held against further rows of the same kind.
 */

export interface Draws {
  readonly uniform: () => number;
  readonly normal: () => number;
  /** Of the hospital, from 0. */
  readonly site: number;
}

export type Cell = number | string | null;

export interface HospitalTable {
  readonly name: string;
  /** As a study declares them. */
  readonly features: readonly Readonly<Record<string, unknown>>[];
  readonly levels: readonly string[];
  readonly rows: readonly number[];
  /** Cells of the features, then the label's. */
  readonly draw: (draws: Draws) => readonly Cell[];
}

const numeric = (name: string, min: number, max: number, more: object = {}) => ({
  name,
  type: "numeric",
  min,
  max,
  ...more,
});
const sex = { name: "sex", type: "categorical", levels: ["f", "m"] };
const plain = [numeric("age", 18, 98), numeric("pressure", 80, 220), sex];
const levels = ["no", "yes"];
const evenly = [900, 600, 500];

const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));
const person = ({ uniform, normal }: Draws) => ({
  age: Math.round(clamp(58 + 15 * normal(), 18, 98)),
  pressure: Math.round(clamp(135 + 18 * normal(), 80, 220)),
  sex: uniform() < 0.5 ? "f" : "m",
});
const risk = ({ age, pressure }: { age: number; pressure: number }) =>
  (age - 58) / 12 + (pressure > 145 ? 1 : -0.3);
const outcome = (draws: Draws, logOdds: number) =>
  draws.uniform() < 1 / (1 + Math.exp(-logOdds)) ? "yes" : "no";

/** A person whose outcome has this many log-odds more; what is written may be changed. */
const ordinary =
  (intercept: number, write: (cells: Cell[], draws: Draws) => readonly Cell[] = (cells) => cells) =>
  (draws: Draws): readonly Cell[] => {
    const one = person(draws);
    return write([one.age, one.pressure, one.sex, outcome(draws, intercept + risk(one))], draws);
  };

const wards = Array.from({ length: 20 }, (_, i) => `ward ${i + 1}`);

export const hospitalTables: readonly HospitalTable[] = [
  { name: "nothing unusual", features: plain, levels, rows: evenly, draw: ordinary(0) },
  { name: "a rare outcome", features: plain, levels, rows: [6000, 3000, 1000], draw: ordinary(-5.6) },
  { name: "an outcome that nearly all have", features: plain, levels, rows: evenly, draw: ordinary(4.5) },
  {
    name: "a third of the values missing",
    features: [
      numeric("age", 18, 98, { missing: { constant: 58 } }),
      numeric("pressure", 80, 220, { missing: { constant: 135 } }),
      { ...sex, missing: "own-level" },
    ],
    levels,
    rows: evenly,
    draw: ordinary(0, (cells, { uniform }) =>
      cells.map((cell, i) => (i < 3 && uniform() < 1 / 3 ? null : cell)),
    ),
  },
  {
    name: "one hospital with one class",
    features: plain,
    levels,
    rows: evenly,
    draw: ordinary(0, (cells, { site }) => (site === 2 ? [...cells.slice(0, 3), "no"] : cells)),
  },
  {
    name: "a column that one hospital never recorded",
    features: [plain[0]!, numeric("pressure", 80, 220, { missing: { constant: 80 } }), sex],
    levels,
    rows: evenly,
    draw: ordinary(0, (cells, { site }) => (site === 1 ? [cells[0]!, null, ...cells.slice(2)] : cells)),
  },
  {
    name: "twenty levels",
    features: [numeric("age", 18, 98), { name: "ward", type: "categorical", levels: wards }],
    levels,
    rows: [2000, 1500, 1000],
    draw: (draws) => {
      const { age } = person(draws);
      const ward = Math.floor(20 * draws.uniform() ** 2);
      return [age, wards[ward]!, outcome(draws, (age - 58) / 20 + (ward % 3) - 1)];
    },
  },
  {
    name: "heavy tails beyond the bounds",
    features: [numeric("stay", 0, 30), numeric("cost", 0, 100_000), sex],
    levels,
    rows: evenly,
    draw: (draws) => {
      const stay = Math.exp(1.2 + 1.3 * draws.normal());
      const cost = 900 * Math.exp(2 + 1.8 * draws.normal());
      return [stay, cost, person(draws).sex, outcome(draws, Math.log(stay) - 1.2)];
    },
  },
  {
    name: "a column that never varies, and one twice",
    features: [numeric("age", 18, 98), numeric("again", 18, 98), numeric("always", 0, 1), sex],
    levels,
    rows: evenly,
    draw: (draws) => {
      const one = person(draws);
      return [one.age, one.age, 1, one.sex, outcome(draws, risk(one))];
    },
  },
  { name: "very few patients", features: plain, levels, rows: [40, 25, 15], draw: ordinary(0) },
  { name: "a hospital without patients", features: plain, levels, rows: [900, 0, 700], draw: ordinary(0) },
  {
    name: "records that nothing can be made of",
    features: plain,
    levels,
    rows: evenly,
    draw: ordinary(0, (cells, { uniform }) => {
      const at = uniform();
      if (at < 0.04) return ["unknown", ...cells.slice(1)];
      if (at < 0.08) return [cells[0]!, cells[1]!, "x", cells[3]!];
      if (at < 0.12) return [...cells.slice(0, 3), "perhaps"];
      return at < 0.16 ? [cells[0]!, null, cells[2]!, cells[3]!] : cells;
    }),
  },
  {
    name: "three outcomes",
    features: plain,
    levels: ["home", "ward", "died"],
    rows: evenly,
    draw: (draws) => {
      const one = person(draws);
      const score = risk(one) + draws.normal();
      return [one.age, one.pressure, one.sex, score < 0 ? "home" : score < 2 ? "ward" : "died"];
    },
  },
];

/** @param seed - the same rows for the same seed */
export function drawnRows(
  table: HospitalTable,
  site: number,
  rows: number,
  seed: string,
): (readonly Cell[])[] {
  const uniform = seedrandom(`${table.name} ${site} ${seed}`);
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return Array.from({ length: rows }, () => table.draw({ uniform: () => uniform(), normal, site }));
}

export function csvOf(table: HospitalTable, rows: readonly (readonly Cell[])[]): string {
  const names = [...table.features.map(({ name }) => String(name)), "outcome"];
  return `${[names, ...rows.map((row) => row.map((cell) => cell ?? ""))].map((line) => line.join(",")).join("\n")}\n`;
}
