import type { EnginesConfig } from "./engineConfig.js";
import type { Engines } from "./engines.js";
import { thisMachine, usualWorkers } from "./usual.js";

/** The engines of a configuration; null where it names none and the agent computes every table: then no code of theirs is loaded. */
export async function configuredEngines(config: EnginesConfig): Promise<Engines | null> {
  if (Object.keys(config).length === 0 && usualWorkers(thisMachine()) === 0) return null;
  const loaded = await import("./engines.js");
  return new loaded.Engines(config);
}
