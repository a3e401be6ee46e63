import type { StepView } from "@consilium/core/operator/views";
import { formatDuration } from "../../shared/format";
import { decimal, plural, t } from "../../shared/language";
import { leastShown, type SiteTimes } from "./siteTimes";
import { secondsOf } from "./stageFamilies";

/** What took how long in a study, in sentences. */

/** Who decided last, and by how much; null before the first decision. */
export function decidedText({
  decided,
  isDeciding,
}: Pick<SiteTimes, "decided" | "isDeciding">): string | null {
  if (decided === null) return null;
  if (isDeciding) return t("Not all hospitals have decided yet; those that have are in the table.");
  const { site, seconds, behind } = decided;
  const time = secondsText(seconds);
  if (behind === null) return t("{site} alone has decided, after {time}.", { site, time });
  return behind < leastShown
    ? t("The last two hospitals decided at the same time, {time} after the study's start.", { time })
    : t("{site} decided last, {time} after the study's start and {behind} after the second to last.", {
        site,
        time,
        behind: secondsText(behind),
      });
}

/** Which site the steps waited for alone. */
export function waitedText({ sites, waited }: Pick<SiteTimes, "sites" | "waited">): string {
  const [first, ...others] = sites.filter(({ total }) => total > 0);
  if (first === undefined) return t("No site has computed.");
  const { site, alone, lastIn } = first;
  if (others.length === 0) return t("{site} alone has computed.", { site });
  const all = { waited: secondsText(waited) };
  if (alone < leastShown)
    return t(
      "Waiting for the last answer to each step took {waited}. In every step the last two sites answered within a twentieth of a second: no site was the slowest, and none was waited for alone.",
      all,
    );
  return plural(
    lastIn,
    "Waiting for the last answer to each step took {waited}. In {count} step {site} was last, {alone} after the second to last site: for that long the study waited for it alone.",
    "Waiting for the last answer to each step took {waited}. In {count} steps {site} was last, {alone} in all after the second to last site: for that long the study waited for it alone.",
    { ...all, site, alone: secondsText(alone) },
  );
}

/** How much of a study's time was the hospitals' decisions; null while nothing else has run. */
export function sharesText(steps: readonly StepView[], isOver: boolean): string | null {
  const decisions = secondsOf(steps.filter(({ kind }) => kind === "join"));
  const rest = secondsOf(steps.filter(({ kind }) => kind !== "join"));
  if (decisions === null || rest === null) return null;
  const times = {
    total: secondsText(decisions + rest),
    decisions: secondsText(decisions),
    rest: secondsText(rest),
  };
  return isOver
    ? t(
        "{total} in all: {decisions} until the hospitals had decided, and {rest} for all steps after that.",
        times,
      )
    : t(
        "{total} so far: {decisions} until the hospitals had decided, and {rest} for the steps after that.",
        times,
      );
}

/** One decimal below ten seconds, then the two largest of days, hours, minutes and seconds. */
export function secondsText(seconds: number): string {
  return seconds < 10
    ? t("{value} s", { value: decimal(seconds.toFixed(1)) })
    : formatDuration(seconds * 1000);
}
