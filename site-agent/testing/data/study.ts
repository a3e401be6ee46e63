import { unwrap } from "@consilium/core/result";
import { parseStudy, type Study } from "@consilium/methods/testing/studies";

/** A small study over the given columns, for tests of reading. */
export function studyOver(
  features: readonly object[],
  rest: {
    label?: object;
    columns?: readonly object[];
    where?: string;
    maxRowsPerSite?: number;
    patient?: object;
    method?: object;
  } = {},
): Study {
  return unwrap(
    parseStudy({
      name: "reading",
      table: "records",
      ...(rest.method ?? { analysis: "pca", variant: "paper", parameters: { components: 1 } }),
      features,
      label: rest.label,
      columns: rest.columns,
      where: rest.where,
      patient: rest.patient,
      privacy: "none",
      participation: { maxRowsPerSite: rest.maxRowsPerSite ?? 1_000_000 },
    }),
  );
}
