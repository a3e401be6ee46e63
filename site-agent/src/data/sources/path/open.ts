import { findFiles } from "../../files.js";
import { formatReaders, type Opener } from "../readers.js";

export const openFiles: Opener = async (config, { limits }) => {
  const found = await findFiles(config);
  return { ...found, source: await formatReaders[found.format](config, limits) };
};
