import { t } from "../../shared/language";

const dayMs = 86_400_000;
/** Sites are invited so soon after a study is created that a whole day is not lost by it. */
const startMs = 60_000;
/** No study may invite sites for longer. */
export const invitedDaysMost = 30;

/** How far the deadline to join can be moved. */
export interface MoreTime {
  /** Whole days after the present deadline; 0 where it cannot be moved by a day. */
  readonly daysMost: number;
  /** ISO 8601, `days` after the present deadline; null while `fault` says why not. */
  readonly until: string | null;
  readonly fault: string | null;
}

/**
 * @param days - as typed
 * @param study - when its sites were invited, and its present deadline: ISO 8601
 */
export function moreTime(
  days: string,
  study: { readonly createdAt: string; readonly deadlineAt: string },
): MoreTime {
  const deadline = Date.parse(study.deadlineAt);
  const latest = Date.parse(study.createdAt) + invitedDaysMost * dayMs;
  const daysMost = Math.max(0, Math.floor((latest + startMs - deadline) / dayMs));
  const count = /^\s*\d{1,9}\s*$/.test(days) ? Number(days) : 0;
  if (count >= 1 && count <= daysMost)
    return { daysMost, until: new Date(deadline + count * dayMs).toISOString(), fault: null };
  return { daysMost, until: null, fault: faultOf(daysMost) };
}

function faultOf(daysMost: number): string {
  if (daysMost === 0)
    return t(
      "The deadline cannot be moved by a day: it is within a day of {most} days after the sites were invited, the longest that a study may wait for them.",
      { most: invitedDaysMost },
    );
  return daysMost === 1
    ? t("Enter 1: the deadline can be moved by one day at most.")
    : t("Enter a whole number of days from 1 to {most}.", { most: daysMost });
}
