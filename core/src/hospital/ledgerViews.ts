import { z } from "zod";

/** The ledger and the egress log, as the hospital's own tools show them. Every ε is rounded against us. */

const moment = z.iso.datetime();

/** Whom an ε protects: one row, or one patient with all their rows of a table. */
export const unitSchema = z
  .enum(["row", "patient"])
  .describe("The unit of privacy that every ε here is counted for: one row, or one patient with all rows.");

/** A cost as ε at a δ, for a unit. */
const epsilonCost = {
  epsilon: z.number().nullable().describe("Null where nothing is proven."),
  delta: z.number(),
  unit: unitSchema,
  claimedEpsilon: z.number().nullable().describe("What the method's authors claim, where nothing is proven."),
};
const epsilonCostSchema = z.object(epsilonCost).meta({ id: "EpsilonCost" });
export type EpsilonCost = z.output<typeof epsilonCostSchema>;

export const populationSchema = z
  .object({
    name: z.string(),
    tables: z.array(z.string()).readonly(),
    delta: z.number(),
    unit: unitSchema,
    limit: z.number().nullable().describe("Null: the hospital sets no limit."),
    spent: z.number().describe("ε of what has left and is proven."),
    reserved: z.number().describe("ε that reservations add to it."),
    remaining: z.number().nullable(),
    unbounded: z
      .int()
      .describe(
        "Releases for which nothing is proven: with any of them, the population has no proven bound in total.",
      ),
    notes: z
      .array(z.string())
      .readonly()
      .describe(
        "What counts otherwise than it was booked, such as earlier spending in another unit; whole sentences.",
      ),
  })
  .meta({ id: "Population", description: "What one population has spent, and has left." });
export type PopulationView = z.output<typeof populationSchema>;

const entryKindSchema = z.enum([
  "open",
  "reserve",
  "ceiling",
  "commit",
  "release",
  "approved",
  "refused",
  "signed",
  "reconcile",
  "checkpoint",
]);
export type EntryKind = z.output<typeof entryKindSchema>;

export const entrySchema = z
  .object({
    sequence: z.int(),
    at: moment,
    kind: entryKindSchema,
    populations: z.array(z.string()).readonly(),
    study: z.string().nullable(),
    stages: z.array(z.string()).readonly().describe("Stages with their attempts."),
    cost: epsilonCostSchema
      .nullable()
      .describe(
        "Of a reservation, a commitment or a reconciliation; of a ceiling what the study may cost in all; null otherwise.",
      ),
    hash: z.string(),
  })
  .meta({ id: "LedgerEntry" });
export type EntryView = z.output<typeof entrySchema>;

const behindSchema = z
  .object({
    sequence: z.int().describe("Of the head."),
    isKnown: z
      .boolean()
      .describe(
        "Whether this hospital has kept what was spent up to the head; if not, a person has to declare what was lost.",
      ),
    lost: z
      .array(z.object({ population: z.string(), ...epsilonCost, unbounded: z.int() }))
      .readonly()
      .describe("What a reconciliation charges to each population; empty where it is not known."),
  })
  .meta({ id: "LedgerBehind", description: "What a kept head of the ledger proves to be missing from it." });
export type BehindView = z.output<typeof behindSchema>;

export const ledgerSchema = z
  .object({
    federation: z.string(),
    site: z.string(),
    head: z.object({ sequence: z.int(), hash: z.string() }),
    behind: behindSchema.nullable().describe("Null when nothing is missing."),
    populations: z.array(populationSchema).readonly(),
    entries: z.array(entrySchema).readonly(),
  })
  .meta({ id: "Ledger" });
export type LedgerView = z.output<typeof ledgerSchema>;

/**
 * - `held`: the ledger has that entry.
 * - `reconciled`: the entry was lost with a newer copy, and what it had spent was charged by a reconciliation since.
 * - `missing`: this is an older copy, or another ledger.
 */
const anchorStateSchema = z.enum(["held", "reconciled", "missing"]);

const archiveFileSchema = {
  name: z.string(),
  from: z.int().describe("Number of its first entry."),
  to: z.int().describe("Number of its last entry."),
  sha256: z.string(),
};
const archiveReportSchema = z
  .object({
    ...archiveFileSchema,
    state: z
      .enum(["verified", "unchanged", "missing"])
      .describe("Unchanged: it has its SHA-256, and an archive between it and the ledger is missing."),
  })
  .meta({ id: "LedgerArchive", description: "A file of entries that were archived." });
export type ArchiveReport = z.output<typeof archiveReportSchema>;

/** Of a compaction, or of one that was only tried. */
export const compactedSchema = z.object({
  dryRun: z.boolean(),
  entries: z.int().describe("How many entries are archived."),
  kept: z.int().describe("How many the ledger has then."),
  archive: z.object({ ...archiveFileSchema, bytes: z.int() }).nullable(),
  checkpoint: z.int().nullable().describe("Number of the checkpoint; null where nothing was done."),
  heldBy: z
    .object({ study: z.string(), isUnderWay: z.boolean() })
    .nullable()
    .describe("The study that keeps further entries before the date in the ledger."),
});
export type CompactedView = z.output<typeof compactedSchema>;

export const ledgerReportSchema = z
  .object({
    federation: z.string(),
    site: z.string(),
    entries: z.int().describe("Verified ones, those in archives included."),
    verifiedFrom: z
      .int()
      .describe("Number of the first verified entry: 1, unless an archive of earlier ones is missing."),
    archives: z.array(archiveReportSchema).readonly().describe("In the order of their entries."),
    head: z.object({ sequence: z.int(), hash: z.string() }),
    keys: z
      .array(z.string())
      .readonly()
      .describe("Fingerprints of every key that it was signed with, the present one last."),
    populations: z
      .array(z.object({ population: z.string(), unit: unitSchema, rho: z.number(), unbounded: z.int() }))
      .readonly()
      .describe("What is committed, by population and unit, as it was booked."),
    anchors: z
      .array(
        z.object({
          from: z.string().describe("Where it was kept, in words."),
          sequence: z.int(),
          hash: z.string(),
          state: anchorStateSchema,
        }),
      )
      .readonly()
      .describe("What was kept of the ledger elsewhere."),
  })
  .meta({ id: "LedgerReport", description: "A ledger that holds." });
export type LedgerReportView = z.output<typeof ledgerReportSchema>;

export const reconciledSchema = z
  .object({
    entries: z.array(z.int()).describe("Of the entries that were charged."),
    abandoned: z.array(z.string()).describe("Studies that ended here."),
    ledger: ledgerSchema,
  })
  .meta({ id: "Reconciled" });

export type ReconciledView = z.output<typeof reconciledSchema>;

export const egressSchema = z
  .object({
    at: moment,
    lastAt: moment.describe("When the last of them was sent."),
    study: z.string().nullable().describe("Null for what is sent whether or not there is a study."),
    step: z.string().describe("The stage or the exchange of the study; empty where there is none."),
    what: z.string(),
    whom: z.string(),
    messages: z.int().describe("How many messages of one day the line stands for."),
    bytes: z.int().describe("Of all of them."),
    sha256: z.string().describe("Of the message as it was sent, or of the content of an upload."),
    isChained: z
      .boolean()
      .describe(
        "Whether the line stands for different messages: then the hash of each further one enters by SHA-256 of the " +
          "line's hash so far, a line feed and the message's hash, both in hexadecimal.",
      ),
    charge: z
      .object({ entry: z.int(), population: z.string(), ...epsilonCost })
      .nullable()
      .describe("What the ledger charged for it; null for what reveals nothing of records."),
  })
  .meta({ id: "Egress", description: "One message that was sent, or several of one day." });
export type EgressView = z.output<typeof egressSchema>;

/** A population's spending over time, for a picture of it. Every ε is rounded up. */
export const ledgerSeriesSchema = z
  .object({
    population: z.string(),
    delta: z.number().describe("At which ε is shown."),
    unit: unitSchema,
    limit: z.number().nullable().describe("Null: the hospital sets no limit."),
    points: z
      .array(
        z.object({
          at: z.iso.datetime(),
          entry: z.int().describe("The ledger's entry after which it stood so."),
          spent: z.number().describe("ε of what has left and is proven."),
          held: z.number().describe("ε of that and of what is reserved."),
          unproved: z.int().describe("Releases for which nothing is proven."),
        }),
      )
      .describe("In the ledger's order; at most some hundreds."),
  })
  .meta({ id: "LedgerSeries" });
export type LedgerSeriesView = z.output<typeof ledgerSeriesSchema>;
