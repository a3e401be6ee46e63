/** The parts of a date as `2020-12-31`. */
export interface IsoDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** @returns the date's parts, or null for text that is no date from 1900 to 2199 */
export function parseIsoDay(text: string): IsoDay | null {
  const [, year, month, day] = /^((?:19|20|21)\d\d)-(\d\d)-(\d\d)$/.exec(text)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return null;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const lengths = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day >= 1 && day <= (lengths[month - 1] ?? 0) ? { year, month, day } : null;
}

export function isIsoDay(text: string): boolean {
  return parseIsoDay(text) !== null;
}
