import { z } from "zod";

/** The ledger and the log of what left, as the hospital's own tools show them. Every ε is rounded against us. */

const moment = z.iso.datetime();

/** A cost as ε at a δ. */
const epsilonCost = {
  /** Null where nothing is proved. */
  epsilon: z.number().nullable(),
  delta: z.number(),
  /** What the method's authors claim, where nothing is proved. */
  claimedEpsilon: z.number().nullable(),
};
export const epsilonCostSchema = z.object(epsilonCost).meta({ id: "EpsilonCost" });
export type EpsilonCost = z.output<typeof epsilonCostSchema>;

/** What one population has spent, and has left. */
export const populationSchema = z
  .object({
    name: z.string(),
    tables: z.array(z.string()).readonly(),
    delta: z.number(),
    /** Null: the hospital sets no limit. */
    limit: z.number().nullable(),
    /** ε of what has left and is proved. */
    spent: z.number(),
    /** ε that reservations add to it. */
    reserved: z.number(),
    remaining: z.number().nullable(),
    /** Releases for which nothing is proved: with any of them, the population has no proved bound in total. */
    unbounded: z.int(),
  })
  .meta({ id: "Population" });
export type PopulationView = z.output<typeof populationSchema>;

export const entryKindSchema = z.enum(["open", "reserve", "commit", "release", "reconcile"]);
export type EntryKind = z.output<typeof entryKindSchema>;

export const entrySchema = z
  .object({
    sequence: z.int(),
    at: moment,
    kind: entryKindSchema,
    populations: z.array(z.string()).readonly(),
    study: z.string().nullable(),
    /** Stages with their attempts. */
    stages: z.array(z.string()).readonly(),
    /** Of a reservation, a commitment or a reconciliation; null where nothing is charged. */
    cost: epsilonCostSchema.nullable(),
    hash: z.string(),
  })
  .meta({ id: "LedgerEntry" });
export type EntryView = z.output<typeof entrySchema>;

/** What a kept head of the ledger proves to be missing from it. */
export const behindSchema = z
  .object({
    /** Of the head. */
    sequence: z.int(),
    /** What a reconciliation charges to each population. */
    lost: z.array(z.object({ population: z.string(), ...epsilonCost, unbounded: z.int() })).readonly(),
  })
  .meta({ id: "LedgerBehind" });
export type BehindView = z.output<typeof behindSchema>;

export const ledgerSchema = z
  .object({
    federation: z.string(),
    site: z.string(),
    head: z.object({ sequence: z.int(), hash: z.string() }),
    /** Null when nothing is missing. */
    behind: behindSchema.nullable(),
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
export const anchorStateSchema = z.enum(["held", "reconciled", "missing"]);

/** A ledger that holds. */
export const ledgerReportSchema = z
  .object({
    federation: z.string(),
    site: z.string(),
    entries: z.int(),
    head: z.object({ sequence: z.int(), hash: z.string() }),
    /** Fingerprints of every key that it was signed with, the present one last. */
    keys: z.array(z.string()).readonly(),
    /** What is committed, by population. */
    populations: z.record(z.string(), z.object({ rho: z.number(), unbounded: z.int() })),
    /** What was kept of the ledger elsewhere. */
    anchors: z
      .array(
        z.object({
          /** Where it was kept, in words. */
          from: z.string(),
          sequence: z.int(),
          hash: z.string(),
          state: anchorStateSchema,
        }),
      )
      .readonly(),
  })
  .meta({ id: "LedgerReport" });
export type LedgerReportView = z.output<typeof ledgerReportSchema>;

export const reconciledSchema = z
  .object({
    /** Of the entries that were charged. */
    entries: z.array(z.int()),
    /** Studies that ended here. */
    abandoned: z.array(z.string()),
    ledger: ledgerSchema,
  })
  .meta({ id: "Reconciled" });
export type ReconciledView = z.output<typeof reconciledSchema>;

/** One thing that left the hospital. */
export const egressSchema = z
  .object({
    at: moment,
    study: z.string(),
    /** The stage or the exchange of the study. */
    step: z.string(),
    what: z.string(),
    whom: z.string(),
    bytes: z.int(),
    sha256: z.string(),
    /** What the ledger charged for it; null for what reveals nothing of records. */
    charge: z.object({ entry: z.int(), population: z.string(), ...epsilonCost }).nullable(),
  })
  .meta({ id: "Egress" });
export type EgressView = z.output<typeof egressSchema>;

/** A population's spending over time, for a picture of it. Every ε is rounded up. */
export const ledgerSeriesSchema = z
  .object({
    population: z.string(),
    /** At which ε is shown. */
    delta: z.number(),
    /** Null: the hospital sets no limit. */
    limit: z.number().nullable(),
    /** In the ledger's order; at most some hundreds. */
    points: z.array(
      z.object({
        at: z.iso.datetime(),
        /** The ledger's entry after which it stood so. */
        entry: z.int(),
        /** ε of what has left and is proved. */
        spent: z.number(),
        /** ε of that and of what is reserved. */
        held: z.number(),
        /** Releases for which nothing is proved. */
        unproved: z.int(),
      }),
    ),
  })
  .meta({ id: "LedgerSeries" });
export type LedgerSeriesView = z.output<typeof ledgerSeriesSchema>;
