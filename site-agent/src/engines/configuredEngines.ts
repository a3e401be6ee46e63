import type { EnginesConfig } from "./engineConfig.js";
import type { Engines } from "./engines.js";

/** The engines of a configuration; null where it names none: then no code of theirs is loaded. */
export async function configuredEngines(config: EnginesConfig): Promise<Engines | null> {
  if (Object.keys(config).length === 0) return null;
  const loaded = await import("./engines.js");
  return new loaded.Engines(config);
}
