import type { StudyView } from "@consilium/core/operator/views";
import { t } from "../../shared/language";
import { phases } from "./matrix";
import { type StepGroup, type StepPart, secondsOf, statusOf, stepGroups } from "./stageFamilies";
import { secondsText, sharesText } from "./timesText";

/** What took how long: a bar a group, in the order in which they ran; stages and phases on demand. */
export function TimeLine({ study }: { readonly study: Pick<StudyView, "steps" | "endedAt"> }) {
  const later = study.endedAt === null ? t("pending") : t("not run");
  const groups = stepGroups(study.steps);
  const rest = secondsOf(study.steps.filter(({ kind }) => kind !== "join")) ?? 0;
  const join = secondsOf(study.steps.filter(({ kind }) => kind === "join")) ?? 0;
  // People may take days to join: beside that, nothing else would show.
  const isApart = rest > 0 && join > rest;
  const total = isApart ? rest : rest + join;
  const shares = sharesText(study.steps, study.endedAt !== null);
  let begun = 0;
  return (
    <>
      {shares === null ? null : <p>{shares}</p>}
      <ol className="plain time-line">
        {groups.map((group) => {
          const steps = group.parts.flatMap((part) => part.steps);
          const seconds = secondsOf(steps);
          const hasBar = seconds !== null && total > 0;
          const hasOwnScale = isApart && group.id === "join";
          const from = begun;
          if (hasBar && !hasOwnScale) begun += seconds;
          const width = hasOwnScale ? 100 : (100 * (seconds ?? 0)) / total;
          return (
            <li key={group.id}>
              <details>
                <summary>
                  <span className="time-title">{group.title}</span>
                  <span className="time-bar" aria-hidden="true">
                    {hasBar ? (
                      <span
                        data-status={statusOf(steps)}
                        data-scale={hasOwnScale ? "own" : undefined}
                        style={{ left: `${hasOwnScale ? 0 : (100 * from) / total}%`, width: `${width}%` }}
                      />
                    ) : null}
                  </span>
                  <span className="number">{seconds === null ? later : secondsText(seconds)}</span>
                </summary>
                <Parts group={group} later={later} />
              </details>
              {hasOwnScale ? (
                <p className="muted">
                  {t(
                    "This bar has a scale of its own: deciding took longer than all other steps together. The bars below share one.",
                  )}
                </p>
              ) : null}
            </li>
          );
        })}
      </ol>
    </>
  );
}

function Parts({ group, later }: { readonly group: StepGroup; readonly later: string }) {
  return (
    <ul>
      {group.parts.map((part) => (
        <li key={part.id}>{partText(part, later)}</li>
      ))}
    </ul>
  );
}

function partText({ id, steps }: StepPart, later: string): string {
  const seconds = secondsOf(steps);
  if (seconds === null) return `${id}: ${later}`;
  const attempt = Math.max(...steps.map((one) => one.attempt));
  const each = steps.flatMap((one) =>
    one.seconds === null ? [] : [`${phases[one.kind]} ${secondsText(one.seconds)}`],
  );
  const again = attempt > 1 ? t(", attempt {attempt}", { attempt }) : "";
  return `${id}: ${secondsText(seconds)}${again}${each.length > 1 ? ` (${each.join(", ")})` : ""}`;
}
