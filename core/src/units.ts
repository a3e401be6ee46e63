import { ConsiliumError } from "./errors.js";
import { err, ok, type Result } from "./result.js";

/** Milliseconds per unit, largest first: the order in which a duration may be composed. */
const durationUnits = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
] as const;

const textMaxLength = 40;

function invalid(message: string, remedy: string): Result<number, ConsiliumError> {
  return err(new ConsiliumError("CONFIG_INVALID", message, { remedy }));
}

/**
 * Reads a duration such as `30s`, `10m`, `1h30m` or `2.5s`: numbers with the units d, h, m, s, ms, each at most
 * once and largest first; only the last may have a fraction. A bare number is refused, its unit being a guess.
 * @returns whole milliseconds, 0 or more, at most Number.MAX_SAFE_INTEGER
 */
export function parseDuration(text: string): Result<number, ConsiliumError> {
  const remedy = "write a number with its unit: 500ms, 30s, 10m, 2h, 1d, or combined as 1h30m";
  const match =
    text.length > textMaxLength
      ? null
      : /^(?:(\d+(?:\.\d+)?)d)?(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?$/.exec(
          text.trim(),
        );
  const parts = match?.slice(1) ?? [];
  const last = parts.findLastIndex((part) => part !== undefined);
  if (last < 0) return invalid("not a duration", remedy);
  let ms = 0;
  for (const [index, part] of parts.entries()) {
    if (part === undefined) continue;
    if (index < last && part.includes(".")) {
      return invalid("a duration's fraction must stand in its last part", remedy);
    }
    ms += Number(part) * durationUnits[index]![1];
  }
  if (ms > Number.MAX_SAFE_INTEGER) return invalid("the duration is too long", remedy);
  return ok(Math.round(ms));
}

/**
 * Writes a duration for people with its two largest units, rounded down: `1h30m`, `2m5s`, `450ms`, `0s`.
 * What `parseDuration` reads back is at most one of the smaller unit less.
 * @param ms - milliseconds, 0 or more
 * @throws RangeError if `ms` is negative or not finite
 */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) throw new RangeError("a duration must be finite and not negative");
  let rest = Math.floor(ms);
  const parts: string[] = [];
  const first = durationUnits.findIndex(([, size]) => rest >= size);
  if (first < 0) return "0s";
  for (const [unit, size] of durationUnits.slice(first, first + 2)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count}${unit}`);
  }
  return parts.join("");
}

/**
 * Writes a size for people in binary units with at most one decimal: `512 B`, `1.5 MiB`, `2 GiB`.
 * @param bytes - 0 or more
 * @throws RangeError if `bytes` is negative or not finite
 */
export function formatBytes(bytes: number): string {
  if (!Number.isFinite(bytes) || bytes < 0) throw new RangeError("a size must be finite and not negative");
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  let rounded = unit === 0 ? Math.round(value) : Math.round(value * 10) / 10;
  if (rounded >= 1024 && unit < units.length - 1) {
    rounded = 1;
    unit++;
  }
  return `${rounded} ${units[unit]}`;
}
