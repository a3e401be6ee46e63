const units = ["bytes", "kB", "MB", "GB", "TB"];

/** `1.2 MB`, in powers of 1000. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** `3 min 20 s`: the two largest units. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const parts: readonly [number, string][] = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3_600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return "0 s";
  return parts
    .slice(first, first + 2)
    .filter(([count], index) => index === 0 || count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
}

/** `3 min`: the largest unit alone. */
export function formatAge(ms: number): string {
  return formatDuration(ms).split(" ").slice(0, 2).join(" ");
}

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** In the reader's own time zone. */
export function formatMoment(iso: string): string {
  return moment.format(new Date(iso));
}

/** Up to four significant figures, without an exponent for everyday sizes. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : String(value);
  return Math.abs(value) >= 10_000
    ? Math.round(value).toLocaleString("en-GB")
    : String(Number(value.toPrecision(4)));
}
