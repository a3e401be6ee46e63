import { canonicalJson } from "../canonicalJson.js";
import type { Sha256 } from "../ids.js";
import type { ReleaseContent } from "./content.js";
import { drawsHash } from "./publishedSums.js";

/** What of a release was found, rather than said of it. */
const found = [
  "software",
  "model",
  "facts",
  "predictor",
  "curves",
  "tables",
  "figures",
  "columns",
  "finding",
  "counted",
  "flow",
  "missing",
  "card",
  "notes",
  "sums",
] as const;

/** As much of a release's content as its result is made of. */
export type ReleaseResult = Pick<ReleaseContent, (typeof found)[number] | "rows" | "draws">;

/**
 * The one text of result.json: what the aggregator made of the hospitals' sums, and what everything else in a release is made of. Its
 * hash is in the statement that the hospitals sign.
 * @param rows - SHA-256 of the rows as deposited, row by row: each number column as float64, each level column as a 16-bit index,
 *   little-endian; null of a release without columns
 */
export function resultText(content: ReleaseResult, rows: Sha256 | null): string {
  const parts = Object.fromEntries(found.map((name) => [name, content[name]]));
  return canonicalJson({
    format: "consilium-result/1",
    ...parts,
    ...(content.draws === undefined ? {} : { draws: drawsHash(content.draws) }),
    rows: rows === null ? null : { count: content.rows, sha256: rows },
  });
}
