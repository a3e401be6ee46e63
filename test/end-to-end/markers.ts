import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

/**
 * Values that stand in the records of test tables and nowhere else. Found anywhere outside a hospital's own table,
 * they show that a record's value got out.
 */
export const markerNumbers = [987654.321, 876543.212] as const;
export const markerTexts = ["SECRETVALUE", "GEHEIMWERT"] as const;

/** Every form in which a marker may lie in a text or a binary file. */
const needles: readonly Buffer[] = [
  ...markerTexts.flatMap((text) => [Buffer.from(text), Buffer.from(text.toLowerCase())]),
  ...markerTexts.map((text) => Buffer.from(text, "utf16le")),
  ...markerTexts.flatMap((text) => base64Forms(text)),
  ...markerNumbers.flatMap((value) => {
    const little = Buffer.alloc(8);
    little.writeDoubleLE(value);
    const big = Buffer.alloc(8);
    big.writeDoubleBE(value);
    const digits = String(value);
    // Truncated or rounded, or as a parser may print it.
    return [Buffer.from(digits.slice(0, 8)), Buffer.from(value.toExponential().slice(0, 8)), little, big];
  }),
];

/** The part of a text's base64 that is the same wherever the text begins in what is encoded. */
function base64Forms(text: string): Buffer[] {
  return [0, 1, 2].map((shift) => {
    const encoded = Buffer.from(" ".repeat(shift) + text)
      .toString("base64")
      .replace(/=+$/, "");
    return Buffer.from(encoded.slice(shift === 0 ? 0 : 4, -2));
  });
}

/** Names of the places where a marker stands. */
export function findMarkers(places: ReadonlyMap<string, Buffer | string>): string[] {
  const found: string[] = [];
  for (const [name, content] of places) {
    const bytes = Buffer.isBuffer(content) ? content : Buffer.from(content);
    if (needles.some((needle) => bytes.includes(needle))) found.push(name);
  }
  return found;
}

/** Every file below a folder, by its path; sockets are left out. */
export async function filesBelow(folder: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const entry of await readdir(folder, { recursive: true })) {
    const path = join(folder, entry);
    const found = await stat(path).catch(() => null);
    if (found?.isFile()) files.set(path, await readFile(path));
  }
  return files;
}
