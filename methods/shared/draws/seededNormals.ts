import seedrandom from "seedrandom";
import { normalStream } from "./gaussian.js";

/**
 * Standard normals that everybody who knows the seed can draw again (`seedrandom`, ARC4). For what is public anyway:
 * synthetic rows, the directions that power iteration begins with. Never where randomness protects.
 */
export function seededNormals(seed: string): () => number {
  const generator = seedrandom(seed);
  return normalStream(() => generator.double());
}
