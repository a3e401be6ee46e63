import type { RunningStudyView } from "@consilium/core/operator/consoleViews";
import { Link } from "wouter";
import { useNow } from "../../shared/components";
import { formatDuration } from "../../shared/format";
import { StudyBadge } from "./StudyBadge";
import { analysisName } from "./wording";

/** Running studies: progress, awaited sites and deadlines. */
export function RunningStudies({ studies }: { readonly studies: readonly RunningStudyView[] }) {
  if (studies.length === 0) {
    return <p className="muted">No studies are running. Create one under New study.</p>;
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
        aria-label={`Steps of ${study.id}`}
        aria-valuetext={`${study.stepsDone} of ${study.steps} steps done`}
      />
      <p>
        {study.stepsDone} of {study.steps} steps
        {study.step === null ? "" : `, now ${study.step}`}. {study.online} of {study.participants.length}{" "}
        sites online, {study.minimumSites} needed{enough ? "" : ": too few to continue if this lasts"}.{" "}
        <WaitedFor study={study} />
      </p>
    </>
  );
}

function WaitedFor({ study }: { readonly study: RunningStudyView }) {
  const now = useNow();
  if (study.deadlineAt === null) return null;
  const left = Date.parse(study.deadlineAt) - now;
  const who = study.waitingFor.length === 0 ? "the publisher" : listed(study.waitingFor);
  return (
    <>
      Waiting for {who}, {left > 0 ? `${formatDuration(left)} more` : "past the deadline"}.
    </>
  );
}

const listedMost = 4;

function listed(sites: readonly string[]): string {
  const rest = sites.length - listedMost;
  return rest > 0 ? `${sites.slice(0, listedMost).join(", ")} and ${rest} more` : sites.join(", ");
}
