import { tableOfFiles } from "../../fileConfig.js";
import { type FhirOptions, fhirOptions, resolveFhir } from "../shared/queryTableConfig.js";
import type { SourceKind } from "../sourceKind.js";

const pathsOf = ({ folder, files }: FhirOptions) =>
  folder === undefined ? Object.values(files ?? {}) : [folder];

/** Views of a FHIR bulk export. */
export const fhir: SourceKind<FhirOptions> = {
  entry: fhirOptions,
  resolve: resolveFhir,
  files: (options, { name }) => pathsOf(options).map((path) => tableOfFiles(name, { path, format: "jsonl" })),
  beside: ({ views }) => Object.values(views).filter((view) => typeof view === "string"),
  elsewhere: () => null,
};
