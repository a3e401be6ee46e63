import { readFile } from "node:fs/promises";
import { type DpPcaModel, dpPcaModelSchema, projectDpPcaRow } from "@consilium/core/learning/dpPcaModel";
import { type PcaModel, pcaModelSchema, projectRow } from "@consilium/core/learning/pcaModel";
import { capturedEnergy } from "@consilium/core/learning/subspace";
import { plainKernels } from "@consilium/core/linalg/plain";

/**
 * What a release is worth, measured on the demo's whole table. Only the demo can see it: the table is public, and
 * nobody in a federation has such a view.
 */
export interface Worth {
  /** Variance that the published components hold, as a part of what the best ones hold without any privacy. */
  readonly energy: number;
  /** Rows of the table whose label is that of the nearest class mean of the released rows. */
  readonly accuracy: number;
}

type Model = PcaModel | DpPcaModel;

interface Row {
  readonly values: Readonly<Record<string, number>>;
  readonly label: string;
}

/**
 * @param tablePath - the whole table, CSV without quotes
 * @param folder - of the release
 */
export async function measureWorth(tablePath: string, folder: string): Promise<Worth> {
  const model = readModel(JSON.parse(await readFile(`${folder}/model.json`, "utf8")));
  const rows = readTable(await readFile(tablePath, "utf8"));
  const released = readTable(await readFile(`${folder}/data.csv`, "utf8"));
  return {
    energy: await energyOf(model, rows),
    accuracy: accuracyOf(
      rows.map(({ values, label }) => ({ at: project(model, values), label })),
      released.map(({ values, label }) => ({ at: Object.values(values), label })),
    ),
  };
}

function readModel(raw: { readonly method?: unknown }): Model {
  return raw.method === "dp-pca" ? dpPcaModelSchema.parse(raw) : pcaModelSchema.loose().parse(raw);
}

function project(model: Model, row: Row["values"]): readonly number[] {
  return [...(model.method === "dp-pca" ? projectDpPcaRow(model, row) : projectRow(model, row))];
}

function readTable(text: string): Row[] {
  const [header, ...lines] = text.trim().split(/\r?\n/);
  const names = header!.split(",");
  return lines.map((line) => {
    const cells = line.split(",");
    const numbers = names.slice(0, -1).map((name, j) => [name, Number(cells[j])] as const);
    return { values: Object.fromEntries(numbers), label: cells.at(-1)! };
  });
}

/** In columns mapped to 0 to 1 by their declared bounds, which is what all of the demo's studies reduce. */
async function energyOf(model: Model, rows: readonly Row[]): Promise<number> {
  const { columns } = model;
  const d = columns.length;
  const mapped = rows.map(({ values }) =>
    Float64Array.from(columns, ({ feature, min, max }) => (values[feature]! - min) / (max - min)),
  );
  const mean = columns.map((_, j) => mapped.reduce((sum, row) => sum + row[j]!, 0) / rows.length);
  const kernels = plainKernels();
  const gram = kernels.gram(d);
  for (const row of mapped)
    await gram.add(
      row.map((value, j) => value - mean[j]!),
      1,
    );
  const scatter = await gram.finish();
  const { vectors } = await kernels.symmetricEigen(scatter, d, model.components);
  const published = Float64Array.from(model.loadings.flat());
  return capturedEnergy(published, scatter) / capturedEnergy(vectors, scatter);
}

interface Point {
  readonly at: readonly number[];
  readonly label: string;
}

function accuracyOf(rows: readonly Point[], released: readonly Point[]): number {
  const labels = [...new Set(released.map(({ label }) => label))];
  const means = labels.map((label) => {
    const own = released.filter((point) => point.label === label);
    return own[0]!.at.map((_, j) => own.reduce((sum, { at }) => sum + at[j]!, 0) / own.length);
  });
  const distance = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, value, j) => sum + (value - b[j]!) ** 2, 0);
  const right = rows.filter(({ at, label }) => {
    const distances = means.map((mean) => distance(at, mean));
    return labels[distances.indexOf(Math.min(...distances))] === label;
  });
  return right.length / rows.length;
}
