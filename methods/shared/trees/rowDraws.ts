import type { SiteId } from "@consilium/core/ids";
import seedrandom from "seedrandom";
import type { TreeMethodSettings } from "./treeMethod.js";

/**
 * Whether a tree is grown of each next row of a site's table, in the table's order. Reproducible from the study's public
 * seed, the tree and the site's id, so that each stage of the tree draws the same again. Null where it is grown of all rows.
 */
export function rowDraws(
  { seed, subsample }: TreeMethodSettings,
  tree: number,
  site: SiteId,
): (() => boolean) | null {
  if (subsample === 1) return null;
  const generator = seedrandom(`${seed} rows ${tree + 1} ${site}`);
  return () => generator.double() < subsample;
}
