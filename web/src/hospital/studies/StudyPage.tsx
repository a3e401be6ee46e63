import type { ExplainedStudyView } from "@consilium/core/hospital/studyViews";
import { deltaText, guessText, strengthOf } from "@consilium/core/privacy/words";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import {
  Badge,
  CodeBlock,
  DataTable,
  Fold,
  Loaded,
  Moment,
  Notice,
  Page,
  useNow,
} from "../../shared/components";
import { Reason } from "../../shared/failureWords";
import { formatBytes } from "../../shared/format";
import { rich, Served, served, t } from "../../shared/language";
import { Verdict } from "../../shared/Verdict";
import { hospital } from "../api";
import { OfferedProfile } from "../tables/OfferedProfile";
import { Budget } from "./Budget";
import { Decide, Obstacles } from "./Decide";
import { Paragraphs } from "./Paragraphs";
import { shown } from "./privacyWords";
import { Questions } from "./Questions";
import { Summary, Terms, Warnings } from "./Summary";
import { recorded, unrecorded } from "./shownTexts";
import { endedWithout, outcomeOf, outcomeTone, outcomeWords } from "./statusWords";

export default function StudyPage({ id }: { readonly id: string }) {
  const query = useQuery({ queryKey: ["studies", id], queryFn: () => hospital.study(id) });
  const study = query.data;
  return (
    <Page
      title={study?.name ?? t("Study")}
      trail={[["/studies", t("Studies")]]}
      lead={
        study === undefined ? undefined : (
          <span className="row">
            <Badge tone={outcomeTone[outcomeOf(study)]}>{outcomeWords[outcomeOf(study)]}</Badge>
            <Verdict of={study.claim.verdict} />
            <code>{study.id}</code>
          </span>
        )
      }
    >
      <Loaded query={query} what={t("the study")}>
        {(loaded) => <Explained study={loaded} />}
      </Loaded>
    </Page>
  );
}

function Explained({ study }: { readonly study: ExplainedStudyView }) {
  const isWaiting = study.status === "waiting for approval";
  return (
    <>
      {isWaiting ? <Obstacles study={study} /> : <Outcome study={study} />}
      <div {...recorded}>
        <Summary study={study} />
        {endedWithout(study) ? (
          <Fold title={t("What it asked for")}>
            <p>{t("What the study would have sent, cost and revealed with this hospital.")}</p>
            <Warnings study={study} />
            <div className="summary">
              <Terms study={study} />
            </div>
            <Sections study={study} />
          </Fold>
        ) : (
          <Sections study={study} />
        )}
      </div>
      {isWaiting ? <OfferedProfile id={study.id} /> : null}
      <Questions study={study} />
      <Fold title={t("Study file")}>
        <p>
          {rich("Every later message of the study is bound to this text by its hash {hash}.", {
            hash: <code>{study.hash}</code>,
          })}
        </p>
        <CodeBlock code={JSON.stringify(study.study, null, 2)} label={t("The study, as JSON")} />
      </Fold>
      {isWaiting ? <Decide study={study} /> : null}
    </>
  );
}

/** The parts of its explanation, each folded. */
function Sections({ study }: { readonly study: ExplainedStudyView }) {
  const isWaiting = study.status === "waiting for approval";
  return (
    <>
      <SectionFold study={study} name="Request" />
      <SectionFold study={study} name="Columns from OMOP" />
      <Leaving study={study} />
      <SectionFold study={study} name="Who learns what" />
      <Cost study={study} />
      {study.budget === null ? null : <Budget budget={study.budget} isWaiting={isWaiting} />}
      <div {...unrecorded}>
        <SectionFold study={study} name="Data check" />
      </div>
      <SectionFold study={study} name="What a decision reveals" />
      {isWaiting ? <SectionFold study={study} name="Before you approve" /> : null}
    </>
  );
}

function Outcome({ study }: { readonly study: ExplainedStudyView }) {
  const isDenied = outcomeOf(study) === "denied";
  return (
    <Notice
      tone={study.status === "released" ? "ok" : "info"}
      title={
        isDenied
          ? t("A person at this hospital denied this study.")
          : t("This study: {words}.", { words: served(study.words) })
      }
    >
      {study.decidedAt === null ? null : (
        <p>
          {rich("Decided by {more} on {Moment}.", {
            more: study.decidedBy ?? t("a person"),
            Moment: <Moment iso={study.decidedAt} />,
          })}
        </p>
      )}
      {study.reason === null ? null : (
        <p>
          <Reason text={study.reason} code={study.code} />{" "}
          {study.code === null || isDenied ? null : (
            <small className="muted">{rich("Code: {code}", { code: <code>{study.code}</code> })}</small>
          )}
        </p>
      )}
      {study.status === "refused" ? <WithoutUs study={study} /> : null}
      {endedWithout(study) ? null : (
        <p>
          <Link href={`/egress?study=${study.id}`}>{t("Data sent")}</Link>
          {" · "}
          <Link href={`/ledger?study=${study.id}`}>{t("Cost")}</Link>
        </p>
      )}
    </Notice>
  );
}

/**
 * What a hospital can know of a study that it is no part of: the aggregator tells it nothing further, so that the study may have
 * started, ended or been released long before the time to join is over.
 */
function WithoutUs({ study }: { readonly study: ExplainedStudyView }) {
  const { id, joinUntil, request } = study;
  const { minimumSites } = request;
  const now = useNow(60_000);
  const until = joinUntil === null ? null : <Moment iso={joinUntil} />;
  return (
    <p>
      {joinUntil === null || Date.parse(joinUntil) > now
        ? rich(
            "The study starts without this hospital once all others have decided{more}, if at least {minimumSites} of them join; otherwise it does not run.",
            { minimumSites, more: until === null ? "" : rich(", at the latest on {until}", { until }) },
          )
        : rich(
            "The time to join ended on {until}. With at least {minimumSites} other hospitals the study started without this one; otherwise it did not run.",
            { until, minimumSites },
          )}{" "}
      {rich(
        "A hospital that takes no part is not told whether the study has started or ended. A release, if there is one, is in the federation's catalogue as {id}.",
        { id: <code>{id}</code> },
      )}
    </p>
  );
}

/** @param props.name - the section's title, as the agent writes it */
function SectionFold({ study, name }: { readonly study: ExplainedStudyView; readonly name: string }) {
  const section = study.explanation.find(({ title }) => title === name);
  if (section === undefined) return null;
  return (
    <Fold title={served(section.title)}>
      <Paragraphs of={section.paragraphs} />
    </Fold>
  );
}

const forms = {
  "masked sum": {
    tone: "ok",
    get text() {
      return t("masked");
    },
  },
  "rows in the clear": {
    tone: "bad",
    get text() {
      return t("rows in the clear");
    },
  },
  "tag counts": {
    tone: "warn",
    get text() {
      return t("counts under tags");
    },
  },
} as const;

function Leaving({ study }: { readonly study: ExplainedStudyView }) {
  return (
    <Fold
      title={t("Data sent from this hospital")}
      hint={t("at most {leavingBytes}", { leavingBytes: formatBytes(study.leavingBytes) })}
    >
      <DataTable
        caption={t("Data sent by stage")}
        hideCaption
        columns={[
          { title: t("Stage"), cell: (one) => `${one.numbers}. ${one.name}` },
          { title: t("Description"), cell: (one) => <Served text={one.what} /> },
          {
            title: t("Form"),
            cell: (one) => (
              <>
                <Badge tone={forms[one.form].tone}>{forms[one.form].text}</Badge>
                <br />
                <Served text={one.formWords} />
              </>
            ),
          },
          { title: t("Noise"), cell: (one) => <Served text={one.noise} /> },
          {
            title: t("Maximum size"),
            number: true,
            cell: (one) =>
              one.bytes === 0
                ? "-"
                : one.stages === 1
                  ? formatBytes(one.bytes)
                  : t("{bytes} each", { bytes: formatBytes(one.bytes) }),
          },
        ]}
        rows={study.leaving}
        keyOf={(one) => `${one.numbers} ${one.name}`}
      />
      <p>
        {rich(
          "In total at most {leavingBytes}. All outgoing data are listed in {link}, with sizes and hashes. {more}",
          {
            leavingBytes: formatBytes(study.leavingBytes),
            link: <Link href={`/egress?study=${study.id}`}>{t("the egress log")}</Link>,
            more: study.leaving.every(({ form }) => form === "masked sum")
              ? t("No record itself is sent: only these sums are computed from records, and each is masked.")
              : t("Nothing else that is sent is computed from records."),
          },
        )}
      </p>
    </Fold>
  );
}

function Cost({ study }: { readonly study: ExplainedStudyView }) {
  const { claim } = study;
  const section = study.explanation.find(({ title }) => title === "Privacy cost");
  return (
    <Fold title={t("Privacy cost")}>
      {claim.verdict === "proved" && claim.epsilon !== null && claim.delta !== null ? (
        <>
          <p className="figure-line">
            <strong className="large">ε = {shown(claim.epsilon)}</strong>
            <span>
              {rich("at δ = {delta}: {word} protection, proven", {
                delta: served(deltaText(claim.delta)),
                word: served(strengthOf(claim.epsilon).word),
              })}
            </span>
          </p>
          <p>
            {rich("{text} Smaller numbers protect patients better.", {
              text: served(strengthOf(claim.epsilon).text),
            })}
          </p>
          <p>{served(guessText({ epsilon: claim.epsilon, delta: claim.delta }, claim.unit))}</p>
        </>
      ) : (
        <p className="figure-line">
          <strong className="large">{t("No proven bound")}</strong>
          <span>
            {claim.epsilon === null
              ? t("no claim")
              : t("the authors claim ε = {epsilon}", { epsilon: shown(claim.epsilon) })}
          </span>
        </p>
      )}
      <Paragraphs of={section?.paragraphs ?? []} />
    </Fold>
  );
}
