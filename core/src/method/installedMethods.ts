import { ifInstalled } from "./ifInstalled.js";
import type { Method } from "./method.js";
import { Methods } from "./methods.js";

/**
 * All methods, looked for once; where methods-paper was left out, as in an image of a hospital that wants it so, the proven ones
 * alone.
 * @param published - imports the registry of methods-paper
 */
export function installedMethods(
  sound: readonly Method[],
  published: () => Promise<{ readonly paperMethods: readonly Method[] }>,
): () => Promise<Methods> {
  let known: Promise<Methods> | null = null;
  return () => {
    known ??= ifInstalled(published).then((found) => new Methods([...sound, ...(found?.paperMethods ?? [])]));
    return known;
  };
}
