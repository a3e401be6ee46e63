import {
  certificateFile,
  drawsFile,
  plotsFolder,
  signatureFile,
  sumsFolder,
} from "@consilium/core/release/certificate";
import { fileNames } from "./files.js";

/** What each file is, in one line. */
export function fileDescription(name: string): string {
  return (
    descriptions[name] ??
    endings.find(([start, end]) => name.startsWith(start) && name.endsWith(end))?.[2] ??
    "A file of the release."
  );
}

/** Of files whose names a release chooses: how they begin and end, and what they are. */
const endings = [
  [`${plotsFolder}/`, ".svg", "A figure, as SVG."],
  [
    `${sumsFolder}/`,
    ".bin",
    "The noisy sum of one stage over all hospitals, for `consilium release replay`.",
  ],
  ["", ".csv", "A table of results, as comma-separated values."],
  ["", ".parquet", "The same table, as Apache Parquet."],
] as const;

const descriptions: Readonly<Record<string, string>> = {
  [fileNames.parquet]: "The rows, as Apache Parquet.",
  [fileNames.csv]: "The same rows, as comma-separated values.",
  [fileNames.result]:
    "All that was found, as the hospitals signed it by its SHA-256; the other files show it.",
  [drawsFile]: "What the aggregator drew at random, for `consilium release replay`.",
  [fileNames.model]: "The model: what was learnt, and how to apply it.",
  [fileNames.onnx]: "The model to run, preprocessing included, for any ONNX runtime.",
  [fileNames.xgboost]: "The trees in XGBoost's own JSON.",
  [fileNames.curves]: "What each value of each column adds to the log-odds, with the noise in it.",
  [fileNames.tables]: "The tables of results, as the release's page shows them.",
  [fileNames.figures]: "What the figures show, in numbers.",
  [fileNames.croissant]: "This release in MLCommons' Croissant vocabulary.",
  [fileNames.datapackage]: "This release as a Data Package, with the schema of the rows.",
  [fileNames.roCrate]: "Where this release comes from, as a Five Safes RO-Crate.",
  [fileNames.citation]: "How to cite this release, in the Citation File Format.",
  [fileNames.dictionary]: "Every file and column, and how to read the results.",
  [fileNames.readme]: "What was found, and how to read, verify and cite it: one page.",
  [certificateFile]: "What was computed, at what privacy cost, and the SHA-256 of every file.",
  [signatureFile]: "The aggregator's signature on the certificate; those of the sites are in it.",
};
