import type { Opener } from "../readers.js";

export const openOmop: Opener = async (config, opening) => {
  const options = config.omop!;
  if (options.spark !== undefined) return (await import("../spark/open.js")).openSpark(config, opening);
  const { omopSource } = await import("./source.js");
  const source = await omopSource(config, options, opening.study, opening.limits);
  return { format: "omop", files: [config.name], source };
};
