import { ConsiliumError } from "@consilium/core/errors";
import type { ReleaseFile } from "@consilium/core/release/certificate";
import {
  type ReleaseColumn,
  type ReleaseContent,
  type ReleaseDescription,
  releaseDescriptionSchema,
  withFinding,
} from "@consilium/core/release/content";
import { type Creator, creatorsOf } from "@consilium/core/release/creators";
import type { ResultTable } from "@consilium/core/release/tables";
import { err, ok, type Result } from "@consilium/core/result";
import { z } from "zod";
import { curveColumns } from "./csv.js";
import { fileDescription } from "./descriptions.js";
import { fileNames, mediaTypeOf, tableFiles } from "./files.js";
import { licenseUrl } from "./license.js";
import { type ModelInputs, modelInputs, modelInputsSchema } from "./modelSnippets.js";

/**
 * datapackage.json: the release as a Data Package (datapackage.org, version 2) with the schema of its rows.
 *
 * Its own property `consilium` holds the release's content but for model, predictor, curves, tables, figures, facts and software: the catalogue reads it from there, so
 * that what it shows is under the certificate too.
 * @param files - those rendered already: they are the resources
 * @param baseUrl - of the release, ending in a slash
 */
export function datapackage(
  content: ReleaseContent,
  files: readonly ReleaseFile[],
  baseUrl: string,
): unknown {
  const {
    model: _model,
    predictor: _predictor,
    curves: _curves,
    tables: _tables,
    figures: _figures,
    facts: _facts,
    software: _software,
    sums: _sums,
    draws: _draws,
    ...description
  } = content;
  return {
    $schema: "https://datapackage.org/profiles/2.0/datapackage.json",
    name: content.id,
    title: content.title,
    description: [content.privacyStatement, content.description].filter(Boolean).join("\n\n"),
    homepage: baseUrl,
    version: "1.0.0",
    created: content.createdAt,
    ...(content.license === null ? {} : { licenses: [license(content.license)] }),
    ...(content.creator === null ? {} : { contributors: creatorsOf(content.creator).map(contributor) }),
    resources: files.map((file) => resource(content, file)),
    consilium: description satisfies ReleaseDescription,
  };
}

function contributor(one: Creator): unknown {
  const roles = ["creator"];
  if (one.kind === "institution") return { title: one.name, roles };
  const { family, given, affiliation } = one;
  const organization = affiliation === null ? {} : { organization: affiliation };
  return { title: `${given} ${family}`, givenName: given, familyName: family, ...organization, roles };
}

const binary = [".parquet", ".onnx"];

function resource(content: ReleaseContent, file: ReleaseFile): unknown {
  const isRows = file.name === fileNames.csv || file.name === fileNames.parquet;
  const isCurves = file.name === fileNames.curves;
  const table = content.tables?.find(({ name }) => Object.values(tableFiles(name)).includes(file.name));
  const isTable = isRows || isCurves || table !== undefined;
  return {
    name: file.name.toLowerCase().replace(/[./]/g, "-"),
    path: file.name,
    description: table?.description ?? fileDescription(file.name),
    ...(isTable ? { type: "table" } : {}),
    format: file.name.slice(file.name.lastIndexOf(".") + 1),
    mediatype: mediaTypeOf(file.name),
    ...(binary.some((end) => file.name.endsWith(end)) ? {} : { encoding: "utf-8" }),
    bytes: file.bytes,
    hash: `sha256:${file.sha256}`,
    ...(isTable && file.name.endsWith(".csv")
      ? {
          dialect: {
            delimiter: ",",
            lineTerminator: "\r\n",
            quoteChar: '"',
            doubleQuote: true,
            header: true,
          },
        }
      : {}),
    ...(isRows ? { schema: tableSchema(content) } : {}),
    ...(isCurves ? { schema: curvesSchema } : {}),
    ...(table === undefined ? {} : { schema: resultSchema(table) }),
    ...(file.name === fileNames.onnx && content.predictor !== undefined
      ? { model: modelInputs(content.predictor) }
      : {}),
  };
}

/** Of a level's line the interval is empty, and of an interval's the level. */
const curvesSchema = {
  $schema: "https://datapackage.org/profiles/2.0/tableschema.json",
  fields: curveColumns.map((column) => ({
    ...column,
    constraints: { required: ["feature", "log_odds", "std_dev"].includes(column.name) },
  })),
  missingValues: [""],
};

function resultSchema({ columns }: ResultTable): unknown {
  return {
    $schema: "https://datapackage.org/profiles/2.0/tableschema.json",
    fields: columns.map(({ name, type, description }) => ({
      name,
      type: type === "number" ? "number" : "string",
      description,
    })),
    missingValues: [""],
  };
}

function tableSchema(content: ReleaseContent): unknown {
  return {
    $schema: "https://datapackage.org/profiles/2.0/tableschema.json",
    fields: content.columns.map((column) => ({
      name: column.name,
      type: column.type === "number" ? "number" : "string",
      description: column.description,
      ...(column.type === "number" && column.unit !== undefined ? { unit: column.unit } : {}),
      constraints: constraints(column),
    })),
    // Nothing else is missing: a level that is called NA means just that, and one that is empty where no number may be missing.
    missingValues: content.columns.some(mayBeMissing) ? [""] : [],
  };
}

const mayBeMissing = (column: ReleaseColumn) => column.type === "number" && column.mayBeMissing === true;

function constraints(column: ReleaseColumn): unknown {
  if (column.type === "number") return { required: !mayBeMissing(column) };
  // An empty text counts as missing there, so a column with an empty level cannot be called required.
  return { required: !column.levels.includes(""), enum: column.levels };
}

/** A licence needs a name of the Open Definition's kind or a URL. */
function license(text: string): unknown {
  const url = licenseUrl(text);
  if (url === text.trim()) return { path: url };
  const name = text.trim().replace(/[^-a-zA-Z0-9._]+/g, "-");
  return { name: name === "" ? "other" : name, ...(url === null ? {} : { path: url }), title: text };
}

const ours = z.object({
  consilium: z.preprocess(withFinding, releaseDescriptionSchema),
  resources: z.array(z.object({ path: z.string(), model: modelInputsSchema.optional().catch(undefined) })),
});

/** What the catalogue knows of a release from its datapackage.json. */
interface DescribedRelease {
  readonly description: ReleaseDescription;
  /** Of the model to run; null where there is none, or the release is older than this. */
  readonly model: ModelInputs | null;
}

/** Reads the content of a release back from its datapackage.json; RELEASE_CORRUPT if it is not there. */
export function readDatapackage(text: string): Result<DescribedRelease, ConsiliumError> {
  const refuse = () =>
    err(new ConsiliumError("RELEASE_CORRUPT", `${fileNames.datapackage}: not written by Consilium`));
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    return refuse();
  }
  const parsed = ours.safeParse(raw);
  if (!parsed.success) return refuse();
  const { consilium: description, resources } = parsed.data;
  const model = resources.find((one) => one.path === fileNames.onnx)?.model ?? null;
  return ok({ description, model });
}
