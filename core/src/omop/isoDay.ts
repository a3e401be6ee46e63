import { statedDay } from "../study/dates.js";

/** The parts of a date as `2020-12-31`. */
export interface IsoDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** @returns the date's parts, or null for text that is no date from 1900 to 2199 */
export function parseIsoDay(text: string): IsoDay | null {
  if (!/^(?:19|20|21)/.test(text) || statedDay(text) === null) return null;
  const [year, month, day] = text.split("-").map(Number);
  return { year: year!, month: month!, day: day! };
}

export function isIsoDay(text: string): boolean {
  return parseIsoDay(text) !== null;
}
