import { z } from "zod";
import { releaseDescriptionSchema } from "./content.js";
import { shownFigureSchema } from "./shownFigures.js";
import { resultTableSchema } from "./tables.js";

/**
 * What a publisher's HTTP API shows, as JSON. The command line and the catalogue read the same.
 *
 *   GET  /api/releases?q=&offset=&limit=   ReleaseList     newest first, filtered as `releaseQuery` says
 *   GET  /api/releases/:id                 ReleaseView
 *   GET  /api/releases/:id/rows            ReleaseRows     some of the rows
 *   GET  /api/releases/:id/sample          ReleaseSample   two columns of a sample of the rows, to plot
 *   GET  /releases/:id/                    the same for a person, as HTML
 *   GET  /releases/:id/:file               a file, in ranges if asked
 *   GET  /openapi.json  /healthz  /readyz  /metrics
 *
 * A release with `access: token` is listed and read with `Authorization: Bearer <token>` only. A failure is
 * {code, message, remedy} with a 4xx or 5xx.
 */
const summaryFields = releaseDescriptionSchema.pick({
  id: true,
  title: true,
  description: true,
  license: true,
  creator: true,
  createdAt: true,
  access: true,
  study: true,
  privacyStatement: true,
  finding: true,
  rows: true,
});

const releaseLink = z.object({ id: z.string(), url: z.url() });

const withdrawalViewSchema = z
  .object({
    status: z.enum(["withdrawn", "superseded"]),
    reason: z.string(),
    issuedAt: z.string(),
    supersededBy: releaseLink.nullable(),
    url: z.url().describe("Of the signed statement, withdrawal.jws."),
  })
  .meta({
    id: "Withdrawal",
    description:
      "What the aggregator has said of the release since: not to be used, or to be replaced by another.",
  });

const releaseSummarySchema = summaryFields
  .extend({
    withdrawal: withdrawalViewSchema.optional(),
    columns: z.int().min(0).describe("How many columns the rows have."),
    federation: z.string().describe("Whose hospitals took part, by the certificate."),
    verdict: z.string().describe("The certificate's, on the study's privacy."),
    epsilon: z
      .number()
      .nullable()
      .describe("For a proven verdict what its events add up to, else the authors' claim; null: no bound."),
    delta: z.number().nullable(),
    url: z.url().describe("Of the release, ending in a slash."),
  })
  .meta({ id: "ReleaseSummary" });

const orders = ["newest", "oldest", "epsilon", "title"] as const;
const text = z.string().max(200).optional();
const day = z.iso.date().optional();
const bound = z.coerce.number().min(0).optional();

/** Which releases to list. What is left out does not filter. */
export const releaseQuery = z.object({
  q: z.string().max(200).default("").describe("words that must all occur in what describes the release"),
  analysis: text.describe("only this analysis, such as `pca`"),
  method: text.describe("only this method, such as `dp-pca`"),
  variant: text.describe("only this variant of a method"),
  verdict: text.describe("only this verdict of the certificate, such as `proved`"),
  epsilonMin: bound.describe("leaves out releases without an epsilon"),
  epsilonMax: bound.describe("leaves out releases without an epsilon"),
  from: day.describe("the first day of publication, UTC"),
  to: day.describe("the last day of publication, UTC"),
  order: z.enum(orders).default("newest"),
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

const counts = z.array(z.object({ value: z.string(), count: z.int().min(0) }));

const releaseFacetsSchema = z
  .object({
    method: counts,
    variant: counts,
    verdict: counts,
  })
  .meta({
    id: "ReleaseFacets",
    description:
      "What there is to filter by: each value with how many releases have it, among those that the other filters leave.",
  });

const hasMembers = z.boolean().describe("Whether /members.json has a list of the federation's members.");

export const releaseListSchema = z
  .object({
    total: z.int().min(0).describe("How many releases there are for this query."),
    offset: z.int().min(0),
    limit: z.int().min(1),
    releases: z.array(releaseSummarySchema),
    facets: releaseFacetsSchema,
    hasMembers,
  })
  .meta({ id: "ReleaseList" });

export const releaseViewSchema = z
  .object({
    withdrawal: withdrawalViewSchema.optional(),
    supersedes: z.array(releaseLink).describe("Releases that this one supersedes."),
    content: releaseDescriptionSchema.describe(
      "What the release is, but for its model, which is a file of its own.",
    ),
    url: z.url(),
    operatorContact: z
      .string()
      .nullable()
      .describe("Whom to ask about the federation and its root certificate, as the publisher states it."),
    hasMembers,
    certificate: z
      .object({
        federation: z.string(),
        issuedAt: z.string(),
        ...releaseDescriptionSchema.shape.privacy.shape,
        sites: z.array(z.string()),
        attempts: z
          .array(
            z.object({
              stage: z.string(),
              attempt: z.int(),
              kind: z.enum(["sum", "rows", "tags"]),
              survivors: z.array(z.string()).nullable(),
              dropped: z.array(z.string()).nullable(),
            }),
          )
          .describe(
            "Who was in every attempt at every stage, and who had dropped; null for one that was given up.",
          ),
        missing: z.array(z.string()).describe("Sites that did not countersign."),
        software: z.record(z.string(), z.string()),
      })
      .describe(
        "The certificate in short. The files certificate.json and certificate.jws hold the whole of it.",
      ),
    files: z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        url: z.url(),
        bytes: z.int().min(0),
        sha256: z.string(),
        contentType: z.string(),
      }),
    ),
    snippets: z
      .array(
        z.object({
          id: z.enum(["pandas", "polars", "r", "duckdb", "onnxruntime", "xgboost"]),
          title: z.string(),
          language: z.string().describe("As a fenced code block calls it."),
          code: z.string(),
          needs: z.string().describe("How to get what the code needs."),
        }),
      )
      .describe("Code that reads the release, ready to paste."),
    citations: z
      .array(z.object({ format: z.string(), file: z.string(), text: z.string() }))
      .describe("How to cite the release, ready to paste."),
  })
  .meta({ id: "Release" });

const found = releaseDescriptionSchema.pick({
  id: true,
  title: true,
  createdAt: true,
  study: true,
  finding: true,
  counted: true,
  flow: true,
  refusals: true,
  privacyStatement: true,
});

/** A release's answer as far as it says what was found. */
export const foundReleaseSchema = z.object({ content: z.object(found.shape) });
export type FoundRelease = z.output<typeof foundReleaseSchema>["content"];

/** Rows of one answer, and columns: a table may have thousands. */
const previewRowsMax = 100;
export const previewColumnsMax = 50;

export const rowsQuery = z.object({
  offset: z.coerce.number().int().min(0).max(1_000_000_000).default(0),
  limit: z.coerce.number().int().min(1).max(previewRowsMax).default(20),
});

export const releaseRowsSchema = z
  .object({
    total: z.int().min(0).describe("Rows of the release."),
    offset: z.int().min(0),
    columns: z.array(z.string()).describe("The first of the release's columns."),
    columnsLeftOut: z.int().min(0).describe("Columns of the release that are not shown."),
    rows: z
      .array(z.array(z.union([z.number(), z.string(), z.null()])))
      .describe("A number, a level's text, or null where a number is missing, for each column."),
  })
  .meta({ id: "ReleaseRows" });

const samplePointsMax = 5_000;

export const sampleQuery = z.object({
  x: z.string().max(200).describe("a column of numbers"),
  y: z.string().max(200).describe("another"),
  colour: z.string().max(200).optional().describe("a column of levels"),
  limit: z.coerce.number().int().min(1).max(samplePointsMax).default(2_000),
});

export const releaseSampleSchema = z
  .object({
    total: z.int().min(0),
    levels: z.array(z.string()).describe("The levels of the colour column; empty without one."),
    x: z.array(z.number()),
    y: z.array(z.number()),
    level: z.array(z.int().min(0)).describe("Indices into `levels`; empty without a colour column."),
  })
  .meta({ id: "ReleaseSample", description: "Rows at even distances, so that the same is drawn each time." });

/** The file `figures.json` of a release: what its plots show, in numbers. */
export const figuresFileSchema = z.object({
  format: z.literal("consilium-figures/1"),
  figures: z.array(shownFigureSchema),
});

/** The file `tables.json` of a release: its tables of results, as its CSV and Parquet files have them. */
export const tablesFileSchema = z.object({
  format: z.literal("consilium-tables/1"),
  tables: z.array(resultTableSchema),
});

export type WithdrawalSummary = z.output<typeof withdrawalViewSchema>;
export type ReleaseSummary = z.output<typeof releaseSummarySchema>;
export type ReleaseList = z.output<typeof releaseListSchema>;
export type ReleaseView = z.output<typeof releaseViewSchema>;
export type ReleaseQuery = z.output<typeof releaseQuery>;
export type ReleaseFacets = z.output<typeof releaseFacetsSchema>;
export type ReleaseRows = z.output<typeof releaseRowsSchema>;
export type ReleaseSample = z.output<typeof releaseSampleSchema>;
export type TablesFile = z.output<typeof tablesFileSchema>;
export type FiguresFile = z.output<typeof figuresFileSchema>;
export type Snippet = ReleaseView["snippets"][number];
export type Citation = ReleaseView["citations"][number];
