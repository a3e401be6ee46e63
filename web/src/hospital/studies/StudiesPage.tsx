import type { OfferedStudyView } from "@consilium/core/hospital/studyViews";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { type Option, SelectField } from "../../shared/choices";
import { Ago, Badge, Card, DataTable, Empty, Loaded, Moment, Page } from "../../shared/components";
import { reasonWords } from "../../shared/failureWords";
import { rich, said, served, t } from "../../shared/language";
import { Verdict } from "../../shared/Verdict";
import { hospital } from "../api";
import { Deputies } from "./Deputies";
import {
  isDecidedByPolicy,
  methodText,
  type Outcome,
  outcomeOf,
  outcomeTone,
  outcomeWords,
} from "./statusWords";

export default function StudiesPage() {
  const query = useQuery({ queryKey: ["studies"], queryFn: hospital.studies, refetchInterval: 60_000 });
  return (
    <Page
      title={t("Studies")}
      lead={t(
        "Studies offered to this hospital, and the decisions. No data are used before a study is approved, manually or by the policy.",
      )}
    >
      <Loaded query={query} what={t("the studies")}>
        {(studies) => (
          <>
            <Waiting studies={studies.filter(({ status }) => status === "waiting for approval")} />
            <History studies={studies.filter(({ status }) => status !== "waiting for approval")} />
            <Deputies />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Waiting({ studies }: { readonly studies: readonly OfferedStudyView[] }) {
  if (studies.length === 0)
    return (
      <Empty title={t("No studies are waiting for approval.")}>
        <p>
          {t("New ones appear here automatically.")} <WhoDecides />
        </p>
      </Empty>
    );
  return (
    <Card title={t("Waiting for approval ({studies})", { studies: studies.length })}>
      <DataTable
        caption={t("Studies waiting for approval")}
        hideCaption
        columns={[
          { title: t("Study"), cell: (study) => <StudyLink study={study} /> },
          { title: t("Method, privacy"), cell: asked },
          { title: t("Table"), cell: (study) => study.table },
          {
            title: t("Decide until"),
            cell: (study) => (study.approveUntil === null ? "-" : <Ago iso={study.approveUntil} />),
          },
          {
            title: t("Approved by"),
            cell: (study) =>
              study.firstApproval === null
                ? "-"
                : t("{person}, first of two", { person: study.firstApproval.by }),
          },
          {
            title: t("Last attempt"),
            cell: (study) => (study.code === null ? "-" : <code>{study.code}</code>),
          },
        ]}
        rows={studies}
        keyOf={(study) => study.id}
      />
    </Card>
  );
}

/** Which studies wait here is the policy's to say. */
function WhoDecides() {
  return rich(
    "A study waits here only where the {policy} leaves the decision to a person: under Approval it says which, and which ones it decides by itself.",
    { policy: <Link href="/policy">{t("policy|link")}</Link> },
  );
}

const asked = (study: OfferedStudyView) => (
  <>
    {methodText(study)}
    <br />
    {study.verdict === null ? null : <Verdict of={study.verdict} />}
  </>
);

function StudyLink({ study }: { readonly study: OfferedStudyView }) {
  return (
    <>
      <Link href={`/studies/${study.id}`}>{study.name}</Link>
      <br />
      <code className="muted">{study.id}</code>
    </>
  );
}

const ended: readonly Outcome[] = ["joined", "waiting", "released", "denied", "refused", "cancelled"];

function History({ studies }: { readonly studies: readonly OfferedStudyView[] }) {
  const [status, setStatus] = useState<Outcome | "all">("all");
  const count = (one: Outcome) => studies.filter((study) => outcomeOf(study) === one).length;
  const options: Option<Outcome | "all">[] = [
    ["all", t("all ({studies})", { studies: studies.length })],
    ...ended.map((one) => [one, `${outcomeWords[one]} (${count(one)})`] as const),
  ];
  const shown = studies.filter((study) => status === "all" || outcomeOf(study) === status);
  return (
    <Card title={t("Past studies")}>
      <div className="field-row">
        <SelectField label={t("Outcome")} value={status} options={options} onChange={setStatus} />
      </div>
      <DataTable
        caption={t("Studies and their outcome")}
        hideCaption
        columns={[
          {
            title: t("Study"),
            // The id begins with the name.
            cell: ({ id }) => (
              <Link className="sentence" href={`/studies/${id}`}>
                {id}
              </Link>
            ),
          },
          {
            title: t("Outcome"),
            cell: (study) => (
              <span title={served(study.words)}>
                <Badge tone={outcomeTone[outcomeOf(study)]}>{outcomeWords[outcomeOf(study)]}</Badge>
                {study.status === "released" && study.code !== null ? (
                  <Badge tone="bad">{releaseWords[study.code] ?? study.code}</Badge>
                ) : null}
              </span>
            ),
          },
          { title: t("Method, privacy"), cell: asked },
          { title: t("Table"), cell: (study) => study.table },
          { title: t("Decided by"), cell: decidedBy },
          { title: t("First seen"), cell: (study) => <Moment iso={study.firstSeenAt} /> },
          {
            title: t("Ended"),
            cell: (study) => (study.endedAt === null ? "-" : <Moment iso={study.endedAt} />),
          },
          { title: t("Reason"), cell: (study) => <Reason study={study} /> },
        ]}
        rows={shown}
        keyOf={(study) => study.id}
        empty={studies.length === 0 ? t("No decided studies yet.") : t("No studies match.")}
      />
    </Card>
  );
}

const decidedBy = (study: OfferedStudyView) =>
  isDecidedByPolicy(study) ? (
    <Link href="/policy">{t("the policy|decides")}</Link>
  ) : (
    (study.decidedBy ?? (study.decidedAt === null ? "-" : t("a person")))
  );

/** What a release's code says of it since. */
const releaseWords: Readonly<Record<string, string>> = said({
  RELEASE_WITHDRAWN: "release withdrawn",
  RELEASE_SUPERSEDED: "release superseded",
});

/** Long ones are folded: a line of the table stays a line. */
function Reason({ study }: { readonly study: OfferedStudyView }) {
  if (study.reason === null) return "-";
  const reason = reasonWords(study.reason, study.code) ?? study.reason;
  const firstSentence = /^.{1,80}?[.;:](?=\s)/.exec(reason)?.[0] ?? reason.slice(0, 80);
  if (firstSentence.length >= reason.length) return reason;
  return (
    <details>
      <summary>{firstSentence}</summary>
      {reason}
    </details>
  );
}
