import { writeFile } from "node:fs/promises";
import seedrandom from "seedrandom";

/**
 * A made-up table of hospital stays, 40 columns by a formula: a patient, dates, categories, laboratory values with gaps, and
 * who came back within 30 days. No row is anybody's.
 */
export const outcome = "readmitted_30d";

type Draw = () => number;

const categories: Readonly<Record<string, readonly string[]>> = {
  sex: ["female", "male"],
  smoking: ["never", "former", "current"],
  diabetes: ["no", "yes"],
  hypertension: ["no", "yes"],
  copd: ["no", "yes"],
  heart_failure: ["no", "yes"],
  admission_type: ["elective", "emergency"],
  asa_class: ["1", "2", "3", "4"],
  blood_group: ["A", "B", "AB", "O"],
};

/** Mean, standard deviation, decimals, and the part of the rows that lacks it. */
const measures: Readonly<
  Record<string, readonly [mean: number, deviation: number, decimals: number, lacking: number]>
> = {
  body_mass_index: [27, 5, 1, 0.05],
  height: [171, 9, 0, 0.05],
  systolic_pressure: [134, 20, 0, 0.02],
  diastolic_pressure: [78, 12, 0, 0.02],
  heart_rate: [80, 14, 0, 0.02],
  temperature: [36.9, 0.6, 1, 0.03],
  spo2: [95, 3, 0, 0.03],
  creatinine: [1.1, 0.5, 2, 0.08],
  egfr: [72, 22, 0, 0.08],
  sodium: [139, 4, 0, 0.06],
  potassium: [4.2, 0.5, 1, 0.06],
  chloride: [103, 4, 0, 0.2],
  calcium: [2.3, 0.15, 2, 0.2],
  glucose: [6.8, 2.4, 1, 0.1],
  hba1c: [6.3, 1.2, 1, 0.6],
  ldl: [3, 0.9, 1, 0.5],
  hdl: [1.3, 0.35, 2, 0.5],
  bilirubin: [0.8, 0.5, 1, 0.3],
  alt: [32, 20, 0, 0.3],
  albumin: [38, 6, 0, 0.4],
  crp: [30, 40, 0, 0.15],
  haemoglobin: [12.8, 1.9, 1, 0.05],
  platelets: [240, 80, 0, 0.05],
  white_cell_count: [8.6, 3.4, 1, 0.05],
  medications: [6, 3, 0, 0],
  admissions: [1.4, 1.2, 0, 0],
};

/** @param seed - of the hospital: the same gives the same file */
export async function writeTable(path: string, rows: number, seed: string): Promise<void> {
  const uniform = seedrandom(seed);
  const names = ["patient_id", "admitted_on", "discharged_on", "age"];
  const lines = [[...names, ...Object.keys(categories), ...Object.keys(measures), outcome].join()];
  for (let row = 0; row < rows; row++) lines.push(stayOf(row, uniform).join());
  await writeFile(path, `${lines.join("\n")}\n`);
}

function stayOf(row: number, uniform: Draw): (string | number)[] {
  const admitted = Date.UTC(2024, 0, 1) + Math.floor(uniform() * 700) * 86_400_000;
  const days = 1 + Math.floor(-6 * Math.log(1 - uniform()));
  const age = Math.round(clamp(66 + 15 * normal(uniform), 18, 100));
  const levels = Object.values(categories).map((all) => all[Math.floor(uniform() ** 1.4 * all.length)]!);
  const values = Object.values(measures).map(([mean, deviation, decimals, lacking]) =>
    uniform() < lacking ? "" : Math.max(0, mean + deviation * normal(uniform)).toFixed(decimals),
  );
  const isIll = Number(levels[5] === "yes") + Number(levels[2] === "yes");
  const odds = Math.exp(-2.6 + 0.025 * (age - 66) + 0.5 * isIll);
  return [
    // A patient has up to four stays.
    `p${Math.floor(row / 2.5)}`,
    ...[admitted, admitted + days * 86_400_000].map((at) => new Date(at).toISOString().slice(0, 10)),
    age,
    ...levels,
    ...values,
    uniform() < odds / (1 + odds) ? "yes" : "no",
  ];
}

const normal = (uniform: Draw) => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());

const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));
