import { availableParallelism } from "node:os";
import type { EnginesConfig } from "./engineConfig.js";
import type { Engines } from "./engines.js";

/** Below, the agent is about as fast by itself as with workers: its DuckDB uses a second core. */
export const coresLeast = 4;

/** The engines of a site; null where the agent computes every table by itself: then no code of theirs is loaded. */
export async function configuredEngines(config: EnginesConfig): Promise<Engines | null> {
  if (Object.keys(config).length === 0 && availableParallelism() < coresLeast) return null;
  return new (await import("./engines.js")).Engines(config);
}
