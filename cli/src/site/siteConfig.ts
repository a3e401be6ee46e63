import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { defaultPorts } from "@consilium/runtime/home";
import { writeFileDurable } from "@consilium/runtime/store/durableFile";
import { type Document, isMap, parseDocument } from "yaml";
import { fileFault, systemCode } from "../failure.js";
import type { Session } from "../session.js";

/** The initial config.yaml written by `site enroll`; the hospital edits the file afterwards. */
export interface SiteConfig {
  /** `host:port`, from the token. */
  readonly aggregator: string;
  /** Left out: as they are. */
  readonly standbys?: readonly string[];
  readonly tables: readonly TableOption[];
  readonly allowNoPrivacy: boolean;
  /** The CSV tables' first row holds the column names: `csv.header: true`. */
  readonly csvHeader: boolean;
  /** `proxy:`; null keeps the existing value. */
  readonly proxy: "none" | Readonly<Record<string, string>> | null;
  /** `console.listen`, `host:port`; null keeps the existing value. */
  readonly console: string | null;
}

export interface TableOption {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  /** The table within a SQLite file, from `name=path#table`. */
  readonly table: string | null;
  /** Whether it is CSV, by the extension of the file or of a file in the folder. */
  readonly isCsv: boolean;
  /** Its unit of privacy; null if not declared. */
  readonly unit: TableUnit | null;
}

/** As config.yaml has it. */
export type TableUnit = "rows" | { readonly patient: { readonly column: string; readonly maxRows: number } };

const csvFile = /\.[ct]sv(?:\.gz)?$/i;

const tableName = /^[A-Za-z0-9_-]{1,64}$/;

/** Reads `name=path`, or `name=path#table` for a table within a SQLite file, and checks that the path is readable. */
export async function tableOption(
  session: Session,
  written: string,
  units: ReadonlyMap<string, TableUnit>,
): Promise<TableOption> {
  const at = written.indexOf("=");
  const name = written.slice(0, Math.max(0, at));
  const source = written.slice(at + 1);
  if (at < 1 || source === "" || !tableName.test(name)) {
    throw new ConsiliumError("USAGE", `--table ${written} is not name=path`, {
      remedy:
        "write for example --table patients=/data/patients.parquet; a name holds letters, digits, _ and -",
    });
  }
  const inner = /^(.+)#([^#/]+)$/.exec(source);
  const sqlite = inner !== null && /\.(?:sqlite3?|db3?)$/i.test(inner[1]!);
  const path = session.path(sqlite ? inner[1]! : source);
  const found = await stat(path).catch((cause: unknown) => {
    throw new ConsiliumError("TABLE_UNREADABLE", `--table ${name}: ${path}: ${fileFault(cause)}`, { cause });
  });
  const files = found.isDirectory() ? await readdir(path, { recursive: true }).catch(() => []) : [path];
  return {
    name,
    path,
    table: sqlite ? inner[2]! : null,
    isCsv: files.some((file) => csvFile.test(file)),
    unit: units.get(name) ?? null,
  };
}

/** Reads `name=rows` or `name=patient:<column>:<rows>`, for tables given in the same command. */
export function unitOptions(written: readonly string[], tables: readonly string[]): Map<string, TableUnit> {
  const units = new Map<string, TableUnit>();
  for (const one of written) {
    const [, name, unit] = /^([A-Za-z0-9_-]{1,64})=(.+)$/.exec(one) ?? [];
    const [, column, rows] = /^patient:(.{1,128}):([1-9]\d{0,4})$/.exec(unit ?? "") ?? [];
    if (name === undefined || (unit !== "rows" && column === undefined)) {
      throw new ConsiliumError("USAGE", `--unit ${one} is not name=rows or name=patient:<column>:<rows>`, {
        remedy:
          "write for example --unit patients=rows, where each row is another patient, or --unit visits=patient:person:5",
      });
    }
    if (!tables.some((table) => table.startsWith(`${name}=`)))
      throw new ConsiliumError("USAGE", `--unit ${one} refers to a table without --table`);
    units.set(name, column === undefined ? "rows" : { patient: { column, maxRows: Number(rows) } });
  }
  return units;
}

/**
 * Writes config.yaml into a site's state folder. An existing one keeps everything except the aggregator's address, and
 * the given tables and permissions: enrolling again does not undo the hospital's changes.
 * @returns the file's path
 */
export async function writeSiteConfig(state: string, config: SiteConfig): Promise<string> {
  const path = join(state, "config.yaml");
  const present = await readFile(path, "utf8").catch((cause: unknown) => {
    if (systemCode(cause) === "ENOENT") return undefined;
    throw cause;
  });
  const document = parseDocument(present ?? template());
  if (document.errors.length > 0 || !isMap(document.contents)) {
    throw new ConsiliumError("CONFIG_INVALID", `${path} is not a YAML configuration`, {
      remedy: "correct it, or move it away, and enrol again",
    });
  }
  document.set("aggregator", config.aggregator);
  if (config.standbys?.length === 0) document.delete("standbys");
  else if (config.standbys !== undefined) document.set("standbys", document.createNode(config.standbys));
  if (config.proxy !== null) document.set("proxy", document.createNode(config.proxy));
  if (config.console !== null) document.setIn(["console", "listen"], config.console);
  for (const table of config.tables) setTable(document, table, config.csvHeader);
  // Written by earlier versions; it moved to policy.yaml, and the agent would not start with it.
  document.delete("allowPaperVariants");
  if (config.allowNoPrivacy || present === undefined) document.set("allowNoPrivacy", config.allowNoPrivacy);
  await writeFileDurable(path, document.toString({ lineWidth: 0 }), { mode: 0o600 });
  return path;
}

/**
 * Writes one table's entry into a site's config.yaml; everything else stays, comments too.
 * @throws ConsiliumError STATE_MISSING, CONFIG_INVALID if the file is not one or has such a table and `replace` is not given
 */
export async function writeTable(
  state: string,
  name: string,
  entry: Readonly<Record<string, unknown>>,
  replace: boolean,
): Promise<string> {
  const { path, document } = await presentConfig(state);
  if (!replace && document.hasIn(["tables", name])) {
    throw new ConsiliumError("CONFIG_INVALID", `${path} already has a table ${name}`, {
      remedy: "choose another name, or give --replace",
    });
  }
  if (!isMap(document.get("tables"))) document.set("tables", document.createNode({}));
  const tables = document.get("tables");
  if (isMap(tables)) tables.flow = false;
  document.setIn(["tables", name], document.createNode(entry));
  await writeFileDurable(path, document.toString({ lineWidth: 0 }), { mode: 0o600 });
  return path;
}

/**
 * Adds keys to a table's entry, whose other keys and comments stay: lists get what they lack.
 * @returns the file's path
 */
export async function writeTableKeys(
  state: string,
  name: string,
  entries: readonly Readonly<Record<string, unknown>>[],
): Promise<string> {
  const { path, document } = await presentConfig(state);
  const set = (at: readonly string[], value: unknown): void => {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      for (const [key, inner] of Object.entries(value)) set([...at, key], inner);
      return;
    }
    const before = (document.getIn(at) as { toJSON?(): unknown } | undefined)?.toJSON?.();
    const merged =
      Array.isArray(value) && Array.isArray(before) ? [...new Set([...before, ...value])] : value;
    document.setIn(at, document.createNode(merged));
  };
  for (const entry of entries) set(["tables", name], entry);
  await writeFileDurable(path, document.toString({ lineWidth: 0 }), { mode: 0o600 });
  return path;
}

/**
 * Gives config.yaml the tables, and the engines if there are any, of a file that has been checked; comments of both stay.
 * @returns the path of config.yaml
 */
export async function writeTablesOf(state: string, file: string): Promise<string> {
  const { path, document } = await presentConfig(state);
  const given = parseDocument(await readFile(file, "utf8"));
  for (const key of ["tables", "engines"]) {
    const node = given.get(key, true);
    if (node === undefined) document.delete(key);
    else document.set(key, node);
  }
  await writeFileDurable(path, document.toString({ lineWidth: 0 }), { mode: 0o600 });
  return path;
}

async function presentConfig(state: string): Promise<{ path: string; document: Document.Parsed }> {
  const path = join(state, "config.yaml");
  const present = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new ConsiliumError("STATE_MISSING", `${path}: ${fileFault(cause)}`, {
      remedy: "enrol first: `consilium site enroll`; or give the state folder with --state",
      cause,
    });
  });
  const document = parseDocument(present);
  if (document.errors.length > 0 || !isMap(document.contents)) {
    throw new ConsiliumError("CONFIG_INVALID", `${path} is not a YAML configuration`, {
      remedy: "correct it; `consilium doctor` names the line",
    });
  }
  return { path, document };
}

function setTable(document: Document, table: TableOption, csvHeader: boolean): void {
  if (!isMap(document.get("tables"))) document.set("tables", document.createNode({}));
  const tables = document.get("tables");
  if (isMap(tables)) tables.flow = false;
  const source = {
    path: table.path,
    ...(table.table !== null && { table: table.table }),
    ...(table.isCsv && csvHeader && { csv: { header: true } }),
    ...(table.unit !== null && { unit: table.unit }),
  };
  document.setIn(["tables", table.name], document.createNode(source));
}

function template(): string {
  return `# This hospital's agent. Changes of tables and engines take effect within seconds, others after a restart.
# The only address that the agent connects to.
aggregator: ""
# The web proxy: environment (HTTPS_PROXY, NO_PROXY), none, or a specific one:
#   proxy: { url: "http://proxy.example.org:3128", username: ..., passwordFile: ..., ca: ... }
proxy: environment
# The tables that studies may use: CSV, Parquet, JSON lines or SQLite, a file or a folder of files; or a query in PostgreSQL
# (postgres:), a query over several files (duckdb:) or views of a FHIR bulk export (fhir:). For CSV files state
# whether the first row holds the column names (csv: { header: true }) or list them; of JSON lines list the keys
# (columns: [...]). The aggregator only learns declared column names. A table's unit is what the ledger's
# epsilon protects: rows (each row is another patient), or patient: {column: ..., maxRows: ...}.
tables: {}
# Allow studies without any privacy: for public data only. All other permissions are in policy.yaml.
allowNoPrivacy: false
# The pages for the hospital's staff, on this machine only.
console:
  listen: 127.0.0.1:${defaultPorts.siteConsole}
# debug, info, warn or error
logLevel: info
`;
}
