/**
 * Makes the second table of the examples: a clinical trial that never took place, drawn from a formula.
 *
 *   node examples/trial.mjs    writes data/trial/hospital-a.csv to hospital-d.csv
 *
 * The same seed gives the same files, byte for byte. No row is anybody's.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import seedrandom from "seedrandom";

const folder = new URL("data/trial/", import.meta.url);

/** Patients at each hospital. */
const hospitals = { "hospital-a": 620, "hospital-b": 540, "hospital-c": 480, "hospital-d": 360 };

/** Months by which half of the patients of each arm have died; Weibull times of shape 1.2. */
const medians = { standard: 20, new: 31 };
const shape = 1.2;
/** Recruitment takes so many months of a study of so many, and others are lost to follow-up. */
const [recruitment, duration] = [24, 72];
const lostMean = 120;

mkdirSync(folder, { recursive: true });
for (const [hospital, patients] of Object.entries(hospitals)) {
  const uniform = seedrandom(`trial ${hospital}`);
  const lines = ["months,arm,status"];
  for (let patient = 0; patient < patients; patient++) {
    const arm = uniform() < 0.5 ? "standard" : "new";
    const death = medians[arm] * Math.log2(1 / (1 - uniform())) ** (1 / shape);
    const lost = -lostMean * Math.log(1 - uniform());
    const end = duration - recruitment * uniform();
    const months = Math.min(death, lost, end);
    const status = months === death ? "dead" : months === lost ? "lost to follow-up" : "alive";
    lines.push([months.toFixed(1), arm, status].join());
  }
  writeFileSync(new URL(`${hospital}.csv`, folder), `${lines.join("\n")}\n`);
}
