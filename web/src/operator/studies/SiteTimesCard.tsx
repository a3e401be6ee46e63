import type { StudyView } from "@consilium/core/operator/views";
import { useQuery } from "@tanstack/react-query";
import { Card, type Column, DataTable } from "../../shared/components";
import { t } from "../../shared/language";
import { aggregator } from "../api";
import { type SiteTime, type SiteTimes, siteTimesOf } from "./siteTimes";
import { secondsText } from "./TimeLine";

/** Of a running study it is asked again so often. */
const runningMs = 10_000;

/** Which site the study waited for, and how long: nothing before the first answer. */
export function SiteTimesCard({ study }: { readonly study: Pick<StudyView, "id" | "steps" | "endedAt"> }) {
  const query = useQuery({
    queryKey: ["site times", study.id, study.endedAt],
    queryFn: () => aggregator.times(study.id),
    placeholderData: (before) => before,
    refetchInterval: study.endedAt === null ? runningMs : false,
  });
  if (query.data === undefined) return null;
  const times = siteTimesOf(study.steps, query.data);
  if (times.sites.length === 0) return null;
  return (
    <Card title={t("Time by site")}>
      <p>{slowestText(times)}</p>
      <DataTable
        caption={t("How long the study waited for each site, slowest first")}
        hideCaption
        columns={columnsOf(times)}
        rows={times.sites}
        keyOf={({ site }) => site}
      />
      <p className="muted">
        {t(
          "From when a step opened to the site's answer, by the aggregator's clock: computing, sending, and the time in which the site was offline. The total is without joining, which people decide: the column Join says how long that took, or how long it took to deny.",
        )}
      </p>
    </Card>
  );
}

/** Less is shown as 0.0 s. */
const leastShown = 0.05;

function slowestText({ sites: [slowest], waited }: SiteTimes): string {
  if (slowest === undefined || slowest.total === 0) return t("No site has computed.");
  const { site, total, alone } = slowest;
  const times = { site, time: secondsText(total), waited: secondsText(waited) };
  return alone < leastShown
    ? t("{site} was slowest: {time} of {waited} were spent waiting for it.", times)
    : t("{site} was slowest: {time} of {waited} were spent waiting for it, {alone} of them for it alone.", {
        ...times,
        alone: secondsText(alone),
      });
}

function columnsOf({ groups, sites }: SiteTimes): Column<SiteTime>[] {
  const longest = groups.map((_, g) => Math.max(...sites.map(({ cells }) => cells[g] ?? 0)));
  const time = (seconds: number | null) => (seconds === null ? "–" : secondsText(seconds));
  return [
    { title: t("Site"), cell: ({ site }) => site },
    {
      title: t("Total"),
      cell: ({ total, refused }) => time(refused === null ? total : null),
      number: true,
    },
    {
      title: t("Waited for it alone"),
      cell: ({ alone, refused }) => time(refused === null ? alone : null),
      number: true,
    },
    ...groups.map(({ title }, g) => ({
      title,
      cell: ({ cells }: SiteTime) =>
        cells[g] === longest[g] && sites.length > 1 ? <strong>{time(cells[g]!)}</strong> : time(cells[g]!),
      number: true as const,
    })),
    { title: t("Join"), cell: ({ join, refused }) => refusedText(refused) ?? time(join), number: true },
  ];
}

/** Of a site that took no part; null of another. */
function refusedText(refused: SiteTime["refused"]): string | null {
  if (refused === null) return null;
  const time = secondsText(refused.seconds);
  return refused.code === "REFUSED_BY_SITE"
    ? t("denied after {time}", { time })
    : t("refused after {time}", { time });
}
