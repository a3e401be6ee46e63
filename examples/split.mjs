/**
 * Makes the demo's input from the Wisconsin diagnostic breast cancer table.
 *
 *   node examples/split.mjs                    splits data/wdbc.csv over four hospitals
 *   node examples/split.mjs path/to/wdbc.data  first makes data/wdbc.csv from UCI's file
 *
 * The same input gives the same files, byte for byte.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import seedrandom from "seedrandom";

const folder = new URL("data/", import.meta.url);
const table = new URL("wdbc.csv", folder);

/** UCI's file, by its contents. */
const sourceSha256 = "d606af411f3e5be8a317a5a8b652b425aaf0ff38ca683d5327ffff94c3695f4a";

const measures = [
  "radius",
  "texture",
  "perimeter",
  "area",
  "smoothness",
  "compactness",
  "concavity",
  "concave_points",
  "symmetry",
  "fractal_dimension",
];
const header = ["mean", "se", "worst"].flatMap((statistic) => measures.map((m) => `${m}_${statistic}`));
const diagnoses = { M: "malignant", B: "benign" };

/** Rows per diagnosis at each hospital: uneven in size and in case mix. All 569 rows go somewhere. */
const hospitals = {
  "hospital-a": { malignant: 70, benign: 150 },
  "hospital-b": { malignant: 75, benign: 85 },
  "hospital-c": { malignant: 22, benign: 98 },
  "hospital-d": { malignant: 45, benign: 24 },
};

const source = process.argv[2];
if (source !== undefined) {
  const bytes = readFileSync(source);
  const hash = createHash("sha256").update(bytes).digest("hex");
  if (hash !== sourceSha256) throw new Error(`${source} is not UCI's wdbc.data: its SHA-256 is ${hash}`);
  const rows = bytes
    .toString("utf8")
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(","))
    .map(([, diagnosis, ...values]) => [...values, diagnoses[diagnosis]].join(","));
  writeFileSync(table, `${[[...header, "diagnosis"].join(","), ...rows].join("\n")}\n`);
}

const [first, ...lines] = readFileSync(table, "utf8").trim().split("\n");
const random = seedrandom("consilium wdbc split 1");
const shares = new Map(Object.keys(hospitals).map((hospital) => [hospital, []]));
for (const diagnosis of ["malignant", "benign"]) {
  const rows = [...lines.keys()].filter((row) => lines[row].endsWith(`,${diagnosis}`));
  for (let i = rows.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [rows[i], rows[j]] = [rows[j], rows[i]];
  }
  for (const [hospital, mix] of Object.entries(hospitals)) {
    shares.get(hospital).push(...rows.splice(0, mix[diagnosis]));
  }
  if (rows.length > 0) throw new Error(`${rows.length} ${diagnosis} rows of the table go to no hospital`);
}
for (const [hospital, rows] of shares) {
  const sorted = rows.sort((a, b) => a - b).map((row) => lines[row]);
  writeFileSync(new URL(`${hospital}.csv`, folder), `${[first, ...sorted].join("\n")}\n`);
}
