import type { Opener } from "../readers.js";
import { SparkSource } from "./source.js";

export const openSpark: Opener = async (config, { study }) => {
  const format = config.omop === undefined ? "spark" : "omop";
  return { format, files: [config.name], source: new SparkSource(config, study) };
};
