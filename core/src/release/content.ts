import { z } from "zod";
import { ConsiliumError } from "../errors.js";
import { isRecord } from "../keysOf.js";
import type { MethodResult } from "../method/aggregatorSide.js";
import { missingPartSchema, type PartId, type ResultParts } from "../method/parts.js";
import { err, ok, type Result } from "../result.js";
import { curveSchema } from "./curves.js";
import { figureSchema } from "./figures.js";
import { countedSchema, type Finding, findingSchema } from "./finding.js";
import { flowSchema } from "./flowSchema.js";
import { modelCardSchema } from "./modelCard.js";
import { predictorFaults, predictorSchema } from "./predictor.js";
import { drawsSchema, sumsSchema } from "./publishedSums.js";
import { refusalsSchema } from "./refusalsSchema.js";
import { type ResultTable, resultTableSchema } from "./tables.js";

/** What the aggregator hands a publisher to render and publish: everything but the rows themselves. */

export const releaseIdPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*-[0-9a-f]{10}$/;

/** A zero byte or half a surrogate pair has no place in Parquet, CSV or UTF-8 at all. */
const unwritable = /[\0\p{Surrogate}]/u;
const text = z.string().refine((value) => !unwritable.test(value), "holds text that UTF-8 files cannot");

const numberColumn = z.strictObject({
  name: text.min(1).max(200),
  type: z.literal("number"),
  description: text.max(2000),
  unit: text.max(64).optional(),
  /** Whether a row may have no value there: NaN as deposited, an empty cell in data.csv, null in data.parquet. Left out: it may not. */
  mayBeMissing: z.literal(true).optional(),
});

/** A column of texts from a fixed list; on the wire a row holds the index. */
const levelColumn = z.strictObject({
  name: text.min(1).max(200),
  type: z.literal("level"),
  description: text.max(2000),
  levels: z
    .array(text.max(200))
    .min(1)
    .max(65_535)
    .refine((all) => new Set(all).size === all.length, "levels must differ from each other"),
});

/** Characters. */
export const privacyStatementMost = 2000;

const cost = z.number().min(0).nullable();

/** What a certificate says of privacy, in short: anyone who shows a release shows this. */
const releasePrivacy = z.object({
  verdict: z.enum(["proved", "claimed by the authors, not verified", "no privacy"]),
  /** For a proven verdict what its events add up to, else the authors' claim. */
  epsilon: cost,
  delta: cost,
  neighbouringRelation: text.max(4000),
  unit: text.max(4000),
  /**
   * Whom it protects, as the plan has it. By this the publisher says `unit`, `neighbouringRelation` and the privacy statement in its own
   * words, whatever the aggregator's version calls them. Left out: a record, and in releases of earlier versions, which are in words alone.
   */
  protects: z
    .discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("record") }),
      z.strictObject({
        kind: z.literal("patient"),
        maxRows: z.int().min(1),
        weight: z.number().positive().nullable(),
      }),
    ])
    .optional(),
  /** Where the proof stands; null unless proven. */
  proof: text.max(4000).nullable(),
  reasons: z.array(text.max(4000)).max(100),
  /** Sites of the study, and how many of them signed what the certificate says of it. */
  countersigned: z.strictObject({ by: z.int().min(0), of: z.int().min(1) }),
});

const releaseFields = z.strictObject({
  format: z.literal("consilium-release/1"),
  id: z.string().max(80).regex(releaseIdPattern),
  title: text.min(1).max(200),
  description: text.max(4000),
  license: text.max(200).nullable(),
  creator: text.max(200).nullable(),
  /** Where questions about the study go, as the study states it. */
  contact: text.min(1).max(2000).optional(),
  /** When the study finished, ISO 8601 UTC. */
  createdAt: z.iso.datetime(),
  access: z.enum(["open", "token"]),
  study: z.strictObject({
    id: z.string().max(80),
    name: z.string().max(80),
    hash: z.string().regex(/^[0-9a-f]{64}$/),
    analysis: z.string().max(80),
    method: z.string().max(80),
    variant: z.string().max(80),
  }),
  /** Finding of the study. Releases of methods that state no uncertainty have none. */
  finding: findingSchema.optional(),
  /** Who was counted, in the order in which people ask. */
  counted: z.array(countedSchema).min(1).max(200).optional(),
  /** Flow of the study's rows; releases of earlier versions and of published methods have none. */
  flow: flowSchema.optional(),
  /** Why hospitals did not take part; not in result.json, which the sites sign. */
  refusals: refusalsSchema.optional(),
  /** Parts that the study asked for, could not be computed, and the operator accepted to do without. */
  missing: z.array(missingPartSchema).min(1).max(20).optional(),
  /** A sentence or two for the README's top that say what privacy the release has. */
  privacyStatement: text.max(privacyStatementMost),
  /** The same in figures. The publisher holds it against the certificate. */
  privacy: releasePrivacy,
  /** `level` columns come after `number` columns. Empty when the release has no rows. */
  columns: z.array(z.discriminatedUnion("type", [numberColumn, levelColumn])).max(10_001),
  rows: z.int().min(0),
  /** Becomes model.json. */
  model: z.record(z.string(), z.json()),
  /** Of the run: noise scale, scaling, masking. */
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
  /** Versions of what computed it. */
  software: z.record(z.string(), z.string()).optional(),
  /** Paragraphs for the README on how to read the model and the rows. */
  notes: z.array(text.max(2000)).max(20),
  /** Of a model that predicts: a section of the README. */
  card: modelCardSchema.optional(),
  /** Becomes model.onnx, and model.xgb.json where its trees are XGBoost's. */
  predictor: predictorSchema.optional(),
  /** Of an additive model: become curves.csv. */
  curves: z.array(curveSchema).min(1).max(100_000).optional(),
  /** Become <name>.csv and <name>.parquet, and together tables.json. */
  tables: z.array(resultTableSchema).min(1).max(20).optional(),
  /** Become plots/<name>.svg. */
  figures: z.array(figureSchema).max(32).optional(),
  /** Of a study that makes its sums public: those deposited after the rows, in this order; become sums/<stage>-<attempt>.bin. */
  sums: sumsSchema.optional(),
  /** Of such a study: become draws.json. */
  draws: drawsSchema.optional(),
});

/** What the columns and rows of a release must keep to beyond their own shape: where, and what is wrong. */
function columnFaults(release: Pick<z.output<typeof releaseFields>, "columns" | "rows">): string[] {
  const faults: string[] = [];
  const { columns, rows } = release;
  const firstLevel = columns.findIndex((column) => column.type === "level");
  if (firstLevel >= 0 && columns.slice(firstLevel).some((column) => column.type === "number")) {
    faults.push("level columns come after number columns");
  }
  const seen = new Map<string, string>();
  for (const { name } of columns) {
    // DuckDB compares names without regard to case and would rename the second one.
    const before = seen.get(name.toLowerCase());
    if (before !== undefined) faults.push(`columns "${before}" and "${name}" differ at most in letter case`);
    seen.set(name.toLowerCase(), name);
  }
  if (columns.length === 0 && rows > 0) faults.push("a release with rows needs columns");
  return faults;
}

/** Names of figures are names of files; a picture of a tree needs the tree. */
function figureFaults({ figures = [], predictor }: FiguresAndPredictor): string[] {
  const faults: string[] = [];
  const names = figures.map(({ name }) => name);
  if (new Set(names).size < names.length) faults.push("two figures have one name");
  const trees = predictor?.kind === "trees" ? predictor.trees.length : 0;
  if (figures.some((figure) => figure.kind === "tree" && figure.tree >= trees))
    faults.push("a figure shows a tree that the predictor has not");
  return faults;
}

/** Names of tables are names of files, some of which are taken. */
function tableFaults(tables: readonly ResultTable[]): string[] {
  const names = tables.map(({ name }) => name);
  return [
    ...(new Set(names).size < names.length ? ["two tables have one name"] : []),
    ...names.filter((name) => takenNames.has(name)).map((name) => `no table may have the name ${name}`),
  ];
}

const takenNames = new Set(["data", "curves"]);

type FiguresAndPredictor = Pick<z.output<typeof releaseFields>, "figures" | "predictor">;

export const releaseContentSchema = releaseFields.superRefine((release, context) => {
  const add = (key: string, messages: readonly string[]) => {
    for (const message of messages) context.addIssue({ code: "custom", path: [key], message });
  };
  add("columns", columnFaults(release));
  add("figures", figureFaults(release));
  add("tables", tableFaults(release.tables ?? []));
  if (release.predictor !== undefined) add("predictor", predictorFaults(release.predictor).slice(0, 20));
});

/**
 * A result as a release can hold it.
 * @param parts - of the run: what no release can hold is missing
 * @throws ZodError where a release cannot hold the rest
 */
export function fitting(result: MethodResult, parts: ResultParts): MethodResult {
  const { shape } = releaseFields;
  shape.model.parse(result.model);
  shape.notes.parse(result.notes);
  shape.columns.parse(result.table?.columns ?? []);
  shape.finding.parse(result.finding ?? undefined);
  shape.counted.parse(result.counted?.length ? result.counted : undefined);
  const fits = <T>(
    part: PartId & keyof typeof shape,
    value: T | null | undefined,
    faultsOf: (value: T) => readonly string[],
  ): T | null => {
    if (value === null || value === undefined || parts.isWithout(part)) return null;
    const parsed = shape[part].safeParse(value);
    const faults = parsed.success ? faultsOf(value).slice(0, 20) : [];
    if (parsed.success && faults.length === 0) return value;
    parts.lacks(part, "unfit", parsed.error ?? new RangeError(faults.join("; ")));
    return null;
  };
  const noFaults = () => [];
  const predictor = fits("predictor", result.predictor, predictorFaults);
  // Pictures of trees are drawn from the predictor.
  const drawn = result.figures?.filter(({ kind }) => kind !== "tree" || predictor !== null);
  return {
    ...result,
    predictor,
    curves: fits("curves", result.curves, noFaults),
    tables: fits("tables", result.tables, tableFaults),
    figures: fits("figures", drawn, (figures) =>
      figureFaults({ figures, predictor: predictor ?? undefined }),
    ),
    card: fits("card", result.card, noFaults),
  };
}

/**
 * A release's content or description with the finding that it has in words of an earlier version: what stood first where noise explained
 * the whole result, under `caution`.
 */
export function withFinding(raw: unknown): unknown {
  if (!isRecord(raw) || typeof raw.caution !== "string") return raw;
  const { caution, ...content } = raw;
  return { ...content, finding: { text: caution, isClear: false, by: null } satisfies Finding };
}

/** A release's content without its model, predictor, curves, tables and figures, which a release folder holds in files of their own. */
export const releaseDescriptionSchema = releaseFields.omit({
  model: true,
  predictor: true,
  curves: true,
  tables: true,
  figures: true,
  facts: true,
  software: true,
  sums: true,
  draws: true,
});

export type ReleaseContent = z.output<typeof releaseContentSchema>;
export type ReleaseDescription = z.output<typeof releaseDescriptionSchema>;
export type ReleasePrivacy = ReleaseContent["privacy"];
export type ReleaseColumn = ReleaseContent["columns"][number];

/** Bytes of one row as deposited: each number column as float64, each level column as a 16-bit index, little-endian. */
export function releaseRowBytes(columns: readonly ReleaseColumn[]): number {
  return columns.reduce((sum, column) => sum + (column.type === "number" ? 8 : 2), 0);
}

type Deposited = Pick<ReleaseContent, "columns" | "rows" | "sums">;

/** Bytes of what is deposited one after the other: all rows of a release, then each of its sums. */
export function depositedBytes({ columns, rows, sums = [] }: Deposited): readonly number[] {
  return [rows * releaseRowBytes(columns), ...sums.map(({ bytes }) => bytes)];
}

/** Bytes of all that is deposited of a release beside its content. */
export const releaseDataBytes = (content: Deposited): number =>
  depositedBytes(content).reduce((sum, bytes) => sum + bytes, 0);

/**
 * Reads a release's content from the text that came with a deposit.
 * @returns the content, or DEPOSIT_INVALID naming every key that is wrong
 */
export function parseReleaseContent(json: string): Result<ReleaseContent, ConsiliumError> {
  let raw: unknown;
  try {
    raw = JSON.parse(json);
  } catch {
    return err(new ConsiliumError("DEPOSIT_INVALID", "the content of the release is not JSON"));
  }
  const parsed = releaseContentSchema.safeParse(withFinding(raw));
  if (parsed.success) return ok(parsed.data);
  const issues = parsed.error.issues
    .slice(0, 20)
    .map((issue) => `${issue.path.join(".") || "content"}: ${issue.message}`);
  return err(
    new ConsiliumError("DEPOSIT_INVALID", `the content of the release is invalid: ${issues.join("; ")}`),
  );
}
