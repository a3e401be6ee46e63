import { ConsiliumError } from "./errors.js";
import { err, ok, type Result } from "./result.js";

/** Bytes per unit. Decimal and binary prefixes mean what IEC 80000-13 says. */
const sizeUnits: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KIB: 2 ** 10,
  MIB: 2 ** 20,
  GIB: 2 ** 30,
  TIB: 2 ** 40,
};

/**
 * Reads a size such as `512KiB`, `2 MiB`, `1.5GB` or `100B`; KB, MB, GB are decimal, KiB, MiB, GiB binary.
 * A bare number is refused, its unit being a guess.
 * @returns whole bytes, 0 or more, at most Number.MAX_SAFE_INTEGER
 */
export function parseSize(text: string): Result<number, ConsiliumError> {
  const invalid = (message: string) =>
    err(
      new ConsiliumError("CONFIG_INVALID", message, {
        remedy: "write a number with its unit: 100B, 512KiB, 2MiB, 1GB",
      }),
    );
  const match = text.length > 40 ? null : /^(\d+(?:\.\d+)?) ?(B|[KMGT]i?B)$/i.exec(text.trim());
  if (!match) return invalid("not a size");
  const bytes = Math.round(Number(match[1]) * sizeUnits[match[2]!.toUpperCase()]!);
  if (bytes > Number.MAX_SAFE_INTEGER) return invalid("the size is too large");
  return ok(bytes);
}
