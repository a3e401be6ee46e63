import { z } from "zod";

/** What the aggregator hands a publisher to render and publish: everything but the rows themselves. */

export const releaseIdPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*-[0-9a-f]{10}$/;

const numberColumn = z.strictObject({
  name: z.string().min(1).max(200),
  type: z.literal("number"),
  description: z.string().max(2000),
  unit: z.string().max(64).optional(),
});

/** A column of texts from a fixed list; on the wire a row holds the index. */
const levelColumn = z.strictObject({
  name: z.string().min(1).max(200),
  type: z.literal("level"),
  description: z.string().max(2000),
  levels: z.array(z.string().max(200)).min(1).max(65_535),
});

export const releaseContentSchema = z.strictObject({
  format: z.literal("consilium-release/1"),
  id: z.string().max(80).regex(releaseIdPattern),
  title: z.string().min(1).max(200),
  description: z.string().max(4000),
  license: z.string().max(200).nullable(),
  creator: z.string().max(200).nullable(),
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
  /** One sentence for the README's top that says what privacy the release has. */
  privacyStatement: z.string().max(1000),
  /** `level` columns come after `number` columns. Empty when the release has no rows. */
  columns: z.array(z.discriminatedUnion("type", [numberColumn, levelColumn])).max(10_001),
  rows: z.int().min(0),
  /** Becomes model.json. */
  model: z.record(z.string(), z.json()),
  /** Paragraphs for the README on how to read the model and the rows. */
  notes: z.array(z.string().max(2000)).max(20),
});

export type ReleaseContent = z.output<typeof releaseContentSchema>;
export type ReleaseColumn = ReleaseContent["columns"][number];

/** Bytes of one row as deposited: each number column as float64, each level column as a 16-bit index, little-endian. */
export function releaseRowBytes(columns: readonly ReleaseColumn[]): number {
  return columns.reduce((sum, column) => sum + (column.type === "number" ? 8 : 2), 0);
}
