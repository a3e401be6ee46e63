import { z } from "zod";

/**
 * What `consilium site profile --values` shows of a table to the person who asks, on their terminal: texts of cells that a
 * study's levels do not declare. No service sends or stores it.
 */
export const undeclaredValuesSchema = z.object({
  columns: z.array(
    z.object({
      name: z.string().describe("Of the table."),
      values: z
        .array(z.object({ text: z.string(), rows: z.int().min(1) }))
        .describe("The commonest first, of all rows."),
      others: z.int().min(0).describe("Cells with further undeclared values."),
    }),
  ),
});
export type UndeclaredValues = z.output<typeof undeclaredValuesSchema>;
