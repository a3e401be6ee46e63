import { isoDay } from "@consilium/core/study/dates";

/** How hospitals write dates; a date in ISO 8601 is understood beside each of them, for it can be taken for no other. */

const dayMs = 86_400_000;
/** Days from 1970-01-01 to the day that counts as 0. */
const firstDays: ReadonlyMap<string, number> = new Map([
  ["excel-days", -25_569],
  ["sas-days", -3653],
]);
const unixMs: ReadonlyMap<string, number> = new Map([
  ["unix-seconds", 1000],
  ["unix-milliseconds", 1],
]);

/** A time of day is left off: a date is the calendar's where it was written down. */
const time = String.raw`(?:(?:[T :,]|\. )[ T]?\d[0-9:.,+\-Z ]*(?:[AaPp][Mm])?)?`;
const parts: Readonly<Record<string, string>> = {
  YYYY: String.raw`(?<year>\d{4})`,
  YY: String.raw`(?<year>\d\d)`,
  MM: String.raw`(?<month>\d\d?)`,
  DD: String.raw`(?<day>\d\d?)`,
  MON: String.raw`(?<name>\p{L}{3,9})`,
};
const instant = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?) ?(Z|[+-]\d\d(?::?\d\d)?)$/;

const isoWithTime = new RegExp(String.raw`^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)${time}$`);
const patterns = new Map<string, RegExp>([
  [
    "YYYYMMDD",
    /^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)(?:[T ]?\d{2,6}(?:[.,]\d+)?(?:[+-]\d{4})?|[T ].*)?$/,
  ],
]);

function patternOf(format: string): RegExp {
  const pattern = format
    .split(/([A-Z]+)/)
    .map(
      (part) =>
        parts[part] ??
        (format.includes("MON") && part !== "" ? "(?:[-./, ]{1,2})?" : part.replace(".", "\\.")),
    );
  return new RegExp(`^${pattern.join("")}${time}$`, "u");
}

/**
 * @param zone - of the hospital: the day on which an instant, a time that says its offset, falls there. Left out: the day that is written
 * @returns days since 1970-01-01, negative before; null for text that is no day of the Gregorian calendar from year 1 on
 */
export function dayOf(text: string, format: string, zone?: string): number | null {
  const at = zone === undefined ? null : instant.exec(text);
  if (at !== null) {
    const offset = at[3] === "Z" ? "Z" : `${at[3]!.replace(/^(...)(?::?(..))?$/, "$1:$2").padEnd(6, "00")}`;
    return dayAt(Date.parse(`${at[1]}T${at[2]!.replace(",", ".")}${offset}`), zone);
  }
  const iso = isoWithTime.exec(text);
  if (iso !== null) return dayIn(iso);
  const [first, ms] = [firstDays.get(format), unixMs.get(format)];
  if (first !== undefined || ms !== undefined) {
    const number = /^-?\d{1,16}(?:\.\d*)?$/.test(text) ? Number(text) : Number.NaN;
    if (first === undefined) return dayAt(number * ms!, zone);
    // Excel counts 29 February 1900, which there never was.
    return whole(number + first + (format === "excel-days" && number < 60 ? 1 : 0));
  }
  const pattern = patterns.get(format) ?? patternOf(format);
  patterns.set(format, pattern);
  const found = pattern.exec(text);
  return found === null ? null : dayIn(found);
}

const whole = (days: number) => (Math.abs(days) < 1e8 ? Math.floor(days) : null);

/** The day of an instant, in UTC where no zone is stated. */
function dayAt(ms: number, zone = "UTC"): number | null {
  if (!(Math.abs(ms) < 8.64e15)) return null;
  return whole((ms + offsetOf(zone, ms)) / dayMs);
}

const offsets = new Map<string, number>();
const offsetsMax = 100_000;
/** Offsets of zones change at such minutes alone. */
const stepMs = 900_000;

/** Milliseconds by which a zone's clocks are ahead of UTC. */
function offsetOf(zone: string, ms: number): number {
  if (zone === "UTC") return 0;
  const step = Math.floor(ms / stepMs) * stepMs;
  const key = `${zone} ${step}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
  const name = format.formatToParts(step).find(({ type }) => type === "timeZoneName")!.value;
  const [, sign, hours = 0, minutes = 0] = /([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  const offset = (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  if (offsets.size < offsetsMax) offsets.set(key, offset);
  return offset;
}

/** Of two digits the year from 1950 to 2049. */
const yearOf = (digits: string) =>
  digits.length === 2 ? Number(digits) + (Number(digits) < 50 ? 2000 : 1900) : Number(digits);

function dayIn({ groups }: RegExpExecArray): number | null {
  const { year, month, day, name } = groups as Readonly<Record<string, string | undefined>>;
  const monthOf = name === undefined ? Number(month) : monthNamed(name.toLowerCase());
  return monthOf === null ? null : isoDay(yearOf(year!), monthOf, Number(day));
}

const english = "january february march april may june july august september october november december";
const german = "januar februar märz april mai juni juli august september oktober november dezember";
const others: readonly (readonly [string, number])[] = [
  ["mrz", 3],
  ["maerz", 3],
  ["jänner", 1],
  ["feber", 2],
];

/** In English or German, whole or from its third letter on cut off. */
function monthNamed(name: string): number | null {
  const other = others.find(([known]) => known === name)?.[1];
  if (other !== undefined) return other;
  for (const names of [english, german]) {
    const at = names.split(" ").findIndex((known) => known.startsWith(name));
    if (at !== -1) return at + 1;
  }
  return null;
}
