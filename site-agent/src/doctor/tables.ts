import { access, constants } from "node:fs/promises";
import type { StrangeTable, TableFacts } from "@consilium/core/hospital/doctorFacts";
import { findingsOf } from "@consilium/core/hospital/findings";
import type { Study } from "@consilium/core/study/study";
import { checkColumns, ownNames, requestsFor } from "../data/columns.js";
import { attempt } from "../data/fault.js";
import { Meanings } from "../data/meanings.js";
import { openSource } from "../data/openSource.js";
import { placeOf } from "../data/place.js";
import { sourceOf } from "../data/sources/places.js";
import { placeWords } from "../data/sources/words.js";
import { placeOnSpark, type TableConfig } from "../data/tableConfig.js";
import { tableFiles } from "../data/tableFiles.js";
import { type TableMemory, unreadTable } from "../data/tables.js";
import { boundedStudy, orderByOf, unitOf } from "../data/tableUnit.js";
import type { Engines } from "../engines/engines.js";
import { tableCheck } from "./tableCheck.js";

/** Of a table in many files, so many are opened; every one is looked at when a study reads it. */
const filesOpened = 100;

interface Known {
  readonly engines: Pick<Engines, "view"> | null;
  /** Of a table by its name, what its last reading needed; left out where none is known. */
  readonly memoryOf?: ((table: string) => TableMemory) | undefined;
}

/** Of a table of files so many rows are read, or a few more. */
const maxRows = 10_000;

/** Each table of the configuration: found, readable, and with the columns that studies ask of it; of files, what their first rows say. */
export function tableFacts(
  tables: readonly TableConfig[],
  studies: readonly Study[],
  known: Known,
): Promise<TableFacts[]> {
  return Promise.all(
    tables.map((table) => {
      const asking = studies.filter((study) => study.table === table.name);
      return factsOf(table, asking, known);
    }),
  );
}

/** Tables that studies ask for and the configuration does not have. */
export function strangeTables(tables: readonly TableConfig[], studies: readonly Study[]): StrangeTable[] {
  const known = new Set(tables.map(({ name }) => name));
  const lacking = new Set(studies.map(({ table }) => table).filter((table) => !known.has(table)));
  return [...lacking].map((table) => ({
    table,
    studies: studies.filter((study) => study.table === table).map(({ name }) => name),
  }));
}

async function factsOf(
  config: TableConfig,
  studies: readonly Study[],
  { engines, memoryOf = () => unreadTable() }: Known,
): Promise<TableFacts> {
  const known = {
    name: config.name,
    place: placeWords(config),
    studies: studies.map(({ name }) => name),
  };
  const looked = await attempt(config, undefined, async () => {
    const opened = await openSource(config);
    let files = 0;
    let isHeld = sourceOf(config).elsewhere() === null;
    for (const part of sourceOf(config).files()) {
      const found = await tableFiles(part);
      if (found.format === "sqlite") isHeld = false;
      for (const file of found.files) await access(file, constants.R_OK);
      files += found.files.length;
    }
    const engine = (await engines?.view(config)) ?? null;
    const { format } = opened;
    const memory = engine === null && isHeld ? memoryOf(config.name) : null;
    if (placeOnSpark(config) !== null) {
      const { probeCluster } = await import("../engines/spark/probe.js");
      await probeCluster(config);
    }
    if (config.omop !== undefined)
      return {
        files,
        format,
        columns: await omopColumns(config, studies),
        empty: 0,
        engine,
        memory,
        findings: [],
      };
    const meanings = new Meanings(config);
    let columns = 0;
    let empty = 0;
    for (const file of opened.files.slice(0, filesOpened)) {
      const unit = unitOf(config);
      const requests = studies.map((study) =>
        requestsFor(boundedStudy(study, unit), meanings, { orderBy: orderByOf(config) }),
      );
      const wanted = requests.flat().map(({ name }) => name);
      const found = await opened.source.columns(file, wanted);
      if (found.length === 0) empty++;
      else for (const one of requests) checkColumns(found, ownNames(found, one), placeOf(config, file));
      columns = Math.max(columns, found.length);
    }
    const findings = config.path === undefined ? [] : findingsOf(await tableCheck(config, { maxRows }));
    return { files, format, columns, empty, engine, memory, findings };
  });
  if (looked.ok) return { ...known, ...looked.value, fault: null };
  const { code, message, remedy } = looked.error;
  // An error from outside the data layer is shown by its kind alone.
  const fault =
    code === "INTERNAL"
      ? {
          message: `${known.place} cannot be read by this user`,
          remedy: "let the agent's user read the file and enter every folder above it",
        }
      : { message, remedy };
  const nothing = { files: 0, format: "", columns: 0, empty: 0, engine: null, memory: null, findings: [] };
  return { ...known, ...nothing, fault };
}

/** The columns of an OMOP table are what each study's plan makes of it; of no study, whose row it is. */
async function omopColumns(config: TableConfig, studies: readonly Study[]): Promise<number> {
  const meanings = new Meanings(config);
  let columns = (await columnsFor(config, null)).length;
  for (const study of studies) {
    const found = await columnsFor(config, study);
    const requests = requestsFor(boundedStudy(study, unitOf(config)), meanings, {});
    checkColumns(found, requests, placeOf(config, config.name));
    columns = Math.max(columns, found.length);
  }
  return columns;
}

async function columnsFor(config: TableConfig, study: Study | null) {
  const { source, files } = await openSource(config, study);
  return source.columns(files[0]!);
}
