import { resolve } from "node:path";
import { tableOfFiles } from "../../fileConfig.js";
import { databases } from "../registry.js";
import { databaseId, filesOfPlace, namedDatabase, resolvePlace } from "../shared/databaseConfig.js";
import type { SourceKind } from "../sourceKind.js";
import { onSpark } from "../spark/kind.js";
import { type OmopOptions, omopOptions } from "./config.js";

/** The hospital's OMOP CDM: studies say by a feature plan what they read of it. */
export const omop: SourceKind<OmopOptions> = {
  entry: omopOptions,
  resolve(options, folder) {
    const found = namedDatabase(options);
    if (found !== null)
      return { ...options, [found.name]: resolvePlace(found.place, databases[found.name], folder) };
    return options.files === undefined ? options : { ...options, files: resolve(folder, options.files) };
  },
  files: (options, { name }) =>
    options.files === undefined ? [] : [{ ...tableOfFiles(name, { path: options.files }), omop: options }],
  beside(options) {
    const found = namedDatabase(options);
    return found === null ? [] : filesOfPlace(found.place, databases[found.name]);
  },
  elsewhere(options) {
    const found = namedDatabase(options);
    if (found !== null) return databaseId(found.place, found.name);
    return options.spark === undefined
      ? null
      : onSpark(options.spark === "catalog" ? undefined : options.spark);
  },
};
