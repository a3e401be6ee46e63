import { plotsFolder, type ReleaseFile } from "@consilium/core/release/certificate";
import type { ReleaseContent } from "@consilium/core/release/content";
import { fileNames, mediaTypeOf } from "./files.js";

/** The JSON-LD context that the Croissant 1.0 specification prescribes. */
const context = {
  "@language": "en",
  "@vocab": "https://schema.org/",
  citeAs: "cr:citeAs",
  column: "cr:column",
  conformsTo: "dct:conformsTo",
  cr: "http://mlcommons.org/croissant/",
  data: { "@id": "cr:data", "@type": "@json" },
  dataType: { "@id": "cr:dataType", "@type": "@vocab" },
  dct: "http://purl.org/dc/terms/",
  examples: { "@id": "cr:examples", "@type": "@json" },
  extract: "cr:extract",
  field: "cr:field",
  fileObject: "cr:fileObject",
  fileProperty: "cr:fileProperty",
  fileSet: "cr:fileSet",
  format: "cr:format",
  includes: "cr:includes",
  isLiveDataset: "cr:isLiveDataset",
  jsonPath: "cr:jsonPath",
  key: "cr:key",
  md5: "cr:md5",
  parentField: "cr:parentField",
  path: "cr:path",
  rai: "http://mlcommons.org/croissant/RAI/",
  recordSet: "cr:recordSet",
  references: "cr:references",
  regex: "cr:regex",
  repeated: "cr:repeated",
  replace: "cr:replace",
  sc: "https://schema.org/",
  separator: "cr:separator",
  source: "cr:source",
  subField: "cr:subField",
  transform: "cr:transform",
} as const;

/**
 * croissant.json: the release in MLCommons' Croissant 1.0 vocabulary, so that dataset searches and loaders know it.
 * @param files - those rendered already: they are the distribution
 * @param baseUrl - of the release, ending in a slash
 */
export function croissant(content: ReleaseContent, files: readonly ReleaseFile[], baseUrl: string): unknown {
  const hasRows = files.some((file) => file.name === fileNames.parquet);
  return {
    "@context": context,
    "@type": "sc:Dataset",
    conformsTo: "http://mlcommons.org/croissant/1.0",
    name: content.id,
    alternateName: content.title,
    description: [content.privacyStatement, content.description].filter(Boolean).join("\n\n"),
    identifier: content.id,
    url: baseUrl,
    datePublished: content.createdAt,
    version: "1.0.0",
    isLiveDataset: false,
    isAccessibleForFree: true,
    citeAs: `${citation(content)} ${baseUrl}`,
    ...(content.license === null ? {} : { license: content.license }),
    ...(content.creator === null ? {} : { creator: { "@type": "sc:Organization", name: content.creator } }),
    distribution: files.map((file) => ({
      "@type": "cr:FileObject",
      "@id": file.name,
      name: file.name,
      description: fileDescription(file.name),
      contentUrl: `${baseUrl}${file.name}`,
      contentSize: `${file.bytes} B`,
      encodingFormat: mediaTypeOf(file.name),
      sha256: file.sha256,
    })),
    recordSet: hasRows ? recordSets(content) : [],
  };
}

function recordSets(content: ReleaseContent): unknown[] {
  const levelSets = content.columns.flatMap((column, index) =>
    column.type === "level"
      ? [
          {
            "@type": "cr:RecordSet",
            "@id": `levels-${index}`,
            name: `levels-${index}`,
            description: `The levels of the column ${column.name}.`,
            dataType: "sc:Enumeration",
            key: { "@id": `levels-${index}/name` },
            field: [
              {
                "@type": "cr:Field",
                "@id": `levels-${index}/name`,
                name: "name",
                description: `A level of the column ${column.name}.`,
                dataType: ["sc:Text", "sc:name"],
              },
            ],
            data: column.levels.map((level) => ({ [`levels-${index}/name`]: level })),
          },
        ]
      : [],
  );
  const rows = {
    "@type": "cr:RecordSet",
    "@id": "rows",
    name: "rows",
    description: `The ${content.rows} rows of the release.`,
    field: content.columns.map((column, index) => ({
      "@type": "cr:Field",
      // By number: a column's name may hold what an identifier cannot.
      "@id": `rows/${index}`,
      name: column.name,
      description: describeColumn(column),
      dataType: column.type === "number" ? "sc:Float" : "sc:Text",
      ...(column.type === "level" ? { references: { field: { "@id": `levels-${index}/name` } } } : {}),
      source: { fileObject: { "@id": fileNames.parquet }, extract: { column: column.name } },
    })),
  };
  return [...levelSets, rows];
}

function describeColumn(column: ReleaseContent["columns"][number]): string {
  return column.type === "number" && column.unit !== undefined
    ? `${column.description} (unit: ${column.unit})`
    : column.description;
}

/** What each file is, in one line. */
export function fileDescription(name: string): string {
  switch (name) {
    case fileNames.parquet:
      return "The rows, as Apache Parquet.";
    case fileNames.csv:
      return "The same rows, as comma-separated values.";
    case fileNames.model:
      return "The model: what was learnt, and how to apply it.";
    case fileNames.onnx:
      return "The model to run, preprocessing included, for any ONNX runtime.";
    case fileNames.xgboost:
      return "The trees in XGBoost's own JSON.";
    case fileNames.croissant:
      return "This release in MLCommons' Croissant vocabulary.";
    case fileNames.datapackage:
      return "This release as a Data Package, with the schema of the rows.";
    case fileNames.readme:
      return "What this release is and how to use it.";
    default:
      return name.startsWith(`${plotsFolder}/`) ? "A figure, as SVG." : "A file of the release.";
  }
}

/** How to cite the release, in one line but for its URL. */
export function citation(content: ReleaseContent): string {
  const who = content.creator === null ? "" : `${content.creator} `;
  return `${who}(${content.createdAt.slice(0, 4)}): ${content.title}. Consilium release ${content.id}.`;
}
