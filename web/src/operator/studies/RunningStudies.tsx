import type { RunningStudyView } from "@consilium/core/operator/consoleViews";
import { Link } from "wouter";
import { useNow } from "../../shared/components";
import { formatDuration } from "../../shared/format";
import { rich, t } from "../../shared/language";
import { StudyBadge } from "./StudyBadge";
import { analysisName } from "./wording";

/** Running studies: progress, awaited sites and deadlines. */
export function RunningStudies({ studies }: { readonly studies: readonly RunningStudyView[] }) {
  if (studies.length === 0) {
    return <p className="muted">{t("No studies are running. Create one under New study.")}</p>;
  }
  return (
    <ul className="plain running">
      {studies.map((study) => (
        <li key={study.id}>
          <Running study={study} />
        </li>
      ))}
    </ul>
  );
}

function Running({ study }: { readonly study: RunningStudyView }) {
  const enough = study.online >= study.minimumSites;
  return (
    <>
      <div className="row">
        <Link href={`/studies/${study.id}`}>
          <strong>{study.id}</strong>
        </Link>
        <StudyBadge study={study} />
        <span className="muted">
          {analysisName(study.analysis)}, {study.method}
        </span>
      </div>
      <progress
        value={study.stepsDone}
        max={study.steps}
        aria-label={t("Steps of {id}", { id: study.id })}
        aria-valuetext={t("{stepsDone} of {steps} steps done", {
          stepsDone: study.stepsDone,
          steps: study.steps,
        })}
      />
      <p>
        {rich(
          "{stepsDone} of {steps} steps{more}. {online} of {participants} sites online, {minimumSites} needed{more2}. {WaitedFor}",
          {
            stepsDone: study.stepsDone,
            steps: study.steps,
            more: study.step === null ? "" : t(", now {step}", { step: study.step }),
            online: study.online,
            participants: study.participants.length,
            minimumSites: study.minimumSites,
            more2: enough ? "" : t(": too few to continue if this lasts"),
            WaitedFor: <WaitedFor study={study} />,
          },
        )}
      </p>
    </>
  );
}

function WaitedFor({ study }: { readonly study: RunningStudyView }) {
  const now = useNow();
  if (study.deadlineAt === null) return null;
  const left = Date.parse(study.deadlineAt) - now;
  const who = study.waitingFor.length === 0 ? t("the publisher") : listed(study.waitingFor);
  return (
    <>
      {rich("Waiting for {who}, {more}.", {
        who,
        more: left > 0 ? t("{left} more", { left: formatDuration(left) }) : t("past the deadline"),
      })}
    </>
  );
}

const listedMost = 4;

function listed(sites: readonly string[]): string {
  const rest = sites.length - listedMost;
  return rest > 0
    ? t("{value} and {rest} more", { value: sites.slice(0, listedMost).join(", "), rest })
    : sites.join(", ");
}
