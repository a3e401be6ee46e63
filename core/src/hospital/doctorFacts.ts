import { z } from "zod";
import { expelledListSchema } from "./statusViews.js";

/** What the agent says of itself for the doctor; `runtime/src/doctor/site.ts` judges it where it is shown. */

const count = z.int().min(0);
const faultSchema = z.object({ message: z.string(), remedy: z.string() });

const diskFactsSchema = z.union([
  z.object({
    mode: count.describe("Permission bits, such as 0o600."),
    type: count.describe("Number of the file system's kind, as statfs(2) has it."),
    freeBytes: z.number(),
    writeFault: z.string().nullable().describe("The system's code where nothing can be written."),
  }),
  z.object({
    absence: z.string().describe("The system's code where it cannot be opened; `ENOTDIR`: it is no folder."),
  }),
]);
export type DiskFacts = z.output<typeof diskFactsSchema>;

const policyFactsSchema = z.object({
  path: z.string(),
  isAbsent: z.boolean(),
  fault: faultSchema.nullable(),
  homeless: z.array(z.string()).describe("Tables that no population has."),
  undeclared: z.array(z.string()).describe("Tables of which the configuration does not say what a row is."),
});
export type PolicyFacts = z.output<typeof policyFactsSchema>;

const tableFactsSchema = z.object({
  name: z.string(),
  place: z.string().describe("Where its rows are, without a query."),
  format: z.string(),
  files: count,
  columns: count,
  empty: count.describe("Files without a column."),
  studies: z.array(z.string()).describe("Names of the studies that it was held against."),
  engine: z
    .object({ name: z.string(), workers: count.nullable() })
    .nullable()
    .describe(
      "What computes stages over it, with how many workers: null for a cluster. Null for the agent itself.",
    ),
  memory: z
    .object({
      needs: count
        .nullable()
        .describe("Of its blocks, as its last study read them; null before it was read."),
      holds: count.describe("Of all tables together, at most."),
      memory: count.describe("Of the machine, or of the control group that limits the agent."),
    })
    .nullable()
    .describe("Bytes. Null where every stage reads it anew: a table of an engine, a database or a cluster."),
  findings: z
    .array(z.string())
    .describe("Sentences by their codes: what the table check finds in the first rows of a table of files."),
  fault: faultSchema.nullable(),
});
export type TableFacts = z.output<typeof tableFactsSchema>;

const strangerSchema = z.object({ table: z.string(), studies: z.array(z.string()) });
/** A table that studies ask for and the site does not have. */
export type StrangeTable = z.output<typeof strangerSchema>;

export const doctorFactsSchema = z.object({
  checkedAt: z.iso.datetime(),
  software: z.string(),
  machine: z.string().describe("Its name, for the network team."),
  aggregator: z.string(),
  configuration: z.object({ path: z.string(), fault: faultSchema.nullable() }),
  identity: z.object({
    federation: z.string(),
    role: z.enum(["site", "aggregator", "publisher"]),
    id: z.string(),
    notAfter: z.number(),
    renewAtMs: z.number(),
  }),
  stateFolder: z.string(),
  disk: diskFactsSchema,
  proxy: z
    .object({ host: z.string(), port: count, source: z.string(), hasCredentials: z.boolean() })
    .nullable(),
  connection: z.object({
    connected: z.boolean(),
    connectedSince: z.iso.datetime().nullable(),
    aggregatorSoftware: z.string().nullable(),
    lastFault: z
      .object({
        code: z.string(),
        message: z.string(),
        route: z
          .object({
            stage: z.string(),
            reason: z.string(),
            detail: z.string().nullable(),
            remedy: z.string(),
          })
          .nullable()
          .describe("Where on the network path to the aggregator the last attempt to connect failed."),
      })
      .nullable(),
    expelledList: expelledListSchema.nullable(),
  }),
  policy: policyFactsSchema,
  tablesApart: z.boolean().describe("Whether another user than the agent's reads the tables."),
  tables: z.array(tableFactsSchema),
  strangers: z.array(strangerSchema),
});
export type DoctorFacts = z.output<typeof doctorFactsSchema>;
