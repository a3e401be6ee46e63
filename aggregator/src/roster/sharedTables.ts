import { faults } from "@consilium/core/fault";
import type { SiteId } from "@consilium/core/ids";
import { maxColumnsPerTable, maxTables } from "@consilium/core/limits";
import type { StudyIssue } from "@consilium/core/method/studyReader";
import { nearest } from "@consilium/core/nearest";
import type { SiteTableView, TableNameView, TableView } from "@consilium/core/operator/tableViews";
import { lines, nameOf, sentences } from "@consilium/core/said";
import { type ColumnKind, levelKinds, numberKinds, orderKinds } from "@consilium/core/study/columnKinds";
import { sourceOf } from "@consilium/core/study/recoding";
import type { Study } from "@consilium/core/study/study";
import { quoted } from "@consilium/core/text";
import { listed } from "@consilium/core/words";
import type { AggregatorSays } from "@consilium/words/says/aggregator";
import type { StudySays } from "@consilium/words/says/studies";
import { editionAt, type Speaks } from "./spoken.js";

const fault = faults<AggregatorSays>();
const said = sentences<AggregatorSays>();

const line = lines<StudySays>();

/** Tables and software of sites, as their last hellos said. */
export interface AnnouncedTables {
  site(id: SiteId): { readonly tables: readonly string[]; readonly speaks: Speaks | null } | null;
  columnsOf(site: SiteId, table: string): SiteTableView["columns"];
}

/** At most so many sites are named in one message. */
const namedMost = 5;
/** So many faults are listed, */
const faultsMost = 100;
/** and to so many of them the nearest names: a study may have 100 000 columns. */
const comparedMost = 20;

/** The tables of these sites, by name. */
export function tableNames(announced: AnnouncedTables, sites: readonly SiteId[]): TableNameView[] {
  const bySite = new Map<string, SiteId[]>();
  for (const site of sites) {
    for (const table of announced.site(site)?.tables ?? []) {
      bySite.set(table, [...(bySite.get(table) ?? []), site]);
    }
  }
  return [...bySite]
    .map(([name, own]) => ({ name, sites: own }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/**
 * A table as these sites share it.
 * @throws ConsiliumError TABLE_UNKNOWN where none of them has it
 */
export function sharedTable(announced: AnnouncedTables, sites: readonly SiteId[], name: string): TableView {
  const known = tableNames(announced, sites);
  const own = known.find((table) => table.name === name);
  if (own === undefined) {
    const near = nearest(
      name,
      known.map((table) => table.name),
    ).map((one) => nameOf(quoted(one)));
    const remedy = said("roster.list-tables", {});
    throw fault("TABLE_UNKNOWN", "roster.no-table", { table: nameOf(quoted(name)), near }, { remedy });
  }
  const shared = own.sites.map((site) => ({ site, columns: announced.columnsOf(site as SiteId, name) }));
  const judged = shared.filter(({ columns }) => columns.length > 0);
  const found = new Map<string, { readonly types: Set<string>; readonly sites: Set<string> }>();
  for (const { site, columns } of judged) {
    for (const column of columns) {
      const before = found.get(column.name) ?? { types: new Set(), sites: new Set() };
      before.types.add(column.type);
      before.sites.add(site);
      found.set(column.name, before);
    }
  }
  return {
    ...own,
    withoutColumns: shared.filter(({ columns }) => columns.length === 0).map(({ site }) => site),
    columns: [...found].map(([column, { types, sites: having }]) => ({
      name: column,
      types: [...types],
      missingAt: judged.filter(({ site }) => !having.has(site)).map(({ site }) => site),
    })),
  };
}

type Recoded = Pick<Study, "features" | "label" | "columns" | "patient">;

/** Tables, columns and editions that a study asks for and its sites do not have. */
export interface TableFaults {
  /** Why the study cannot be started. */
  readonly refusals: readonly StudyIssue[];
  /** What sites lack that it can run without. */
  readonly warnings: readonly string[];
}

/**
 * Compares a study with the tables and the software of the sites that it would be offered to. A site that shares no table is not
 * judged by its tables.
 * Refused is a table that too few sites have, a column that no site has which shares its columns, and whatever leaves fewer
 * sites than the study needs.
 */
export function tableFaults(
  study: Recoded & Pick<Study, "method" | "edition" | "table" | "omop" | "participation">,
  sites: readonly SiteId[],
  announced: AnnouncedTables,
): TableFaults {
  const found: { readonly path: string; readonly message: string; readonly isRefused: boolean }[] = [];
  const { method, edition = 1 } = study;
  const unspoken = sites.filter((site) => editionAt(announced.site(site)?.speaks ?? null, method) < edition);
  const unable = new Set(unspoken);
  if (unspoken.length > 0) {
    const named = unspoken.slice(0, namedMost).map(nameOf);
    const more = unspoken.length - named.length;
    const message = line("study.edition-unspoken", { method: nameOf(method), edition, sites: named, more });
    found.push({ path: "edition", message, isRefused: false });
  }
  const lacking = sites.filter((site) => {
    const tables = announced.site(site)?.tables ?? [];
    return tables.length > 0 && tables.length < maxTables && !tables.includes(study.table);
  });
  if (lacking.length > 0) {
    for (const site of lacking) unable.add(site);
    const near = nearestText(
      study.table,
      tableNames(announced, lacking).map(({ name }) => name),
    );
    const message = `no table ${quoted(study.table)} at ${sitesText(lacking)}${near}`;
    found.push({ path: "table", message, isRefused: false });
  }
  // Of an OMOP table, the study itself says which columns there are.
  const judged =
    study.omop !== undefined
      ? []
      : sites
          .filter((site) => !unable.has(site))
          .map((site) => ({ site, columns: announced.columnsOf(site, study.table) }))
          .filter(({ columns }) => columns.length > 0 && columns.length < maxColumnsPerTable)
          .map(({ site, columns }) => ({
            site,
            types: new Map(columns.map(({ name, type }) => [name, type as ColumnKind])),
          }));
  for (const { path, name, kinds } of columnsOf(study)) {
    const missing = judged.filter(({ types }) => !types.has(name));
    if (missing.length > 0) {
      for (const { site } of missing) unable.add(site);
      const others = new Set(missing.flatMap(({ types }) => [...types.keys()]));
      const near = found.length < comparedMost ? nearestText(name, [...others]) : "";
      found.push({
        path,
        message: `no column ${quoted(name)} in table ${study.table} at ${sitesText(missing.map(({ site }) => site))}${near}`,
        isRefused: missing.length === judged.length,
      });
    }
    const unfit = judged.filter(({ types }) => kinds !== null && isUnfit(types.get(name), kinds));
    if (unfit.length > 0) {
      for (const { site } of unfit) unable.add(site);
      const types = [...new Set(unfit.map((one) => one.types.get(name)!))];
      const advice =
        kinds === numberKinds && types.every((type) => levelKinds.has(type))
          ? "; declare it categorical"
          : "";
      found.push({
        path,
        message: `column ${quoted(name)} has the type ${listed(types)} at ${sitesText(unfit.map(({ site }) => site))}${advice}`,
        isRefused: unfit.length === judged.length,
      });
    }
  }
  const able = sites.length - unable.size;
  const { minimumSites } = study.participation;
  const isTooFew = able < minimumSites;
  const refused = found.filter(({ isRefused }) => isRefused || isTooFew);
  return {
    refusals: refused.slice(0, faultsMost).map(({ path, message }) => ({ path, message })),
    warnings: found
      .filter(({ isRefused }) => !isRefused && !isTooFew)
      .slice(0, faultsMost)
      .map(({ path, message }) => `${path}: ${message}; ${able} of ${sites.length} sites can take part`),
  };
}

/** The columns that a study reads at a site; `kinds`: null for the patient's, which is taken as text. */
function columnsOf({ features, label, columns = [], patient }: Recoded) {
  const made = features.map((one, at) => ({ path: `features[${at}]`, one }) as const);
  const all = [...made, ...(label === undefined ? [] : [{ path: "label", one: label }])];
  return [
    ...all.flatMap(({ path, one }) => {
      // A date is judged where `columns` declares it.
      if ("as" in one && one.as !== undefined) return [];
      const isNumber = "min" in one || Array.isArray(one.map);
      const key = one.from === undefined ? "name" : "from";
      return [{ path: `${path}.${key}`, name: sourceOf(one), kinds: isNumber ? numberKinds : levelKinds }];
    }),
    ...columns.map(({ name, type }, at) => ({ path: `columns[${at}].name`, name, kinds: kindsOf[type] })),
    ...(patient === undefined ? [] : [{ path: "patient.column", name: patient.column, kinds: null }]),
  ];
}

const kindsOf = { numeric: numberKinds, categorical: levelKinds, date: orderKinds };

/** A type that another version of the software sends is not judged. */
const judgedKinds: ReadonlySet<string> = new Set<ColumnKind>([...levelKinds, "binary", "nested"]);

function isUnfit(type: ColumnKind | undefined, kinds: ReadonlySet<ColumnKind>): boolean {
  return type !== undefined && judgedKinds.has(type) && !kinds.has(type);
}

function sitesText(sites: readonly SiteId[]): string {
  const more = sites.length - namedMost;
  return more > 0 ? `${sites.slice(0, namedMost).join(", ")} and ${more} more` : sites.join(", ");
}

function nearestText(name: string, among: readonly string[]): string {
  const near = nearest(name, among);
  return near.length === 0 ? "" : ` (nearest: ${near.map(quoted).join(", ")})`;
}
