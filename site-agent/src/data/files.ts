import type { Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join, parse, relative, resolve, sep } from "node:path";
import type { ConsiliumError } from "@consilium/core/errors";
import { nameOf } from "@consilium/core/said";
import type { AnySaid } from "@consilium/words/said";
import { codeOf, fault, isAway, remedied } from "./fault.js";
import { formatOfFile, type TableFormat, tableFormats } from "./fileConfig.js";
import { fixedPart, shown, tablePlace } from "./place.js";
import { formats } from "./sources/registry.js";
import { filePathOf, type TableConfig } from "./tableConfig.js";

/** The files of a table, in the order in which their rows count. */
export interface TableFiles {
  readonly format: TableFormat;
  /** Absolute paths, at least one, ordered by their path below the table's by code unit. */
  readonly files: readonly string[];
}

/** At most so many files make a table. */
const filesMax = 100_000;

/**
 * Finds a table's files: the file itself, every file of the format in a folder and the folders below it (names
 * that begin with `.`, `_` or `~$` left out, as Spark, Excel and others write them next to the data), or all that fit a pattern.
 * @throws ConsiliumError TABLE_AWAY, TABLE_UNREADABLE, CONFIG_INVALID
 */
export async function findFiles(config: TableConfig): Promise<TableFiles> {
  const path = resolve(filePathOf(config));
  const where = tablePlace(config.name);
  const found = await statOrNull(path, where);
  if (found?.isFile()) return { format: formatOf(config, [path], where), files: [path] };

  let candidates: string[];
  if (found?.isDirectory()) candidates = await filesBelow(path, where);
  else if (found === null && /[*?]/.test(path)) candidates = await filesMatching(path, where);
  else {
    const params = { place: where, path: nameOf(path) };
    throw found === null
      ? fault("TABLE_AWAY", "file.none", params)
      : fault("TABLE_UNREADABLE", "file.neither", params);
  }
  const isFolder = found !== null;
  const inFormat = candidates.filter((file) =>
    config.format === undefined
      ? formatOfFile(file) !== null
      : !isFolder || formatOfFile(file) === config.format,
  );
  if (inFormat.length === 0) {
    const endings = config.format === undefined ? [] : formats[config.format].endings.map(nameOf);
    const params = { place: where, path: nameOf(path), endings };
    throw fault("TABLE_AWAY", isFolder ? "file.empty-folder" : "file.no-match", params);
  }
  if (inFormat.length > filesMax) {
    throw fault("TABLE_UNREADABLE", "file.many", { place: where, path: nameOf(path), most: filesMax });
  }
  return { format: formatOf(config, inFormat, where), files: inFormat.sort(byCodeUnit) };
}

/** What changes with every change of a file: path, inode, length and times. */
export async function fileState(
  path: string,
): Promise<{ readonly text: string; readonly changedMs: number }> {
  const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
  return { text: [path, ino, size, mtimeNs, ctimeNs].join("\0"), changedMs: Number(ctimeNs / 1_000_000n) };
}

/**
 * What is read of files in one state of them all: rows joined from two states would be of neither.
 * @param where - the table, for messages
 * @throws ConsiliumError TABLE_CHANGED
 */
export async function* ofOneState<Chunk>(
  files: readonly string[],
  where: AnySaid,
  signal: AbortSignal | undefined,
  read: () => AsyncGenerator<Chunk>,
): AsyncGenerator<Chunk> {
  signal?.throwIfAborted();
  const before = await stateOf(files);
  const changed = async () => (await stateOf(files)) !== before;
  try {
    yield* read();
  } catch (thrown) {
    signal?.throwIfAborted();
    // A file that was written to midway is read with faults of all kinds.
    throw (await changed()) ? replacedFault(where) : thrown;
  }
  if (await changed()) throw replacedFault(where);
}

export const replacedFault = (place: AnySaid) =>
  fault("TABLE_CHANGED", "file.replaced", { place }, "file.move-here");

/** Of all files; null where one is gone. */
async function stateOf(files: readonly string[]): Promise<string | null> {
  const states = await Promise.all(files.map(fileState)).catch(() => null);
  return states === null ? null : states.map(({ text }) => text).join("\n");
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function formatOf(config: TableConfig, files: readonly string[], where: AnySaid): TableFormat {
  if (config.format !== undefined) return config.format;
  const formats = new Set(files.map(formatOfFile));
  const [only] = formats;
  if (only === null || only === undefined) {
    const params = { place: where, file: shown(basename(files[0]!)) };
    const remedy = remedied("file.set-format", { formats: tableFormats.map(nameOf) });
    throw fault("CONFIG_INVALID", "file.no-format", params, remedy);
  }
  if (formats.size > 1) {
    const params = { place: where, formats: [...formats].sort().map((format) => nameOf(format ?? "")) };
    throw fault("CONFIG_INVALID", "file.formats", params, "file.choose-format");
  }
  return only;
}

async function statOrNull(path: string, where: AnySaid): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT" || codeOf(thrown) === "ENOTDIR") return null;
    throw unreadable(thrown, path, where);
  }
}

export function unreadable(thrown: unknown, path: string, place: AnySaid): ConsiliumError {
  const params = { place, code: codeOf(thrown), path: nameOf(path) };
  return fault(isAway(thrown) ? "TABLE_AWAY" : "TABLE_UNREADABLE", "file.code", params);
}

/** Of what a folder lists: a link to a share that is not mounted, or a file that was taken away meanwhile. */
const goneFault = (path: string, place: AnySaid) =>
  fault("TABLE_AWAY", "file.gone", { place, path: nameOf(path) }, "file.mount");

async function filesBelow(folder: string, where: AnySaid): Promise<string[]> {
  const files: string[] = [];
  const pending = [folder];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const name of await namesIn(next, where)) {
      if (/^(?:[._]|~\$)/.test(name)) continue;
      const path = join(next, name);
      const found = await statOrNull(path, where);
      if (found === null) throw goneFault(path, where);
      if (found?.isDirectory()) pending.push(path);
      else if (found?.isFile()) files.push(path);
      if (files.length + pending.length > 2 * filesMax) break;
    }
  }
  return files;
}

async function namesIn(folder: string, where: AnySaid): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    throw unreadable(thrown, folder, where);
  }
}

/** `*` stands for any characters of one name, `?` for one; neither crosses a folder. */
async function filesMatching(pattern: string, where: AnySaid): Promise<string[]> {
  const base = fixedPart(pattern);
  let paths = [base];
  const steps = relative(base, pattern).split(sep);
  for (const [depth, step] of steps.entries()) {
    const fits = new RegExp(
      `^${step
        .replace(/[.+^${}()|[\]\\]/g, "\\$&")
        .replaceAll("*", ".*")
        .replaceAll("?", ".")}$`,
      "su",
    );
    const next: string[] = [];
    for (const folder of paths) {
      if ((await statOrNull(folder, where))?.isDirectory() !== true) continue;
      for (const name of await namesIn(folder, where)) {
        if (/^(?:\.|~\$)/.test(name) && !step.startsWith(name[0]!)) continue;
        if (!fits.test(name)) continue;
        const path = join(folder, name);
        const found = await statOrNull(path, where);
        if (found === null) throw goneFault(path, where);
        if (depth === steps.length - 1 ? found?.isFile() : found?.isDirectory()) next.push(path);
      }
    }
    paths = next;
  }
  return paths.filter((path) => parse(path).base !== "");
}
