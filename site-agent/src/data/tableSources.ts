import { createHmac } from "node:crypto";
import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import {
  coverMost,
  type KnownTables,
  type RecordSource,
  type ResolvedTables,
} from "../tables/knownTables.js";
import { sourceOf } from "./sources/places.js";
import { hasDeclaredColumns, type TableConfig } from "./tableConfig.js";
import { tableFiles } from "./tableFiles.js";
import { type TableUnit, unitOf } from "./tableUnit.js";

/**
 * Where each table's records are, so that one source of records has one budget whatever it is called. A table of files is
 * the files behind all links; an SQLite table is its whole file, and a query its whole database.
 *
 * What is kept of a source are keyed hashes: the ledger is shown to others, and paths may tell something. A table is
 * *covered* by a few of them (its folder, or its files) and *matches* those of its files and of every folder above them.
 * Two tables that share a file share a hash: the one covers the file, or a folder above it, and the other matches that.
 */

/** Each hash is 64 bits in hexadecimal. */
const hashDigits = 16;

/** The tables of a configuration, with their sources as they were when `resolve` was called last. */
export class TableSources implements ResolvedTables {
  readonly #configs: ReadonlyMap<string, TableConfig>;
  readonly #key: Uint8Array;
  readonly #links: ReadonlyMap<string, string>;
  #sources: ReadonlyMap<string, RecordSource> = new Map();
  #overlaps: readonly (readonly [string, string])[] = [];
  #resolving: Promise<void> | null = null;

  /**
   * @param configs - with absolute paths
   * @param key - 32 bytes that stay in the state folder
   * @param links - `linksOf` the tables, for a process that may look at the tables' places alone
   */
  constructor(
    configs: readonly TableConfig[],
    key: Uint8Array,
    links: ReadonlyMap<string, string> = new Map(),
  ) {
    this.#configs = new Map(configs.map((config) => [config.name, config] as const));
    this.#key = key;
    this.#links = links;
  }

  get names(): string[] {
    return [...this.#configs.keys()];
  }

  unit(table: string): TableUnit {
    return unitOf(this.#configs.get(table) ?? {});
  }

  hasDeclaredColumns(table: string): boolean {
    return hasDeclaredColumns(this.#configs.get(table) ?? {});
  }

  source(table: string): RecordSource | null {
    return this.#sources.get(table) ?? null;
  }

  get overlaps(): readonly (readonly [string, string])[] {
    return this.#overlaps;
  }

  /** Looks anew where the tables' records are. Asked again while it looks, it looks once. */
  resolve(): Promise<void> {
    this.#resolving ??= this.#resolve().finally(() => {
      this.#resolving = null;
    });
    return this.#resolving;
  }

  async #resolve(): Promise<void> {
    const sources = new Map<string, RecordSource>();
    for (const [name, config] of this.#configs) sources.set(name, await this.#sourceOf(config));
    const entries = [...sources];
    this.#overlaps = entries.flatMap(([name, source], index) =>
      entries
        .slice(index + 1)
        .filter(([, other]) => sharesSource(source, other))
        .map(([other]) => [name, other] as const),
    );
    this.#sources = sources;
  }

  async #sourceOf(config: TableConfig): Promise<RecordSource> {
    const place = sourceOf(config);
    const elsewhere = place.elsewhere();
    if (elsewhere?.kind === "spark") return this.#sparkSource(elsewhere.path);
    if (elsewhere !== null) {
      const id = this.#hash(elsewhere.id);
      return { cover: [id], matches: new Set([id]) };
    }
    const covered: string[] = [];
    const matches = new Set<string>();
    for (const part of place.files()) {
      const root = resolve(part.path ?? "");
      const files = await filesOf(part, root, this.#links);
      const folder =
        files.length === 1 && files[0] === (await realOf(root, this.#links)) ? null : await folderOf(root);
      covered.push(...coverOf(files, folder));
      for (const path of [...files, ...(folder === null ? [] : [folder])])
        for (const one of [path, ...foldersAbove(path)]) matches.add(one);
    }
    return {
      cover: narrowed(covered).map((path) => this.#hash(`path\n${path}`)),
      matches: new Set([...matches].map((path) => this.#hash(`path\n${path}`))),
    };
  }

  /**
   * A table or a query of a catalogue may hold any file of any cluster; so all of them are one source, and overlap with every file
   * that Spark reads.
   */
  async #sparkSource(place: string | null): Promise<RecordSource> {
    const lake = this.#hash("spark");
    if (place === null) return { cover: [lake], matches: new Set([lake]) };
    const path = await realOf(place, this.#links);
    const matches = [path, ...foldersAbove(path)].map((one) => this.#hash(`path\n${one}`));
    return { cover: [matches[0]!], matches: new Set([...matches, lake]) };
  }

  #hash(text: string): string {
    return createHmac("sha256", this.#key)
      .update(`consilium table source v1\n${text}`)
      .digest("hex")
      .slice(0, hashDigits);
  }
}

/** Where paths that the tables' places are below lead, as of now. @param configs - with absolute paths */
export async function linksOf(configs: readonly TableConfig[]): Promise<ReadonlyMap<string, string>> {
  const paths = configs.flatMap((config) => {
    const place = sourceOf(config);
    const elsewhere = place.elsewhere();
    const above = place.files().map(({ path = "" }) => dirname(resolve(path)));
    return elsewhere?.kind === "spark" && elsewhere.path !== null ? [...above, elsewhere.path] : above;
  });
  return new Map(await Promise.all(paths.map(async (path) => [path, await realOf(path)] as const)));
}

/** Whether two tables have a file, a database or a folder in common. */
function sharesSource(a: RecordSource, b: RecordSource): boolean {
  return a.cover.some((id) => b.matches.has(id)) || b.cover.some((id) => a.matches.has(id));
}

/** The files behind all links; of a table that cannot be read now, the path where it will be. */
async function filesOf(
  config: TableConfig,
  root: string,
  links: ReadonlyMap<string, string>,
): Promise<string[]> {
  try {
    const { files } = await tableFiles(config);
    return [...new Set(await Promise.all(files.map((file) => realOf(file, links))))];
  } catch {
    return [await realOf(root, links)];
  }
}

/** A table's folder; null for a file, and for a pattern: files of other tables lie beside it. */
async function folderOf(root: string): Promise<string | null> {
  try {
    return await realpath(root);
  } catch {
    return null;
  }
}

/** A path behind its links, as far as it is there. @param known - of paths that this process may not look at */
export async function realOf(path: string, known: ReadonlyMap<string, string> = new Map()): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const above = dirname(path);
    return known.get(path) ?? (above === path ? path : join(await realOf(above, known), basename(path)));
  }
}

function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...foldersAbove(above)];
}

/** Paths under which all files lie: the folder, and files elsewhere. */
function coverOf(files: readonly string[], folder: string | null): string[] {
  const beside = files.filter((file) => folder === null || !foldersAbove(file).includes(folder));
  return [...(folder === null ? [] : [folder]), ...beside];
}

/** The same or, of too many, the folders that hold them. */
function narrowed(paths: readonly string[]): string[] {
  let cover = [...new Set(paths)];
  while (cover.length > coverMost) {
    const deepest = Math.max(...cover.map(depthOf));
    cover = [...new Set(cover.map((path) => (depthOf(path) === deepest ? dirname(path) : path)))];
  }
  return cover;
}

function depthOf(path: string): number {
  return foldersAbove(path).length;
}

/** Tables of which only the configuration is known, and not where their records are. */
export function unresolvedTables(
  configs: readonly (Pick<TableConfig, "name" | "unit"> & Partial<TableConfig>)[],
): KnownTables {
  const configOf = (table: string) => configs.find(({ name }) => name === table) ?? {};
  return {
    names: configs.map(({ name }) => name),
    unit: (table) => unitOf(configOf(table)),
    hasDeclaredColumns: (table) => hasDeclaredColumns(configOf(table)),
    source: () => null,
    overlaps: [],
  };
}
