import type { StudyView } from "@consilium/core/operator/views";
import { Card, StreamBadge, useNow } from "../../shared/components";
import type { StreamState } from "../../shared/events";
import { formatDuration } from "../../shared/format";
import { rich, t } from "../../shared/language";
import { progressOf } from "./progress";

/** How far a running study is, as a whole. */
export function ProgressCard({ study, state }: { readonly study: StudyView; readonly state: StreamState }) {
  const now = useNow();
  const { done, all, secondsLeft } = progressOf(study);
  const percent = all === 0 ? 0 : Math.floor((100 * done) / all);
  const isJoining = study.steps.some(({ kind, status }) => kind === "join" && status !== "done");
  return (
    <Card title={t("Progress")} actions={<StreamBadge state={state} />}>
      <div className="progress">
        <progress value={done} max={all} aria-label={t("Steps of {id}", { id: study.id })} />
        <strong className="number">{t("{percent} %", { percent })}</strong>
      </div>
      <p>
        {rich("{done} of {all} steps, running for {time}. {rest}", {
          done,
          all,
          time: formatDuration(now - Date.parse(study.createdAt)),
          rest:
            secondsLeft !== null
              ? t("About {time} left, at the pace so far.", { time: formatDuration(1000 * secondsLeft) })
              : isJoining
                ? t("An estimate follows once the sites have joined.")
                : t("An estimate follows after the first steps."),
        })}
      </p>
    </Card>
  );
}
