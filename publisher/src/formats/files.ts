import { plotsFolder } from "@consilium/core/release/certificate";

/** The files of a release by name. Their content types are what a reader over HTTP is told. */
export const fileNames = {
  parquet: "data.parquet",
  csv: "data.csv",
  result: "result.json",
  model: "model.json",
  onnx: "model.onnx",
  xgboost: "model.xgb.json",
  curves: "curves.csv",
  tables: "tables.json",
  figures: "figures.json",
  croissant: "croissant.json",
  datapackage: "datapackage.json",
  roCrate: "ro-crate-metadata.json",
  citation: "CITATION.cff",
  dictionary: "DICTIONARY.md",
  readme: "README.md",
} as const;

const contentTypes: Readonly<Record<string, string>> = {
  svg: "image/svg+xml; charset=utf-8",
  parquet: "application/vnd.apache.parquet",
  csv: "text/csv; charset=utf-8; header=present",
  json: "application/json; charset=utf-8",
  jws: "application/jose; charset=us-ascii",
  md: "text/markdown; charset=utf-8",
  cff: "application/yaml; charset=utf-8",
};

/** The media type of a file by the end of its name; bytes of no kind where it is unknown. */
export function contentTypeOf(name: string): string {
  return contentTypes[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream";
}

/** The files of a table of results. */
export const tableFiles = (name: string) => ({ csv: `${name}.csv`, parquet: `${name}.parquet` });

/** Where a figure of this name is drawn. */
export function plotFile(name: string): string {
  return `${plotsFolder}/${name}.svg`;
}

/** Without parameters, for metadata. */
export function mediaTypeOf(name: string): string {
  return contentTypeOf(name).split(";")[0]!;
}
