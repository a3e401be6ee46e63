import { basename } from "node:path";
import { listed } from "@consilium/core/words";
import { article, type DatabaseAddress, describeDatabase } from "@consilium/runtime/postgres/address";
import { formatOfFile } from "../fileConfig.js";
import { placeOnSpark, type TableConfig } from "../tableConfig.js";
import { databases, formats } from "./registry.js";
import { addressOf, namedDatabase } from "./shared/databaseConfig.js";

/** Sentences about where a table's rows are. */

interface NamedAddress extends DatabaseAddress {
  readonly product: string;
}

function addressIn(config: TableConfig): NamedAddress | null {
  const found = namedDatabase(config) ?? namedDatabase(config.omop ?? {});
  if (found === null) return null;
  const kind = databases[found.name];
  return { ...addressOf(found.place, kind), product: kind.address.product };
}

/** Where the rows are, for the hospital's own people: without the query, which may name what is nobody's concern. */
export function placeWords(config: TableConfig): string {
  const { path, duckdb, fhir, omop, cluster } = config;
  const spark = placeOnSpark(config);
  if (spark !== null) {
    const where = spark.parquet ?? spark.csv ?? spark.table ?? omop?.schema ?? "a query";
    return `${omop === undefined ? "" : "OMOP in "}${where} on the Spark cluster ${cluster?.master ?? cluster?.remote ?? ""}`;
  }
  if (duckdb !== undefined)
    return `a query over ${someOf(Object.values(duckdb.files).map((file) => file.path))}`;
  if (fhir !== undefined)
    return `FHIR resources in ${fhir.folder ?? someOf(Object.values(fhir.files ?? {}))}`;
  const what = omop === undefined ? "a query in " : "OMOP in ";
  if (omop?.files !== undefined) return `${what}${omop.files}`;
  const address = addressIn(config);
  return address === null ? (path ?? "") : `${what}${describeDatabase(address)}`;
}

function someOf(paths: readonly string[]): string {
  return listed(paths.length > 4 ? [...paths.slice(0, 3), `${paths.length - 3} more`] : paths);
}

/** The same for the data-protection record: without a path. */
export function sourceWords(config: TableConfig): string {
  const what =
    config.omop === undefined ? "" : "an OMOP database, of which a study's feature plan says what is read: ";
  if (placeOnSpark(config) !== null) {
    const { master, remote } = config.cluster ?? {};
    const lake = what === "" ? "a table on" : `${what}on`;
    return `${lake} the hospital's Spark cluster ${remote ?? master ?? ""}, read and added up on its executors; what they exchange and what they write to their disks while a study runs (rows that are sorted or do not fit into memory, sums without noise, the study's keys) is encrypted and removed when its application ends; no event log, no web interface, no messages of Spark's are kept`;
  }
  if (config.omop?.files !== undefined) return `${what}a folder of files, read by the agent where they lie`;
  const address = addressIn(config);
  if (address !== null) {
    const { product, host, tls } = address;
    const where = host.startsWith("/") ? "on this machine" : `at ${host}`;
    const how = tls !== "disable" ? "by TLS, certificate and host name checked" : "without TLS";
    return `${what}${config.omop === undefined ? "a query in " : ""}${article(product)} ${product} database ${where}, ${how}; read-only, nothing is copied`;
  }
  if (config.duckdb !== undefined)
    return "a query over local files of the hospital, in a database in the agent's memory that can read these files alone; nothing is copied";
  if (config.fhir !== undefined)
    return "FHIR resources of a bulk export, in local files, read by the agent where they lie; nothing is copied";
  const path = config.path ?? "";
  const format = config.format ?? formatOfFile(path);
  const known = format === null ? "" : `${formats[format].title} `;
  if (/[*?]/.test(basename(path)))
    return `${known}files by a pattern of names, read by the agent where they lie`;
  if (formatOfFile(path) === null) return `a folder or file of ${known}data, read by the agent where it lies`;
  return `a ${known}file, read by the agent where it lies`;
}
