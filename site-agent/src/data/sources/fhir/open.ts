import type { Opener } from "../readers.js";
import { QuerySource } from "../shared/querySource.js";
import { fhirInput } from "./input.js";

export const openFhir: Opener = async (config, { limits }) => {
  const options = config.fhir!;
  const ample = { ...limits, memoryLimitMb: options.memoryMb };
  const source = new QuerySource(config, await fhirInput(config, options), ample);
  return { format: "fhir", files: [config.name], source };
};
