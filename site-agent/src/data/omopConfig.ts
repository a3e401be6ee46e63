import { resolve } from "node:path";
import { omopSchemaPattern } from "@consilium/core/omop/compile";
import { z } from "zod";
import { postgresPlace, resolvePostgresPlace } from "./databaseConfig.js";

const schemaName = z
  .string()
  .max(257)
  .regex(
    omopSchemaPattern,
    "a schema's name holds letters, digits, _ and $; a catalogue's may stand before it",
  );

/** A table that studies with a feature plan make of the hospital's OMOP CDM 5.4: one row per person. */
export const omopOptions = z
  .strictObject({
    /**
     * A folder with the CDM's tables as CSV or Parquet files, or as folders of such; relative to the configuration
     * file. It belongs to the table as a whole.
     */
    files: z
      .string()
      .min(1, "a path is needed")
      .max(1_000)
      .refine((path) => !path.includes("\0"), "a path holds no NUL character")
      .optional(),
    postgres: z.strictObject(postgresPlace).optional(),
    /** Where the CDM's tables are in the database; left out, where the connection's user looks first. */
    schema: schemaName.optional(),
    /** Where CONCEPT_ANCESTOR is, if not in `schema`. */
    vocabularySchema: schemaName.optional(),
  })
  .superRefine(({ files, postgres, schema, vocabularySchema }, context) => {
    const places = [files, postgres].filter((place) => place !== undefined);
    if (places.length !== 1) {
      const message = "name one place: files or postgres";
      context.addIssue({ code: "custom", path: [], message });
    }
    if (files !== undefined && (schema !== undefined || vocabularySchema !== undefined))
      context.addIssue({ code: "custom", path: ["schema"], message: "only for a database, not for files" });
  });

export type OmopOptions = z.output<typeof omopOptions>;

export function resolveOmop(options: OmopOptions, folder: string): OmopOptions {
  const { files, postgres } = options;
  return {
    ...options,
    ...(files !== undefined && { files: resolve(folder, files) }),
    ...(postgres !== undefined && { postgres: resolvePostgresPlace(postgres, folder) }),
  };
}
