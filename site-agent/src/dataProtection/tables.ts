import { basename } from "node:path";
import type { ProtectionTable } from "@consilium/core/hospital/dataProtectionViews";
import { listed } from "@consilium/core/words";
import { formatOfFile, type TableFormat } from "../data/fileConfig.js";
import { databaseOf } from "../data/sources/shared/databaseConfig.js";
import { placeOnSpark, type TableConfig } from "../data/tableConfig.js";
import { columnsOf } from "../policy/judge.js";
import { type Policy, populationOf } from "../policy/policy.js";
import type { SiteFacts } from "./facts.js";

/** The tables that studies may name: where they come from and what they hold, without a value, a path or a query. */
export function tablesNamed(facts: SiteFacts): ProtectionTable[] {
  return facts.config.tables.map((config) => {
    const { name } = config;
    const described = facts.descriptions.find((one) => one.name === name);
    const studies = facts.studies.filter(({ study }) => study.table === name);
    const joined = studies.filter(({ record }) => record.exchangeKey !== null);
    return {
      name,
      source: sourceWords(config),
      columns: (described?.columns ?? []).map((column) => ({ ...column })),
      population: populationOf(facts.policy, name)?.name ?? "none: studies of this table are refused",
      columnRule: ruleWords(facts.policy, name),
      columnsRead: distinct(joined.flatMap(({ study }) => columnsOf(study))),
      patientColumns: distinct(
        studies.flatMap(({ study }) => (study.patient === undefined ? [] : [study.patient.column])),
      ),
    };
  });
}

const formatWords: Readonly<Record<TableFormat, string>> = {
  csv: "CSV",
  parquet: "Parquet",
  jsonl: "JSON lines",
  sqlite: "SQLite",
};

function sourceWords(config: TableConfig): string {
  const what =
    config.omop === undefined ? "" : "an OMOP database, of which a study's feature plan says what is read: ";
  if (placeOnSpark(config) !== null) {
    const { master, remote } = config.cluster ?? {};
    const lake = what === "" ? "a table on" : `${what}on`;
    return `${lake} the hospital's Spark cluster ${remote ?? master ?? ""}, read and added up on its executors; what they exchange and what they write to their disks while a study runs (rows that are sorted or do not fit into memory, sums without noise, the study's keys) is encrypted and removed when its application ends; no event log, no web interface, no messages of Spark's are kept`;
  }
  if (config.omop?.files !== undefined) return `${what}a folder of files, read by the agent where they lie`;
  const address = databaseOf(config);
  if (address !== null) {
    const { product, host, tls } = address;
    const where = host.startsWith("/") ? "on this machine" : `at ${host}`;
    const how = tls !== "disable" ? "by TLS, certificate and host name checked" : "without TLS";
    return `${what}${config.omop === undefined ? "a query in " : ""}${product === "Oracle" ? "an" : "a"} ${product} database ${where}, ${how}; read-only, nothing is copied`;
  }
  if (config.duckdb !== undefined)
    return "a query over local files of the hospital, in a database in the agent's memory that can read these files alone; nothing is copied";
  if (config.fhir !== undefined)
    return "FHIR resources of a bulk export, in local files, read by the agent where they lie; nothing is copied";
  const path = config.path ?? "";
  const format = config.format ?? formatOfFile(path);
  const known = format === null ? "" : `${formatWords[format]} `;
  if (/[*?]/.test(basename(path)))
    return `${known}files by a pattern of names, read by the agent where they lie`;
  if (formatOfFile(path) === null) return `a folder or file of ${known}data, read by the agent where it lies`;
  return `a ${known}file, read by the agent where it lies`;
}

function ruleWords(policy: Policy, table: string): string | null {
  const rule = Object.hasOwn(policy.columns, table) ? policy.columns[table] : undefined;
  if (rule === undefined) return null;
  if (rule.deny !== undefined) return `all but ${listed(rule.deny)}`;
  return `${listed(rule.allow ?? []) || "none"}; no other`;
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)];
}
