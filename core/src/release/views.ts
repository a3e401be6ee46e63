import { z } from "zod";
import { releaseDescriptionSchema } from "./content.js";

/**
 * What a publisher's HTTP API shows, as JSON. The command line and the catalogue read the same.
 *
 *   GET  /api/releases?q=&offset=&limit=   ReleaseList     newest first
 *   GET  /api/releases/:id                 ReleaseView
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
  rows: true,
});

export const releaseSummarySchema = summaryFields.extend({
  /** How many columns the rows have. */
  columns: z.int().min(0),
  /** The certificate's, on the study's privacy. */
  verdict: z.string(),
  /** Of the release, ending in a slash. */
  url: z.url(),
});

export const releaseListSchema = z.object({
  /** How many releases there are for this query. */
  total: z.int().min(0),
  offset: z.int().min(0),
  limit: z.int().min(1),
  releases: z.array(releaseSummarySchema),
});

export const releaseViewSchema = z.object({
  /** What the release is, but for its model, which is a file of its own. */
  content: releaseDescriptionSchema,
  url: z.url(),
  /** The certificate in short. The files certificate.json and certificate.jws hold the whole of it. */
  certificate: z.object({
    federation: z.string(),
    issuedAt: z.string(),
    ...releaseDescriptionSchema.shape.privacy.shape,
    sites: z.array(z.string()),
    /** Who was in every attempt at every stage, and who had dropped; null for one that was given up. */
    attempts: z.array(
      z.object({
        stage: z.string(),
        attempt: z.int(),
        kind: z.enum(["sum", "rows", "tags"]),
        survivors: z.array(z.string()).nullable(),
        dropped: z.array(z.string()).nullable(),
      }),
    ),
    /** Sites that did not countersign. */
    missing: z.array(z.string()),
    software: z.record(z.string(), z.string()),
  }),
  files: z.array(
    z.object({
      name: z.string(),
      url: z.url(),
      bytes: z.int().min(0),
      sha256: z.string(),
      contentType: z.string(),
    }),
  ),
});

export type ReleaseSummary = z.output<typeof releaseSummarySchema>;
export type ReleaseList = z.output<typeof releaseListSchema>;
export type ReleaseView = z.output<typeof releaseViewSchema>;
