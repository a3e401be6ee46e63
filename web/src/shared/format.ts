import { type Bounded, decimalsOf, roundedTo } from "@consilium/words/rounding";
import { decimal, locale, type PlainMessage, t } from "./language";

const units: readonly PlainMessage[] = ["bytes", "kB", "MB", "GB", "TB"];

/** `1.2 MB`, in powers of 1000. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  const number = unit === 0 || value >= 100 ? String(Math.round(value)) : decimal(value.toFixed(1));
  return `${number} ${t(units[unit]!)}`;
}

/** @param most - of the largest units */
function durationParts(ms: number, most: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const parts: readonly [number, string][] = [
    [Math.floor(seconds / 86_400), t("d")],
    [Math.floor(seconds / 3_600) % 24, t("h")],
    [Math.floor(seconds / 60) % 60, t("min")],
    [seconds % 60, t("s")],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  return (first === -1 ? parts.slice(-1) : parts.slice(first, first + most))
    .filter(([count], index) => index === 0 || count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
}

/** `3 min 20 s`: the two largest units. */
export function formatDuration(ms: number): string {
  return durationParts(ms, 2);
}

/** `3 min`: the largest unit alone. */
export function formatAge(ms: number): string {
  return durationParts(ms, 1);
}

/** In the reader's own time zone, to the minute or the second. */
export function formatMoment(iso: string, timeStyle: "short" | "medium" = "short"): string {
  return new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeStyle }).format(new Date(iso));
}

/** Up to four significant figures, without an exponent for everyday sizes. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : String(value);
  if (Math.abs(value) >= 1e12) return decimal(Number(value.toPrecision(4)).toExponential());
  return Math.abs(value) >= 10_000
    ? Math.round(value).toLocaleString(locale())
    : decimal(String(Number(value.toPrecision(4))));
}

/** A number with the decimals that an interval bears. */
export function formatWithin(value: number, interval: Bounded): string {
  const decimals = decimalsOf(interval);
  const digits = Math.max(0, decimals);
  if (!Number.isFinite(value) || Math.abs(value) >= 1e12) return formatNumber(value);
  return roundedTo(value, decimals).toLocaleString(locale(), {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** ε to three significant figures, rounded up: a page never shows less than what is spent. */
export function formatEpsilon(epsilon: number): string {
  if (!Number.isFinite(epsilon) || epsilon <= 0) return formatNumber(epsilon);
  const step = 10 ** (Math.floor(Math.log10(epsilon)) - 2);
  // What is a three-figure number already stays it, whatever the division does to its last bit.
  return formatNumber(Number((Math.ceil(epsilon / step - 1e-9) * step).toPrecision(3)));
}

/** δ in one form on every page: `1e-6`, and decimal from a thousandth. */
export function formatDelta(delta: number): string {
  return decimal(delta !== 0 && delta < 1e-3 ? delta.toExponential() : String(delta));
}
