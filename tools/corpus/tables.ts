import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ColumnBlock } from "@consilium/core/study/design";
import { hidesTables } from "@consilium/core/study/hidesTables";
import type { Study } from "@consilium/core/study/study";
import type { RecordBlock } from "@consilium/gate/record";
import { type TableConfig, tableConfigSchema } from "@consilium/site-agent/data/tableConfig";
import { ConfiguredTables } from "@consilium/site-agent/data/tables";
import { root } from "./place.js";

/** So many rows that follow each other in a table are one patient's. */
const rowsOfPatient = 3;

/** The hospitals' own files as they are, or all rows dealt out in turn to so many sites. */
function linesOf(study: Study, sites: number): string[][] {
  const folder = join(root, "examples/data", study.table === "trial" ? "trial" : "");
  const files = ["a", "b", "c", "d"].map((letter) =>
    readFileSync(join(folder, `hospital-${letter}.csv`), "utf8")
      .trim()
      .split("\n"),
  );
  const header = files[0]![0]!;
  const rows = files.map(([, ...own]) => own);
  if (sites === rows.length) return rows.map((own) => [header, ...own]);
  const all = rows.flat();
  return Array.from({ length: sites }, (_, site) => [header, ...all.filter((_, i) => i % sites === site)]);
}

const withPatients = ([header, ...rows]: readonly string[]): string[] => [
  `patient,${header}`,
  ...rows.map((row, i) => `p${Math.floor(i / rowsOfPatient)},${row}`),
];

/** A site's table, as the process that reads a hospital's tables hands it out: its rows, and its records of the study's flow. */
export interface SiteTable {
  readonly blocks: readonly ColumnBlock[];
  readonly flow: readonly RecordBlock[];
}

/** The table of each site of a study. */
export async function siteTables(study: Study, sites: number): Promise<SiteTable[]> {
  const folder = mkdtempSync(join(tmpdir(), "consilium-corpus-"));
  try {
    const all: SiteTable[] = [];
    for (const [site, lines] of linesOf(study, sites).entries()) {
      const path = join(folder, `${site}.csv`);
      writeFileSync(path, `${withPatients(lines).join("\n")}\n`);
      all.push(await readTable(study, path, folder));
    }
    return all;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the hospitals of a study count: what the study does. */
export const unitOfTable = ({ patient }: Study): TableConfig["unit"] =>
  patient === undefined ? "rows" : { patient: { column: patient.column, maxRows: patient.maxRows } };

async function readTable(study: Study, path: string, folder: string): Promise<SiteTable> {
  const config = tableConfigSchema.parse({
    name: study.table,
    path,
    unit: unitOfTable(study),
    csv: { header: true },
  });
  // Which of a patient's rows are used follows from this key.
  const tables = new ConfiguredTables([config], folder, new Uint8Array(32));
  const blocks: ColumnBlock[] = [];
  const read = hidesTables(study)
    ? tables.read(study, () => undefined)
    : tables.reopen(study, await tables.preflight(study, { minimumRows: 0, refuseConstant: false }));
  for await (const block of read) blocks.push(structuredClone(plain(block)));
  const flow: RecordBlock[] = [];
  if (study.flow === true) for await (const block of tables.flow(study)) flow.push(structuredClone(block));
  return { blocks, flow };
}

/** Without what only the reading process needs of it. */
const plain = ({ rows, columns, labels, patientRows }: ColumnBlock): ColumnBlock =>
  patientRows === undefined ? { rows, columns, labels } : { rows, columns, labels, patientRows };
