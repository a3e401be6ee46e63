import { availableParallelism } from "node:os";
import { dirname, join, resolve } from "node:path";
import { nameOf } from "@consilium/core/said";
import type { SiteConfig } from "../config.js";
import { fixedPart } from "../data/place.js";
import { sourceOf } from "../data/sources/places.js";
import { databases } from "../data/sources/registry.js";
import { databaseNames } from "../data/sources/shared/databaseConfig.js";
import { resolveTableConfig, type TableConfig } from "../data/tableConfig.js";
import { linksOf, realOf } from "../data/tableSources.js";
import { coresLeast } from "../engines/configuredEngines.js";
import { noEngine } from "../engines/engineConfig.js";
import { sparkFolder, sparkVariables } from "../engines/spark/sparkConfig.js";
import { below, permits } from "../nodePermission.js";
import { fault } from "./fault.js";
import type { Needs } from "./messages.js";

/** Variables of every process that reads tables: words, time, room for files that pass, and authorities that databases are checked by. */
const variables =
  "LANG LC_ALL LC_CTYPE TZ TMPDIR NODE_EXTRA_CA_CERTS NODE_USE_SYSTEM_CA SSL_CERT_FILE SSL_CERT_DIR".split(
    " ",
  );
/** Files in which Linux says how much memory there is. */
const ofMemory = ["/proc/self/cgroup", "/sys/fs/cgroup"];

/**
 * Lists what a process must have of the machine to read the tables of a configuration. Nothing is read but where links lead.
 * @param cores - of the machine; left out, of this one
 * @throws ConsiliumError CONFIG_INVALID where the tables' places hold the agent's keys
 */
export async function needsOf(
  { tables: configs, engines }: Pick<SiteConfig, "tables" | "engines">,
  configPath: string,
  cores = availableParallelism(),
): Promise<Needs> {
  const folder = dirname(configPath);
  const tables = configs.map((table) => resolveTableConfig(table, folder));
  const sources = tables.map(sourceOf);
  const places = sources.flatMap((source) => source.files().map(({ path = "" }) => resolve(path)));
  const elsewhere = new Set(sources.map((source) => source.elsewhere()?.kind));
  const isOnSpark = elsewhere.has("spark");
  const roots = places.map((place) => (/[*?]/.test(place) ? fixedPart(place) : place));
  const reads = [...roots, ...tables.flatMap(filesBeside)];
  const sparkFolders = isOnSpark ? [`${sparkFolder()}*`] : [];
  const permitted = [...ofMemory, ...reads, ...sparkFolders];
  await refuseKeys(permitted, folder);
  return {
    reads: permitted,
    writes: sparkFolders,
    addons: places.length > 0,
    network: elsewhere.has("database"),
    starts: isOnSpark || tables.some((table) => isShared(table, engines, cores)),
    variables: [...variables, ...tables.flatMap(passwordVariables), ...(isOnSpark ? sparkVariables : [])],
    links: await linksOf(tables),
  };
}

/** Files that a table's entry names beside those of its records. */
function filesBeside(table: TableConfig): string[] {
  const { cluster } = table;
  const named = [cluster?.tokenFile, cluster?.secretFile, cluster?.keytab];
  return [...sourceOf(table).beside(), ...named.filter((file) => typeof file === "string")];
}

/** Variables by which a database whose entry names no password's file has its password. */
function passwordVariables(table: TableConfig): readonly string[] {
  return databaseNames.flatMap((name) => {
    const place = table[name] ?? table.omop?.[name];
    if (place === undefined || place.passwordFile !== undefined) return [];
    return databases[name].passwords?.variables ?? [];
  });
}

/** Tells whether worker processes may compute stages over a table. */
function isShared({ engine, path }: TableConfig, engines: SiteConfig["engines"], cores: number): boolean {
  if (engine !== undefined) return engine !== noEngine && engine in engines;
  return path !== undefined && cores >= coresLeast;
}

/**
 * Tests all paths together, as Node is given them and where they lead: two that begin alike share a pattern, which permits more
 * than either.
 * @throws ConsiliumError CONFIG_INVALID
 */
async function refuseKeys(paths: readonly string[], stateFolder: string): Promise<void> {
  const keys = [resolve(stateFolder), await realOf(stateFolder)].flatMap((folder) =>
    ["state-key", "identity"].map((name) => join(folder, name)),
  );
  const patterns = [...below(paths), ...below(await Promise.all(paths.map((path) => realOf(path))))];
  const open = patterns.find((pattern) => keys.some((key) => permits([pattern], key)));
  if (open === undefined) return;
  throw fault(
    "CONFIG_INVALID",
    "table.beside-keys",
    { folder: nameOf(open.replace(/(?<=.)\/\*$/, "").replace(/^\/\*$/, "/")) },
    { remedy: { code: "table.move-away", params: {} } },
  );
}
