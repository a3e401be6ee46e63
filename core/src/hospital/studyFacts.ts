import { z } from "zod";
import { unitSchema } from "./ledgerViews.js";
import { explainedStudySchema } from "./studyViews.js";

/** What the agent says of a study; `explainedStudy.ts` puts it into words where it is shown. */

const count = z.int().min(0);

const populationLimitSchema = z.object({
  name: z.string(),
  budget: z
    .object({ epsilon: z.number(), delta: z.number() })
    .nullable()
    .describe("Null where the hospital sets no limit."),
});
export type PopulationLimit = z.output<typeof populationLimitSchema>;

/** How this hospital charges a study, in its own unit and at its own δ. */
export const chargedUnitSchema = z.object({
  epsilon: z.number().describe("Of all stages together, at the population's δ."),
  delta: z.number().describe("Of the population."),
  unit: unitSchema,
  factor: z.int().describe("How many times the plan's cost is charged."),
  isDeclared: z.boolean().describe("Whether the configuration says what a row is."),
  rowsOfEach: z.int().nullable().describe("Rows of each patient that are used; null where rows are counted."),
});
export type ChargedUnit = z.output<typeof chargedUnitSchema>;

/** What the ledger says of a population before this study: rounded against the hospital. */
const budgetStateSchema = z.object({
  unit: unitSchema,
  spentEpsilon: z
    .number()
    .describe("ε of all that is committed and reserved and whose privacy is proven, at the population's δ."),
  remainingEpsilon: z.number().nullable().describe("Null where the hospital sets no limit."),
  unproved: count.describe("Releases for which nothing is proven."),
  notes: z.array(z.string()).readonly().describe("What counts otherwise than it was booked."),
});
export type BudgetState = z.output<typeof budgetStateSchema>;

const foundTableSchema = z.object({
  rows: count.describe("Rows read, malformed ones not among them."),
  used: count.describe("Rows that the study used."),
  malformed: count.describe("Rows that could not be parsed; at least so many."),
  faults: count.describe("Cells that no rule of the study covers."),
  outside: count.default(0).describe("Rows that the study's `where` leaves out."),
  overBound: count.describe(
    "Rows left out because their patient had as many before them as the study takes.",
  ),
  unsampled: count.describe("Rows left out because the table is longer than the study takes."),
});
export type FoundTableView = z.output<typeof foundTableSchema>;

export const studyFactsSchema = explainedStudySchema
  .omit({
    study: true,
    request: true,
    claim: true,
    leaving: true,
    leavingBytes: true,
    budgetFault: true,
    explanation: true,
  })
  .extend({
    text: z.string().describe("The study as it was offered, canonical JSON; `hash` is its SHA-256."),
    population: populationLimitSchema
      .nullable()
      .describe("Null where no population of the policy has the study's table."),
    chargedUnit: chargedUnitSchema
      .nullable()
      .describe("Null where the study has no unit that this hospital charges."),
    spent: budgetStateSchema.nullable(),
    maxEpsilon: z
      .number()
      .nullable()
      .describe(
        "ε at the population's δ that all attempts together may cost if a person approves now, rounded up; null where nothing is proven, or nobody is asked.",
      ),
    pinned: count.describe("Members that the policy pins; 0: none."),
    isCharged: z.boolean().describe("Whether what is spent or reserved holds this study's own cost already."),
    found: foundTableSchema
      .nullable()
      .describe("What the study's last pass over the table found; null before the first."),
  });
export type StudyFacts = z.output<typeof studyFactsSchema>;

export const decidedFactsSchema = z.object({ study: studyFactsSchema, connected: z.boolean() });
export type DecidedFacts = z.output<typeof decidedFactsSchema>;
