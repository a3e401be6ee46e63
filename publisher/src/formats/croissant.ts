import type { ReleaseFile } from "@consilium/core/release/certificate";
import { citation } from "@consilium/core/release/citation";
import type { ReleaseContent } from "@consilium/core/release/content";
import { fileDescription } from "./descriptions.js";
import { fileNames, mediaTypeOf } from "./files.js";
import { licenseUrl, withoutLicence } from "./license.js";
import { schemaCreators } from "./schemaCreators.js";

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
  equivalentProperty: "cr:equivalentProperty",
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
    license: license(content),
    creator: schemaCreators(content.creator ?? "The hospitals of the federation", "sc:"),
    publisher: {
      "@type": "sc:Organization",
      name: "The federation's publisher",
      url: new URL("../../", baseUrl).href,
    },
    keywords: keywords(content),
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

/** The specification requires one: where none is stated, that is said. */
function license(content: ReleaseContent): unknown {
  const url = licenseUrl(content.license);
  if (url !== null) return url;
  return {
    "@type": "sc:CreativeWork",
    name: content.license ?? withoutLicence(content),
  };
}

function keywords({ study, privacy }: ReleaseContent): string[] {
  return ["federated learning", "differential privacy", study.analysis, study.method, privacy.verdict];
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
