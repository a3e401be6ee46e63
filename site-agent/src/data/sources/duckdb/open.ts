import type { Opener } from "../readers.js";
import { QuerySource } from "../shared/querySource.js";
import { duckdbInput } from "./input.js";

export const openDuckDb: Opener = async (config, { limits }) => {
  const options = config.duckdb!;
  const ample = { ...limits, memoryLimitMb: options.memoryMb };
  const source = new QuerySource(config, await duckdbInput(config, options), ample);
  return { format: "duckdb", files: [config.name], source };
};
