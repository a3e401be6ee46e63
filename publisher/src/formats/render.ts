import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import { lacks, type MissingPart, type PartId } from "@consilium/core/method/parts";
import { drawsFile, plotsFolder, type ReleaseFile, sumFile } from "@consilium/core/release/certificate";
import { citations } from "@consilium/core/release/citation";
import type { ReleaseContent } from "@consilium/core/release/content";
import { drawsText } from "@consilium/core/release/publishedSums";
import { resultText } from "@consilium/core/release/result";
import { shownFigures } from "@consilium/core/release/shownFigures";
import type { ResultTable } from "@consilium/core/release/tables";
import type { FiguresFile, TablesFile } from "@consilium/core/release/views";
import { hashFile } from "@consilium/runtime/release/hashFile";
import type { ResultSays } from "@consilium/words/says/results";
import { croissant } from "./croissant.js";
import { curvesCsv, tableCsv, writeCsv } from "./csv.js";
import { datapackage } from "./datapackage.js";
import { dictionary } from "./dictionary.js";
import { figureSvg } from "./figureSvg.js";
import { fileNames, plotFile, tableFiles } from "./files.js";
import { onnxModel } from "./onnx/model.js";
import { writeParquet, writeTableParquet } from "./parquet.js";
import { readme } from "./readme.js";
import { roCrate } from "./roCrate.js";
import { xgboostJson } from "./xgboostJson.js";

interface RenderOptions {
  readonly content: ReleaseContent;
  /** The deposited rows. */
  readonly dataPath: string;
  /** A folder for the files, in which the release's sums are and nothing else. */
  readonly folder: string;
  /** A folder that may be made and is removed again. */
  readonly scratch: string;
  /** The URL of the release, ending in a slash. */
  readonly baseUrl: string;
}

/**
 * Renders every file of a release but its certificate, each durable when this returns.
 * @returns name, length and SHA-256 of each, in a fixed order
 * @throws ConsiliumError DEPOSIT_INVALID if the rows hold what no release may; RESULT_INCOMPLETE naming the parts whose files
 *   could not be written
 */
export async function renderRelease(options: RenderOptions): Promise<ReleaseFile[]> {
  const { content, folder, baseUrl } = options;
  const files: ReleaseFile[] = [];
  const path = (name: string) => join(folder, name);
  const add = async (name: string) => {
    await sync(path(name));
    files.push({ name, ...(await hashFile(path(name))) });
  };
  const write = async (name: string, text: string | Uint8Array) => {
    const handle = await open(path(name), "wx", 0o644);
    try {
      await handle.writeFile(text);
    } finally {
      await handle.close();
    }
    await add(name);
  };
  const writeTable = async (table: ResultTable) => {
    const { csv, parquet } = tableFiles(table.name);
    await write(csv, tableCsv(table));
    const paths = { csv: path(csv), parquet: path(parquet), scratch: options.scratch };
    await writeTableParquet(table.columns, paths);
    await add(parquet);
  };
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

  await mkdir(folder, { recursive: true });
  if (content.columns.length > 0) {
    const rows = { path: options.dataPath, columns: content.columns, rows: content.rows };
    // First the CSV: it refuses what no release may hold.
    await writeCsv(rows, path(fileNames.csv));
    await writeParquet(rows, path(fileNames.parquet), options.scratch);
    await add(fileNames.parquet);
    await add(fileNames.csv);
  }
  await write(fileNames.model, json(content.model));
  const parts = new RenderedParts();
  await parts.render("predictor", () => writeModelFiles(content, write));
  await parts.render("curves", async () => {
    if (content.curves !== undefined) await write(fileNames.curves, curvesCsv(content.curves));
  });
  await parts.render("tables", async () => {
    if (content.tables === undefined) return;
    for (const table of content.tables) await writeTable(table);
    const tables: TablesFile = { format: "consilium-tables/1", tables: content.tables };
    await write(fileNames.tables, `${JSON.stringify(tables)}\n`);
  });
  await parts.render("figures", () => writePlots(content, folder, write));
  parts.demandAll();
  const payload = [...files];
  const rows = content.columns.length === 0 ? null : (await hashFile(options.dataPath)).sha256;
  await write(fileNames.result, resultText(content, rows));
  if (content.draws !== undefined) await write(drawsFile, drawsText(content.draws));
  for (const { stage, attempt } of content.sums ?? []) await add(sumFile(stage, attempt));
  await write(fileNames.citation, citationFile(content, baseUrl));
  await write(fileNames.croissant, json(croissant(content, payload, baseUrl)));
  await write(fileNames.datapackage, json(datapackage(content, payload, baseUrl)));
  await write(fileNames.roCrate, json(roCrate(content, files, baseUrl)));
  await write(fileNames.dictionary, dictionary(content, files, baseUrl));
  await write(fileNames.readme, readme(content, files, baseUrl));
  return files;
}

/** Parts whose files are written: all that fail are named at once. */
class RenderedParts {
  readonly #unwritten: MissingPart[] = [];
  #cause: unknown = null;

  async render(part: PartId, write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (thrown) {
      // A system's error is this machine's, and says nothing of the part.
      if (thrown instanceof ConsiliumError || isSystemError(thrown)) throw thrown;
      this.#unwritten.push({ part, reason: "unwritten" });
      this.#cause ??= thrown;
    }
  }

  /** @throws ConsiliumError RESULT_INCOMPLETE */
  demandAll(): void {
    if (this.#unwritten.length === 0) return;
    const missing = lacks(this.#unwritten);
    throw fault("RESULT_INCOMPLETE", "result.unwritten", { missing }, { cause: this.#cause });
  }
}

const fault = faults<ResultSays>();

const isSystemError = (thrown: unknown) => thrown instanceof Error && "syscall" in thrown;

function citationFile(content: ReleaseContent, baseUrl: string): string {
  return citations(content, baseUrl).find((one) => one.file === fileNames.citation)!.text;
}

type Write = (name: string, text: string | Uint8Array) => Promise<void>;

/** The model in forms that others run. */
async function writeModelFiles({ id, title, predictor }: ReleaseContent, write: Write): Promise<void> {
  if (predictor === undefined) return;
  await write(fileNames.onnx, onnxModel(predictor, `${title}. Consilium release ${id}.`));
  if (predictor.kind === "trees" && predictor.isXgboost)
    await write(fileNames.xgboost, `${xgboostJson(predictor)}\n`);
}

async function writePlots(content: ReleaseContent, folder: string, write: Write): Promise<void> {
  const { figures = [], predictor } = content;
  if (figures.length === 0) return;
  await mkdir(join(folder, plotsFolder));
  const shown = shownFigures(figures, predictor ?? null);
  if (shown.length !== figures.length) throw new RangeError("a picture of a tree without trees");
  for (const figure of shown) await write(plotFile(figure.name), figureSvg(figure));
  const numbers: FiguresFile = { format: "consilium-figures/1", figures: shown };
  await write(fileNames.figures, `${JSON.stringify(numbers)}\n`);
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
