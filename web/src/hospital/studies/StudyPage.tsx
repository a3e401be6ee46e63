import type { ExplainedStudyView } from "@consilium/core/hospital/studyViews";
import { deltaText, guessText, strengthOf } from "@consilium/core/privacy/words";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { Badge, CodeBlock, DataTable, Fold, Loaded, Moment, Notice, Page } from "../../shared/components";
import { formatBytes } from "../../shared/format";
import { hospital } from "../api";
import { OfferedProfile } from "../tables/OfferedProfile";
import { Budget } from "./Budget";
import { Decide, Obstacles } from "./Decide";
import { Paragraphs } from "./Paragraphs";
import { shown } from "./privacyWords";
import { Questions } from "./Questions";
import { Summary } from "./Summary";
import { statusTone, statusWords } from "./statusWords";

export default function StudyPage({ id }: { readonly id: string }) {
  const query = useQuery({ queryKey: ["studies", id], queryFn: () => hospital.study(id) });
  const study = query.data;
  return (
    <Page
      title={study?.name ?? "Study"}
      lead={
        <span className="row">
          {study === undefined ? null : (
            <Badge tone={statusTone[study.status]}>{statusWords[study.status]}</Badge>
          )}
          <Link href="/studies">All studies</Link>
        </span>
      }
    >
      <Loaded query={query} what="the study">
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
      <Summary study={study} />
      <SectionFold study={study} title="Request" />
      <SectionFold study={study} title="Columns from OMOP" />
      <Leaving study={study} />
      <SectionFold study={study} title="Who learns what" />
      <Cost study={study} />
      {study.budget === null ? null : <Budget budget={study.budget} isWaiting={isWaiting} />}
      <SectionFold study={study} title="Data check" />
      <SectionFold study={study} title="What a decision reveals" />
      <SectionFold study={study} title="Before you approve" />
      {isWaiting ? <OfferedProfile id={study.id} /> : null}
      <Questions study={study} />
      <Fold title="Study file">
        <p>
          Every later message of the study is bound to this text by its hash <code>{study.hash}</code>.
        </p>
        <CodeBlock code={JSON.stringify(study.study, null, 2)} label="The study, as JSON" />
      </Fold>
      {isWaiting ? <Decide study={study} /> : null}
    </>
  );
}

function Outcome({ study }: { readonly study: ExplainedStudyView }) {
  return (
    <Notice tone={study.status === "released" ? "ok" : "info"} title={`This study: ${study.words}.`}>
      {study.decidedAt === null ? null : (
        <p>
          Decided by {study.decidedBy ?? "a person"} on <Moment iso={study.decidedAt} />.
        </p>
      )}
      {study.reason === null ? null : (
        <p>
          {study.reason} {study.code === null ? null : <code>{study.code}</code>}
        </p>
      )}
      <p>
        <Link href={`/egress?study=${study.id}`}>Data sent</Link>
        {" · "}
        <Link href={`/ledger?study=${study.id}`}>Cost</Link>
      </p>
    </Notice>
  );
}

function SectionFold({ study, title }: { readonly study: ExplainedStudyView; readonly title: string }) {
  const section = study.explanation.find((one) => one.title === title);
  if (section === undefined) return null;
  return (
    <Fold title={section.title}>
      <Paragraphs of={section.paragraphs} />
    </Fold>
  );
}

const forms = {
  "masked sum": { tone: "ok", text: "masked" },
  "rows in the clear": { tone: "bad", text: "rows in the clear" },
  "tag counts": { tone: "warn", text: "counts under tags" },
} as const;

function Leaving({ study }: { readonly study: ExplainedStudyView }) {
  return (
    <Fold title="Data sent from this hospital" hint={`at most ${formatBytes(study.leavingBytes)}`}>
      <DataTable
        caption="Data sent by stage"
        hideCaption
        columns={[
          { title: "Stage", cell: (one) => `${one.numbers}. ${one.name}` },
          { title: "Description", cell: (one) => one.what },
          {
            title: "Form",
            cell: (one) => (
              <>
                <Badge tone={forms[one.form].tone}>{forms[one.form].text}</Badge>
                <br />
                {one.formWords}
              </>
            ),
          },
          { title: "Noise", cell: (one) => one.noise },
          {
            title: "Maximum size",
            number: true,
            cell: (one) =>
              one.bytes === 0 ? "-" : `${formatBytes(one.bytes)}${one.stages === 1 ? "" : " each"}`,
          },
        ]}
        rows={study.leaving}
        keyOf={(one) => `${one.numbers} ${one.name}`}
      />
      <p>
        In total at most {formatBytes(study.leavingBytes)}. All outgoing data are listed in{" "}
        <Link href={`/egress?study=${study.id}`}>the egress log</Link>, with sizes and hashes.{" "}
        {study.leaving.every(({ form }) => form === "masked sum")
          ? "No records, and no other data that depend on a record, are sent."
          : "No other data from the table are sent."}
      </p>
    </Fold>
  );
}

function Cost({ study }: { readonly study: ExplainedStudyView }) {
  const { claim } = study;
  const section = study.explanation.find(({ title }) => title === "Privacy cost");
  return (
    <Fold title="Privacy cost">
      {claim.verdict === "proved" && claim.epsilon !== null && claim.delta !== null ? (
        <>
          <p className="figure-line">
            <strong className="large">ε = {shown(claim.epsilon)}</strong>
            <span>
              at δ = {deltaText(claim.delta)}: {strengthOf(claim.epsilon).word} protection, proven
            </span>
          </p>
          <p>{strengthOf(claim.epsilon).text} Smaller numbers protect patients better.</p>
          <p>{guessText({ epsilon: claim.epsilon, delta: claim.delta }, claim.unit)}</p>
        </>
      ) : (
        <p className="figure-line">
          <strong className="large">No proven bound</strong>
          <span>{claim.epsilon === null ? "no claim" : `the authors claim ε = ${shown(claim.epsilon)}`}</span>
        </p>
      )}
      <Paragraphs of={section?.paragraphs ?? []} />
    </Fold>
  );
}
