import type { labelSchema } from "@consilium/core/study/features";
import type { Study } from "@consilium/core/study/study";
import type { z } from "zod";

/** A study of a method that needs a label. */
export type LabelledStudy = Study & { readonly label: z.output<typeof labelSchema> };
