import type { Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join, parse, relative, resolve, sep } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { quoted } from "@consilium/core/text";
import { isAway } from "./fault.js";
import { formatOfFile, type TableFormat, tableFormats } from "./fileConfig.js";
import { fixedPart } from "./place.js";
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
  const where = `table ${quoted(config.name)}`;
  const found = await statOrNull(path, where);
  if (found?.isFile()) return { format: formatOf(config, [path], where), files: [path] };

  let candidates: string[];
  if (found?.isDirectory()) candidates = await filesBelow(path, where);
  else if (found === null && /[*?]/.test(path)) candidates = await filesMatching(path, where);
  else {
    const what = found === null ? "there is no such file or folder" : "neither a file nor a folder";
    throw new ConsiliumError(
      found === null ? "TABLE_AWAY" : "TABLE_UNREADABLE",
      `${where}: ${what}: ${path}`,
    );
  }
  const isFolder = found !== null;
  const inFormat = candidates.filter((file) =>
    config.format === undefined
      ? formatOfFile(file) !== null
      : !isFolder || formatOfFile(file) === config.format,
  );
  if (inFormat.length === 0) {
    const endings = config.format === undefined ? "" : ` (${formats[config.format].endings.join(", ")})`;
    throw new ConsiliumError(
      "TABLE_AWAY",
      `${where}: ${isFolder ? "the folder holds no data file" : "no file fits the pattern"}${endings}: ${path}`,
    );
  }
  if (inFormat.length > filesMax) {
    throw new ConsiliumError("TABLE_UNREADABLE", `${where}: more than ${filesMax} files: ${path}`);
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
  where: string,
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

export const replacedFault = (where: string) =>
  new ConsiliumError("TABLE_CHANGED", `${where}: a file was replaced while it was read`, {
    remedy: "write files elsewhere and move them here while no study reads them",
  });

/** Of all files; null where one is gone. */
async function stateOf(files: readonly string[]): Promise<string | null> {
  const states = await Promise.all(files.map(fileState)).catch(() => null);
  return states === null ? null : states.map(({ text }) => text).join("\n");
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function formatOf(config: TableConfig, files: readonly string[], where: string): TableFormat {
  if (config.format !== undefined) return config.format;
  const formats = new Set(files.map(formatOfFile));
  const [only] = formats;
  if (only === null || only === undefined) {
    throw new ConsiliumError(
      "CONFIG_INVALID",
      `${where}: the ending of ${quoted(basename(files[0]!))} tells no format`,
      {
        remedy: `set the table's format: ${tableFormats.join(", ")}`,
      },
    );
  }
  if (formats.size > 1) {
    throw new ConsiliumError(
      "CONFIG_INVALID",
      `${where}: files of several formats: ${[...formats].sort().join(", ")}`,
      {
        remedy: "set the table's format to the one that is meant",
      },
    );
  }
  return only;
}

async function statOrNull(path: string, where: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT" || codeOf(thrown) === "ENOTDIR") return null;
    throw unreadable(thrown, path, where);
  }
}

function codeOf(thrown: unknown): string {
  const code = thrown instanceof Error ? (thrown as NodeJS.ErrnoException).code : undefined;
  return code ?? "unknown fault";
}

function unreadable(thrown: unknown, path: string, where: string): ConsiliumError {
  const code = isAway(thrown) ? "TABLE_AWAY" : "TABLE_UNREADABLE";
  return new ConsiliumError(code, `${where}: ${codeOf(thrown)} at ${path}`);
}

/** Of what a folder lists: a link to a share that is not mounted, or a file that was taken away meanwhile. */
const goneFault = (path: string, where: string) =>
  new ConsiliumError("TABLE_AWAY", `${where}: a link leads nowhere, or a file is gone: ${path}`, {
    remedy: "mount what it leads to, or remove it from the table's folder",
  });

async function filesBelow(folder: string, where: string): Promise<string[]> {
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

async function namesIn(folder: string, where: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    throw unreadable(thrown, folder, where);
  }
}

/** `*` stands for any characters of one name, `?` for one; neither crosses a folder. */
async function filesMatching(pattern: string, where: string): Promise<string[]> {
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
