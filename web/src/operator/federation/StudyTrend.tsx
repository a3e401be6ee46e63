import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Card, Loaded } from "../../shared/components";
import { useFrameWidth } from "../../shared/figures/frameWidth";
import { locale, said, t } from "../../shared/language";
import { aggregator } from "../api";
import { type TrendPart, type TrendWeek, trendOf, trendParts, trendWeeks } from "./trend";

/** More than a person starts in so many weeks. */
const studiesMost = 1_000;

/** @param marker - changes when a study begins or ends */
export default function StudyTrend({ marker }: { readonly marker: string }) {
  const query = useQuery({
    queryKey: ["study trend", marker],
    queryFn: async () => {
      const { studies } = await aggregator.studies({ order: "newest", limit: studiesMost });
      return trendOf(studies, Date.now());
    },
    placeholderData: keepPreviousData,
  });
  return (
    <Card title={t("Studies of the last {count} weeks", { count: trendWeeks })}>
      <Loaded query={query} what={t("the studies")}>
        {(weeks) => <Bars weeks={weeks} />}
      </Loaded>
    </Card>
  );
}

const partWords: Readonly<Record<TrendPart, string>> = said({
  released: "released",
  running: "under way",
  failed: "failed",
  cancelled: "cancelled",
});

/** Pixels; as wide as its frame, up to this. */
const widthMost = 720;
const [height, foot] = [120, 18];

function Bars({ weeks }: { readonly weeks: readonly TrendWeek[] }) {
  const [frame, width] = useFrameWidth(widthMost);
  const totalOf = ({ counts }: TrendWeek) => trendParts.reduce((sum, part) => sum + counts[part], 0);
  const sums = trendParts.map((part) => ({
    part,
    count: weeks.reduce((sum, { counts }) => sum + counts[part], 0),
  }));
  const most = Math.max(1, ...weeks.map(totalOf));
  const step = width / weeks.length;
  const unit = (height - foot - 14) / most;
  const day = new Intl.DateTimeFormat(locale(), { day: "numeric", month: "short" });
  return (
    <figure className="trend" ref={frame}>
      <svg
        className="drawing"
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={sums.map(({ part, count }) => `${partWords[part]}: ${count}`).join(", ")}
      >
        <line className="axis" x1="0" x2={width} y1={height - foot} y2={height - foot} />
        {weeks.map((week, at) => {
          const total = totalOf(week);
          let below = 0;
          return (
            <g key={week.from} transform={`translate(${at * step} 0)`}>
              {trendParts.map((part) => {
                const count = week.counts[part];
                const y = height - foot - (below + count) * unit;
                below += count;
                return count === 0 ? null : (
                  <rect
                    key={part}
                    data-part={part}
                    x={step * 0.2}
                    y={y}
                    width={step * 0.6}
                    height={count * unit}
                  />
                );
              })}
              {total === 0 ? null : (
                <text x={step / 2} y={height - foot - total * unit - 4} textAnchor="middle">
                  {total}
                </text>
              )}
              {at % 3 === 0 ? (
                <text x={step * 0.2} y={height - 4}>
                  {day.format(week.from)}
                </text>
              ) : null}
            </g>
          );
        })}
      </svg>
      <figcaption className="row">
        {sums
          .filter(({ count }) => count > 0)
          .map(({ part, count }) => (
            <span key={part} className="trend-part" data-part={part}>
              {t("{count} {words}", { count, words: partWords[part] })}
            </span>
          ))}
      </figcaption>
    </figure>
  );
}
