import { omopSchemaPattern } from "@consilium/core/omop/schemaName";
import { z } from "zod";
import { sparkPlace } from "../../../engines/spark/sparkConfig.js";
import { filePath } from "../../fileConfig.js";
import { databaseNames, databasePlaces } from "../shared/databaseConfig.js";

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
    files: filePath.optional(),
    ...databasePlaces,
    /** On the cluster of the table's engine: in its catalogue, or a folder with the CDM's tables as folders of Parquet files. */
    spark: z.union([z.literal("catalog"), sparkPlace]).optional(),
    /** Where the CDM's tables are in the database; left out, where the connection's user looks first. */
    schema: schemaName.optional(),
    /** Where CONCEPT_ANCESTOR is, if not in `schema`. */
    vocabularySchema: schemaName.optional(),
  })
  .superRefine((omop, context) => {
    const places = [omop.files, omop.spark, ...databaseNames.map((name) => omop[name])];
    if (places.filter((place) => place !== undefined).length !== 1) {
      const message = `name one place: files, spark, ${databaseNames.join(" or ")}`;
      context.addIssue({ code: "custom", path: [], message });
    }
    const hasSchema = omop.schema !== undefined || omop.vocabularySchema !== undefined;
    if ((omop.files ?? (omop.spark !== "catalog" && omop.spark)) && hasSchema)
      context.addIssue({ code: "custom", path: ["schema"], message: "only for a database, not for files" });
  });

export type OmopOptions = z.output<typeof omopOptions>;
