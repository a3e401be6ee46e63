import { z } from "zod";
import { maxColumnNameLength } from "../limits.js";
import { freeText } from "../study/features.js";
import { isIsoDay } from "./isoDay.js";

/**
 * A study's features as OMOP CDM 5.4 has them: which persons, and per column what of a person's record. A hospital whose
 * table is an OMOP database compiles the plan to SQL itself (`compile.ts`). Numbers, dates and words of fixed lists are all
 * that enters the SQL: names and texts of a study are shown to people and never reach a database.
 */

/** The column that says whose row it is, in every table that a plan makes. */
export const personColumn = "person_id";

export const omopDomains = ["condition", "drug", "measurement", "procedure", "observation", "visit"] as const;
export type OmopDomain = (typeof omopDomains)[number];

/** A concept's number: a positive integer of 32 bits in every DDL of the CDM. 0 means "no matching concept". */
const conceptId = z
  .int("a concept's number is a whole number")
  .min(1, "at least 1: concept 0 means that a code has no concept")
  .max(2_147_483_647, "at most 2147483647");

const conceptItem = z.strictObject({
  concept: conceptId.describe("The concept's number in the vocabulary."),
  name: freeText(200).optional().describe("What the concept is called, for people alone."),
  descendants: z
    .boolean()
    .default(true)
    .describe("Whether the concepts below it in CONCEPT_ANCESTOR count too."),
  excluded: z.boolean().default(false).describe("Taken out of the set, with its descendants if so stated."),
});

/** Oracle takes at most 1000 expressions in a list. */
const conceptsMost = 1000;

const conceptSet = z
  .array(conceptItem)
  .min(1, "a concept set needs a concept")
  .max(conceptsMost, `at most ${conceptsMost} concepts; name a common ancestor`)
  .refine((items) => items.some(({ excluded }) => !excluded), "excludes every concept that it names");

const setName = z
  .string()
  .max(64, "a concept set's name has at most 64 characters")
  .regex(/^[a-z][a-z0-9-]*$/, "a concept set's name begins with a letter and holds a-z, 0-9 and hyphens");

/** A century either way is longer than any record. */
const daysMost = 36_525;
const day = z.int("a whole number of days").min(-daysMost).max(daysMost);
const days = z
  .tuple([day, day])
  .refine(([from, to]) => from <= to, "the first day comes after the last: write [from, to]")
  .describe(
    "First and last day of the window, counted from the index date; both belong to it. -1 is the day before.",
  );

const isoDate = z.string().max(10).refine(isIsoDay, "a date as 2020-12-31, from 1900-01-01 to 2199-12-31");

const events = {
  domain: z
    .enum(omopDomains, `one of: ${omopDomains.join(", ")}`)
    .describe("The kind of event, and so the table of the CDM that is read."),
  concepts: setName.describe("The concept set that the events are of."),
};

const name = z
  .string()
  .min(1)
  .max(maxColumnNameLength)
  .describe("The feature, or the label, that this gives.");

const columnPlan = z.discriminatedUnion(
  "value",
  [
    z.strictObject({ name, value: z.literal("age") }),
    z.strictObject({ name, value: z.literal("sex") }),
    z.strictObject({ name, value: z.literal("any"), ...events, days }),
    z.strictObject({ name, value: z.literal("count"), ...events, days }),
    z.strictObject({ name, value: z.literal("days-to"), ...events, days }),
    z.strictObject({
      name,
      value: z.literal("last"),
      domain: z
        .enum(["measurement", "observation"], "one of: measurement, observation; no other has values")
        .describe("The kind of event whose newest value is taken."),
      concepts: events.concepts,
      unit: z
        .union([conceptId, z.literal("any")], "a unit's concept number, or any")
        .describe("Only values in this unit are used; `any` takes each value as it is."),
      days,
    }),
  ],
  { error: "value must be one of: age, sex, any, count, days-to, last" },
);

const index = z
  .strictObject({
    ...events,
    occurrence: z
      .enum(["first", "last"])
      .default("first")
      .describe("Which of a person's events is the index."),
    from: isoDate.optional().describe("Events before this date are no index."),
    to: isoDate.optional().describe("Events after this date are no index."),
    observed: z
      .strictObject({
        daysBefore: z.int().min(0).max(daysMost).default(0).describe("Days before the index date."),
        daysAfter: z.int().min(0).max(daysMost).default(0).describe("Days after it."),
      })
      .optional()
      .describe("Only persons whom one observation period covers for so long around the index date."),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    path: ["to"],
    message: "lies before `from`",
  });

export const omopPlanSchema = z
  .strictObject({
    cdm: z.literal("5.4", "the version of the common data model: 5.4"),
    conceptSets: z
      .record(setName, conceptSet)
      .refine((sets) => Object.keys(sets).length <= 500, "at most 500 concept sets")
      .describe("Sets of concepts by name, which the index and the columns refer to."),
    index: index.describe("The event that brings a person into the table and dates the windows."),
    columns: z
      .array(columnPlan)
      .min(1, "plan at least one column")
      .max(1000, "at most 1000 columns")
      .describe("Each feature, and the label, with what of a person's record it is."),
  })
  .describe("How sites whose table is an OMOP database compute the columns, one row per person.");

export type OmopPlan = z.output<typeof omopPlanSchema>;
export type OmopColumn = OmopPlan["columns"][number];
export type ConceptSet = z.output<typeof conceptSet>;
