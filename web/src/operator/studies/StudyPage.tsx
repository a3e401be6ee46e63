import type { StudyView } from "@consilium/core/operator/views";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { Link, useParams } from "wouter";
import {
  Badge,
  Card,
  ConfirmDialog,
  Facts,
  FailureNotice,
  Loading,
  Moment,
  Notice,
  Page,
  useNow,
} from "../../shared/components";
import { type StreamState, useEvents } from "../../shared/events";
import { failureMessage, failureRemedy, sentence } from "../../shared/failureWords";
import { formatDuration } from "../../shared/format";
import { locale, rich, served, t, upperFirst } from "../../shared/language";
import { onDemand } from "../../shared/onDemand";
import { Verdict } from "../../shared/Verdict";
import { aggregator } from "../api";
import { useCanOperate } from "../role";
import { Claim } from "./Claim";
import { JoiningActions } from "./Joining";
import { askedSums, nextStep } from "./nextStep";
import { ProgressCard } from "./ProgressCard";
import { Questions } from "./Questions";
import { SiteMatrix } from "./SiteMatrix";
import { SiteTimesCard } from "./SiteTimesCard";
import { TimeLine } from "./TimeLine";
import { WithdrawalActions, WithdrawalNotice } from "./Withdrawal";
import { analysisName, statusTones, statusWords, waitingWords } from "./wording";

const Results = onDemand(() => import("./Results"));
const StudyFile = onDemand(() => import("./StudyFile"));

/** One study: live while it runs, with its results once released. */
export default function StudyPage() {
  const { id = "" } = useParams();
  // Recreated after a cancel or resume: earlier events belong to another run.
  const [run, setRun] = useState(0);
  return <Study key={`${id} ${run}`} id={id} run={run} onChanged={() => setRun(run + 1)} />;
}

type Fetched = Awaited<ReturnType<typeof aggregator.study>>;

function Study(props: { readonly id: string; readonly run: number; readonly onChanged: () => void }) {
  const { id, run } = props;
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: ["study", id, run],
    queryFn: () => aggregator.study(id),
    placeholderData: () => queries.getQueryData<Fetched>(["study", id, run - 1]),
  });
  const isOver = query.data !== undefined && query.data.endedAt !== null;
  const events = useEvents<StudyView>(
    query.data === undefined || isOver ? null : `/api/studies/${encodeURIComponent(id)}/events`,
    ({ endedAt }) => endedAt !== null,
  );
  const study = events.value ?? query.data;
  if (study === undefined) {
    return (
      <Page title={t("Study")} trail={[["/studies", t("Studies")]]}>
        {query.error === null ? (
          <Loading what={t("the study")} />
        ) : (
          <FailureNotice error={query.error} retry={() => query.refetch()} />
        )}
      </Page>
    );
  }
  const state: StreamState = study.endedAt === null ? events.state : "ended";
  return <StudyDetails study={study} state={state} onChanged={props.onChanged} />;
}

function StudyDetails(props: {
  readonly study: StudyView;
  readonly state: StreamState;
  readonly onChanged: () => void;
}) {
  const { study, state } = props;
  return (
    <Page
      title={study.name}
      trail={[["/studies", t("Studies")]]}
      help="/help/OPERATING#studies"
      lead={
        <span className="row">
          <Badge tone={statusTones[study.status]}>{statusWords[study.status]}</Badge>
          <span>
            {analysisName(study.analysis)}, {study.method}
          </span>
          <Verdict of={study.claim.verdict} />
        </span>
      }
      actions={<Actions study={study} state={state} onChanged={props.onChanged} />}
    >
      {study.status === "released" ? <WithdrawalNotice id={study.id} /> : null}
      <Outcome study={study} />
      {study.endedAt === null ? <ProgressCard study={study} state={state} /> : null}
      <Questions id={study.id} isOver={study.endedAt !== null} />
      <Card title={t("Sites and stages")}>
        <SiteMatrix study={study} />
      </Card>
      <Card title={t("Time line")}>
        <TimeLine study={study} />
      </Card>
      <SiteTimesCard study={study} />
      {study.status === "released" ? (
        <Suspense fallback={<Loading what={t("the results")} />}>
          <Results study={study} />
        </Suspense>
      ) : null}
      <div className="side-by-side">
        <Claim claim={study.claim} charged={chargedText(study)} />
        <About study={study} />
      </div>
      <Suspense fallback={null}>
        <StudyFile study={study} />
      </Suspense>
    </Page>
  );
}

/** Of a study that ended without a release: what it may have cost; null for another. */
function chargedText(study: StudyView): string | null {
  if (study.status !== "failed" && study.status !== "cancelled") return null;
  const { asked, all } = askedSums(study);
  return asked === 0
    ? t("nothing: it ended before any stage was asked for")
    : t("at most {asked} of {all} stages: those that were asked for", { asked, all });
}

function Outcome({ study }: { readonly study: StudyView }) {
  if (study.failure !== null && study.status === "cancelled") {
    return (
      <Notice title={sentence(failureMessage(study.failure.code, study.failure.message))}>
        <p>
          <code>{study.failure.code}</code>
        </p>
      </Notice>
    );
  }
  const next = nextStep(study);
  if (study.failure !== null && next !== null) {
    return (
      <Notice tone="bad" title={next.title}>
        <p>
          {rich("What happened: {message}. {code}", {
            message: failureMessage(study.failure.code, study.failure.message),
            code: <code>{study.failure.code}</code>,
          })}
        </p>
        {next.sites.length === 0 ? null : (
          <ul>
            {next.sites.map(({ site, code, remedy }) => (
              <li key={site}>
                {site}: <code>{code}</code>, {remedy}.
              </li>
            ))}
          </ul>
        )}
      </Notice>
    );
  }
  if (study.release !== null) {
    return (
      <Notice
        tone="ok"
        title={t("Released{more}.", {
          more:
            study.rows === null
              ? ""
              : t(", from {value} rows", { value: study.rows.toLocaleString(locale()) }),
        })}
      >
        <p>
          {rich("{link}: its files, its certificate, and how to read them.", {
            link: <a href={study.release.url}>{t("Open the release in the catalogue")}</a>,
          })}
        </p>
      </Notice>
    );
  }
  return <Waiting study={study} />;
}

/** What is awaited, the remaining time, and what happens then. */
function Waiting({ study }: { readonly study: StudyView }) {
  const now = useNow();
  const open = study.steps.find(({ status }) => status === "open");
  const missing = study.siteStates
    .filter(({ state }) => waitingStates.includes(state))
    .map(({ site }) => site);
  if (study.waiting !== null) {
    const { code, message, remedy } = study.waiting;
    return (
      <Notice tone="warn" title={waitingWords(code)}>
        <p>
          {rich("{message}. {remedy}. The study continues automatically. {code}", {
            message: upperFirst(failureMessage(code, message)),
            remedy: upperFirst(failureRemedy(remedy)),
            code: <code>{code}</code>,
          })}
        </p>
      </Notice>
    );
  }
  if (study.deadlineAt === null) {
    return <Notice title={t("The aggregator is computing; no site is awaited.")} />;
  }
  const left = Date.parse(study.deadlineAt) - now;
  const who = open?.kind === "deposit" ? t("the publisher") : missing.join(", ");
  return (
    <Notice
      tone={left < 30_000 ? "warn" : "info"}
      title={t("Waiting for {more}", { more: who || t("the sites") })}
    >
      <p>
        {rich("{more} (until {Moment}){more2}.", {
          more: (
            <span role="timer" aria-live="off">
              {left > 0 ? t("{left} left", { left: formatDuration(left) }) : t("The deadline has passed")}
            </span>
          ),
          Moment: <Moment iso={study.deadlineAt} />,
          more2:
            study.atDeadline === null || study.atDeadline === ""
              ? ""
              : t(". Then: {atDeadline}", { atDeadline: served(study.atDeadline) }),
        })}
      </p>
      <JoiningActions study={study} />
    </Notice>
  );
}

const waitingStates: readonly string[] = ["invited", "awaiting approval", "working", "uploading"];

type Verb = "cancel" | "resume" | "accept";

function Actions(props: {
  readonly study: StudyView;
  readonly state: StreamState;
  readonly onChanged: () => void;
}) {
  const { study, onChanged } = props;
  const [question, setQuestion] = useState<Verb | null>(null);
  const canOperate = useCanOperate();
  const act = async (verb: Verb) => {
    await aggregator[verb](study.id);
    onChanged();
  };
  const close = () => setQuestion(null);
  const canCancel = study.endedAt === null || study.status === "failed";
  const isToCorrect = study.status === "failed" && nextStep(study)?.kind === "correct";
  const isComputed = study.failure?.code === "RESULT_INCOMPLETE" || study.failure?.code === "RESULT_FAILED";
  const isFirst = isToCorrect || study.status === "cancelled";
  return (
    <>
      <Link
        className="button"
        data-kind={isFirst ? "primary" : undefined}
        href={`/compose?study=${encodeURIComponent(study.id)}`}
      >
        {isToCorrect ? t("Duplicate and correct") : t("Duplicate study")}
      </Link>
      {canOperate && study.status === "failed" ? (
        <button
          type="button"
          data-kind={isToCorrect ? undefined : "primary"}
          onClick={() => setQuestion("resume")}
        >
          {t("Resume…")}
        </button>
      ) : null}
      {canOperate && study.failure?.code === "RESULT_INCOMPLETE" ? (
        <button type="button" onClick={() => setQuestion("accept")}>
          {t("Accept the rest…")}
        </button>
      ) : null}
      <WithdrawalActions study={study} />
      {canOperate && canCancel ? (
        <button type="button" data-kind="danger" onClick={() => setQuestion("cancel")}>
          {t("Cancel…")}
        </button>
      ) : null}
      {question === "cancel" ? (
        <ConfirmDialog
          title={t("Cancel {name}?", { name: study.name })}
          confirm={t("Cancel study")}
          kind="danger"
          onConfirm={() => act("cancel")}
          onClose={close}
        >
          <p>
            {t(
              "The study ends now, without a release, and cannot be resumed. Charges for requested stages stay; the unused part of each site's reservation is released.",
            )}
          </p>
        </ConfirmDialog>
      ) : null}
      {question === "accept" ? (
        <ConfirmDialog
          title={t("Accept what stands of {name}?", { name: study.name })}
          confirm={t("Accept and release")}
          onConfirm={() => act("accept")}
          onClose={close}
        >
          <p>
            {t(
              "The study continues to its release without the missing parts, which the release names. A release is final: a later version adds nothing to it.",
            )}
          </p>
        </ConfirmDialog>
      ) : null}
      {question === "resume" ? (
        <ConfirmDialog
          title={t("Resume {name}?", { name: study.name })}
          confirm={t("Resume study")}
          onConfirm={() => act("resume")}
          onClose={close}
        >
          <p>
            {isComputed
              ? t(
                  "The result is computed again from the stored sums; no site is charged again. The same version comes to the same.",
                )
              : t(
                  "The study continues from its last checkpoint. The failed stage runs again with fresh noise: each site is charged for it again, if its budget allows.",
                )}
          </p>
        </ConfirmDialog>
      ) : null}
    </>
  );
}

function About({ study }: { readonly study: StudyView }) {
  return (
    <Card title={t("About this study")}>
      <Facts
        of={[
          [t("Id"), <code key="id">{study.id}</code>],
          [t("Hash"), <code key="hash">{study.hash}</code>],
          [t("Started"), <Moment key="begun" iso={study.createdAt} />],
          [t("Ended"), study.endedAt === null ? null : <Moment key="ended" iso={study.endedAt} />],
          [t("Duration"), study.endedAt === null ? null : formatDuration(study.seconds * 1000)],
          [
            t("Events"),
            <Link key="audit" href={`/audit?study=${encodeURIComponent(study.id)}`}>
              {t("audit log")}
            </Link>,
          ],
        ]}
      />
    </Card>
  );
}
