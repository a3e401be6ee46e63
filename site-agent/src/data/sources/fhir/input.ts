import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { ConsiliumError } from "@consilium/core/errors";
import { nameOf } from "@consilium/core/said";
import type { AnySaid } from "@consilium/words/said";
import { codeOf, fault, remedied } from "../../fault.js";
import { findFiles } from "../../files.js";
import { shown, tablePlace } from "../../place.js";
import type { TableConfig } from "../../tableConfig.js";
import { jsonTable } from "../jsonl/source.js";
import type { QueryInput } from "../shared/querySource.js";
import type { FhirOptions } from "../shared/queryTableConfig.js";
import { sqlName, sqlText } from "../shared/sqlText.js";
import { compileView, viewPrelude } from "./compileView.js";

/** A view definition is at most so long. */
const viewMaxBytes = 2 ** 20;

/**
 * The views of a `fhir:` entry over the NDJSON files of their resources.
 * @throws ConsiliumError VIEW_INVALID, TABLE_UNREADABLE, CONFIG_INVALID
 */
export async function fhirInput(config: TableConfig, options: FhirOptions): Promise<QueryInput> {
  const faults = new Map<string, ConsiliumError>();
  const raised = (view: string) => (at: string, what: AnySaid) => {
    const marker = `<consilium view fault ${faults.size}>`;
    const params = { table: shown(config.name), view: shown(view), at: nameOf(at), what };
    faults.set(marker, fault("QUERY_FAILED", "view.failed", params, "view.correct"));
    return `error(${sqlText(marker)})`;
  };
  const exported = await exportedFiles(config, options);
  const views = await Promise.all(
    Object.entries(options.views).map(async ([name, written]) => {
      const view = typeof written === "string" ? await readView(config, written) : written;
      const lenient = compileView(view, { name, fault: () => "NULL" });
      const strict = compileView(view, { name, fault: raised(name) });
      const { resource } = lenient;
      return { name, lenient, strict, text: `resources ${resource}`, files: await exported(resource) };
    }),
  );
  return {
    files: [...new Set(views.flatMap(({ files }) => files))],
    texts: new Map(views.map(({ text, files }) => [text, jsonTable(config, files)])),
    definitions: (skip) => [
      ...viewPrelude,
      ...views.map(({ name, lenient, strict, text }) => {
        const resources = `(SELECT TRY_CAST(json AS JSON) AS json FROM ${sqlName(text)})`;
        return `CREATE VIEW ${sqlName(name)} AS ${(skip ? lenient : strict).select(resources)}`;
      }),
    ],
    query: options.query ?? `SELECT * FROM ${sqlName(views[0]!.name)}`,
    faults,
  };
}

async function readView(config: TableConfig, path: string): Promise<unknown> {
  const params = { place: tablePlace(config.name), path: nameOf(path) };
  const text = await readFile(path, "utf8").catch((thrown: unknown) => {
    throw fault("VIEW_INVALID", "view.unreadable", { ...params, code: codeOf(thrown) });
  });
  if (text.length > viewMaxBytes) throw fault("VIEW_INVALID", "view.long", { ...params, most: viewMaxBytes });
  try {
    return JSON.parse(text);
  } catch {
    throw fault("VIEW_INVALID", "view.not-json", params);
  }
}

/** How to find the files of a resource type: by the configuration, or by the name of the file, such as `Patient.000.ndjson`. */
async function exportedFiles(
  config: TableConfig,
  { folder, files }: FhirOptions,
): Promise<(resource: string) => Promise<readonly string[]>> {
  const find = async (path: string) => {
    const own: TableConfig = { name: config.name, nullValues: [], path, format: "jsonl" };
    return (await findFiles(own)).files;
  };
  const place = tablePlace(config.name);
  if (folder === undefined) {
    return async (resource) => {
      const path = Object.hasOwn(files ?? {}, resource) ? files?.[resource] : undefined;
      if (path === undefined) {
        const params = { place, resource: nameOf(resource) };
        throw fault("TABLE_UNREADABLE", "fhir.no-file", params, "fhir.name-one");
      }
      return find(path);
    };
  }
  const all = await find(folder);
  return async (resource) => {
    const own = all.filter((path) => basename(path).split(/[._-]/).includes(resource));
    if (own.length === 0) {
      const type = nameOf(resource);
      const remedy = remedied("fhir.name-for-type", { resource: type });
      throw fault("TABLE_UNREADABLE", "fhir.no-file", { place, resource: type }, remedy);
    }
    return own;
  };
}
