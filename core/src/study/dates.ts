/** How text spells a date; a date in ISO 8601 is understood beside each of them, for it can be taken for no other. */
export const dateFormats = ["YYYY-MM-DD", "DD.MM.YYYY", "DD/MM/YYYY", "MM/DD/YYYY", "YYYYMMDD"] as const;
export type DateFormat = (typeof dateFormats)[number];

/** What a study is told that spells one in another way. */
export const datesAreWritten = "a date is written 2015-01-31";

const dayMs = 86_400_000;
const isoDate = /^(\d{4})-(\d\d)-(\d\d)$/;

/** @returns days since 1970-01-01, negative before; null for what is no day of the Gregorian calendar from year 1 on */
export function isoDay(year: number, month: number, day: number): number | null {
  const date = new Date(0);
  // Date.UTC takes years below 100 for those of the last century.
  date.setUTCFullYear(year, month - 1, day);
  const isDate = year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isDate ? date.getTime() / dayMs : null;
}

/** As `isoDay`, of a date as a study states it: `2015-01-31` and no time. */
export function statedDay(text: string): number | null {
  const [, year, month, day] = isoDate.exec(text) ?? [];
  return isoDay(Number(year), Number(month), Number(day));
}

export const yearOf = (day: number): number => new Date(day * dayMs).getUTCFullYear();

/** Completed years. Who was born on 29 February completes one on 1 March where a year has no 29th. */
export function ageAt(born: number, day: number): number {
  const [from, to] = [new Date(born * dayMs), new Date(day * dayMs)];
  const months = to.getUTCMonth() - from.getUTCMonth();
  const isBefore = months < 0 || (months === 0 && to.getUTCDate() < from.getUTCDate());
  return to.getUTCFullYear() - from.getUTCFullYear() - (isBefore ? 1 : 0);
}
