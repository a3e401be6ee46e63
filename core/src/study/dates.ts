/** How text spells a date; a date in ISO 8601 is understood beside each of them, for it can be taken for no other. */
export const dateFormats = ["YYYY-MM-DD", "DD.MM.YYYY", "DD/MM/YYYY", "MM/DD/YYYY", "YYYYMMDD"] as const;
export type DateFormat = (typeof dateFormats)[number];

/** What a study is told that spells one in another way. */
export const datesAreWritten = "a date is written 2015-01-31";

const dayMs = 86_400_000;
const isoDate = /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)$/;
const patterns: Readonly<Record<DateFormat, RegExp>> = {
  // A time of day is left off: a date is the calendar's where it was written down.
  "YYYY-MM-DD": /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)(?:[T ][0-9:.+Z-]*)?$/,
  "DD.MM.YYYY": /^(?<day>\d\d?)\.(?<month>\d\d?)\.(?<year>\d{4})$/,
  "DD/MM/YYYY": /^(?<day>\d\d?)\/(?<month>\d\d?)\/(?<year>\d{4})$/,
  "MM/DD/YYYY": /^(?<month>\d\d?)\/(?<day>\d\d?)\/(?<year>\d{4})$/,
  YYYYMMDD: /^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)$/,
};

/** @returns days since 1970-01-01, negative before; null for text that is no day of the Gregorian calendar from year 1 on */
export function dayOf(text: string, format: DateFormat): number | null {
  return matchedDay(patterns["YYYY-MM-DD"].exec(text) ?? patterns[format].exec(text));
}

/** As `dayOf`, of a date as a study states it: `2015-01-31` and no time. */
export const statedDay = (text: string): number | null => matchedDay(isoDate.exec(text));

function matchedDay(match: RegExpExecArray | null): number | null {
  const [year, month, day] = (["year", "month", "day"] as const).map((part) => Number(match?.groups?.[part]));
  const date = new Date(0);
  // Date.UTC takes years below 100 for those of the last century.
  date.setUTCFullYear(year!, month! - 1, day);
  const isDate = year! > 0 && date.getUTCMonth() === month! - 1 && date.getUTCDate() === day;
  return isDate ? date.getTime() / dayMs : null;
}

export const yearOf = (day: number): number => new Date(day * dayMs).getUTCFullYear();

/** Completed years. Who was born on 29 February completes one on 1 March where a year has no 29th. */
export function ageAt(born: number, day: number): number {
  const [from, to] = [new Date(born * dayMs), new Date(day * dayMs)];
  const months = to.getUTCMonth() - from.getUTCMonth();
  const isBefore = months < 0 || (months === 0 && to.getUTCDate() < from.getUTCDate());
  return to.getUTCFullYear() - from.getUTCFullYear() - (isBefore ? 1 : 0);
}
