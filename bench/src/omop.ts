import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { unwrap } from "@consilium/core/result";
import { parseStudy } from "@consilium/methods/testing/studies";
import { openTable } from "@consilium/site-agent/data/preflight";
import { tableConfigSchema } from "@consilium/site-agent/data/tableConfig";
import { boundedStudy, unitOf } from "@consilium/site-agent/data/tableUnit";
import { syntheticConcepts, writeSyntheticCdm } from "@consilium/site-agent/testing/data/syntheticCdm";

/** How long a site takes to read the rows of a feature plan from a made-up OMOP CDM as CSV files. */

const usage = `Usage: npm run bench -- omop [--persons 100000] [--seed 1] [--to <folder>] [--json]
Writes a made-up OMOP CDM and reads a plan's rows twice, as a study of patients does. With --to the CDM is kept there.`;

const { diabetes, heartFailure, hba1c, systolic, metformin, inpatient, units } = syntheticConcepts;

const study = unwrap(
  parseStudy({
    name: "omop-bench",
    table: "cohort",
    analysis: "pca",
    features: ["age", "hba1c", "systolic", "metformin", "stays", "failure"].map((name) => ({
      name,
      type: "numeric",
      min: 0,
      max: 1000,
      missing: { constant: 0 },
    })),
    omop: {
      cdm: "5.4",
      conceptSets: {
        diabetes: [{ concept: diabetes.all }],
        "heart-failure": [{ concept: heartFailure.all }],
        hba1c: [{ concept: hba1c }],
        systolic: [{ concept: systolic }],
        metformin: [{ concept: metformin }],
        inpatient: [{ concept: inpatient }],
      },
      index: { domain: "condition", concepts: "diabetes" },
      columns: [
        { name: "age", value: "age" },
        ...[
          { name: "hba1c", concepts: "hba1c", unit: units.percent },
          { name: "systolic", concepts: "systolic", unit: units.mmHg },
        ].map((column) => ({ ...column, value: "last", domain: "measurement", days: [-1000, 1000] })),
        { name: "metformin", value: "any", domain: "drug", concepts: "metformin", days: [-1000, 0] },
        { name: "stays", value: "count", domain: "visit", concepts: "inpatient", days: [-1000, -1] },
        {
          name: "failure",
          value: "days-to",
          domain: "condition",
          concepts: "heart-failure",
          days: [1, 1000],
        },
      ],
    },
    privacy: { epsilon: 1, delta: 1e-9 },
    participation: { maxRowsPerSite: 1_000_000_000 },
    parameters: { components: 1 },
  }),
);

/** The most memory that this process has held, on Linux. */
function peakMib(): number {
  const [, kib = "0"] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return Math.round(Number(kib) / 1024);
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      persons: { type: "string", default: "100000" },
      seed: { type: "string", default: "1" },
      to: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const [persons, seed] = [Number(values.persons), Number(values.seed)];
  if (!Number.isSafeInteger(persons) || persons < 1 || !Number.isSafeInteger(seed)) {
    console.error(usage);
    process.exitCode = 2;
    return;
  }
  const temporary = values.to === undefined ? mkdtempSync(join(tmpdir(), "consilium-omop-")) : null;
  const folder = resolve(temporary ?? values.to!);
  try {
    const events = await writeSyntheticCdm(folder, { persons, seed });
    const before = peakMib();
    const config = tableConfigSchema.parse({ name: "cohort", omop: { files: folder } });
    const startedAt = performance.now();
    const { rows } = unwrap(await openTable(config, boundedStudy(study, unitOf(config))));
    const seconds = (performance.now() - startedAt) / 1000;
    const result = {
      persons,
      lines: events,
      rows,
      seconds,
      linesPerSecond: Math.round(events / seconds),
      peakMib: peakMib(),
      peakMibBefore: before,
    };
    if (values.json) console.log(JSON.stringify(result));
    else {
      console.log(
        `${events} lines of ${persons} persons: ${rows} rows in ${seconds.toFixed(1)} s, peak ${result.peakMib} MiB (${before} before)`,
      );
      if (temporary === null) console.log(`The CDM is in ${folder}`);
    }
  } finally {
    if (temporary !== null) rmSync(temporary, { recursive: true, force: true });
  }
}
