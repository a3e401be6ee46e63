import type { StudyView } from "@consilium/core/operator/views";
import { useQuery } from "@tanstack/react-query";
import { Card, type Column, DataTable } from "../../shared/components";
import { t } from "../../shared/language";
import { aggregator } from "../api";
import { type SiteTime, type SiteTimes, siteTimesOf } from "./siteTimes";
import { decidedText, secondsText, waitedText } from "./timesText";

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
      {[decidedText(times), waitedText(times)].map((text) =>
        text === null ? null : <p key={text}>{text}</p>,
      )}
      <DataTable
        caption={t("How long the study waited for each site, the one that it waited for alone first")}
        hideCaption
        columns={columnsOf(times)}
        rows={times.sites}
        keyOf={({ site }) => site}
      />
      <p className="muted">
        {t(
          "By the aggregator's clock. Decision: from the study's start until the hospital approved or denied it, by a person or by its policy; it is not in the total. All others: from when a step opened to the site's answer, which is computing, sending, and the time in which the site was offline.",
        )}
      </p>
    </Card>
  );
}

function columnsOf({ groups, sites }: SiteTimes): Column<SiteTime>[] {
  const time = (seconds: number | null) => (seconds === null ? "–" : secondsText(seconds));
  return [
    { title: t("Site"), cell: ({ site }) => site },
    {
      title: t("Decision"),
      cell: ({ join, refused }) => refusedText(refused) ?? time(join),
      number: true,
    },
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
        isLongest(cells[g]!, g, sites) ? <strong>{time(cells[g]!)}</strong> : time(cells[g]!),
      number: true as const,
    })),
  ];
}

/** Whether no other site took as long, as it is shown. */
function isLongest(seconds: number | null, g: number, sites: readonly SiteTime[]): boolean {
  if (seconds === null) return false;
  const own = secondsText(seconds);
  const others = sites.flatMap(({ cells }) => cells[g] ?? []);
  return (
    others.filter((other) => secondsText(other) === own).length === 1 &&
    others.every((other) => other <= seconds)
  );
}

/** Of a site that took no part; null of another. */
function refusedText(refused: SiteTime["refused"]): string | null {
  if (refused === null) return null;
  const time = secondsText(refused.seconds);
  return refused.code === "REFUSED_BY_SITE"
    ? t("denied after {time}", { time })
    : t("refused after {time}", { time });
}
