import { resolve } from "node:path";
import { filePath } from "../../fileConfig.js";
import type { SourceKind } from "../sourceKind.js";

/** Files of one format. */
export const path: SourceKind<string> = {
  entry: filePath,
  resolve: (value, folder) => resolve(folder, value),
  files: (_, config) => [config],
  beside: () => [],
  elsewhere: () => null,
};
