import type { ExplainedStudyView } from "@consilium/core/hospital/studyViews";
import { deltaText, guessText, strengthOf } from "@consilium/core/privacy/words";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import {
  Badge,
  Card,
  CodeBlock,
  DataTable,
  Facts,
  Loaded,
  Moment,
  Notice,
  Page,
} from "../../shared/components";
import { formatBytes } from "../../shared/format";
import { hospital } from "../api";
import { OfferedProfile } from "../tables/OfferedProfile";
import { Budget } from "./Budget";
import { Decide } from "./Decide";
import { Paragraphs } from "./Paragraphs";
import { shown, warningsOf } from "./privacyWords";
import { statusTone, statusWords } from "./statusWords";

export function StudyPage({ id }: { readonly id: string }) {
  const query = useQuery({ queryKey: ["studies", id], queryFn: () => hospital.study(id) });
  return (
    <Page title={query.data?.name ?? "Study"} lead={<Link href="/studies">All studies</Link>}>
      <Loaded query={query} what="the study">
        {(study) => <Explained study={study} />}
      </Loaded>
    </Page>
  );
}

function Explained({ study }: { readonly study: ExplainedStudyView }) {
  const isWaiting = study.status === "waiting for approval";
  return (
    <>
      {isWaiting ? null : <Outcome study={study} />}
      {warningsOf(study.claim, study.leaving).map(({ title, texts }) => (
        <Notice key={title} tone="bad" title={title}>
          {texts.map((text) => (
            <p key={text}>{text}</p>
          ))}
        </Notice>
      ))}
      {isWaiting ? <Decide study={study} /> : null}
      <Card title="Summary">
        <Facts
          of={[
            [
              "Status",
              <Badge key="state" tone={statusTone[study.status]}>
                {statusWords[study.status]}
              </Badge>,
            ],
            ["Method", `${study.analysis}, ${study.method}, variant ${study.variant}`],
            ["Table", study.table],
            ["Cost", costText(study)],
            ["Data sent", `at most ${formatBytes(study.leavingBytes)} in all`],
            ["Approval", `${study.decision.words} (${study.decision.rule})`],
          ]}
        />
      </Card>
      <SectionCard study={study} title="Request" />
      <Leaving study={study} />
      <SectionCard study={study} title="Who learns what" />
      <Cost study={study} />
      {study.budget === null ? null : <Budget budget={study.budget} isWaiting={isWaiting} />}
      <SectionCard study={study} title="Data check" />
      <SectionCard study={study} title="What a decision reveals" />
      <SectionCard study={study} title="Before you approve" />
      {isWaiting ? <OfferedProfile id={study.id} /> : null}
      <Card title="Study file">
        <p>
          Every later message of the study is bound to this text by its hash <code>{study.hash}</code>.
        </p>
        <details>
          <summary>Show file</summary>
          <CodeBlock code={JSON.stringify(study.study, null, 2)} label="The study, as JSON" />
        </details>
      </Card>
    </>
  );
}

function costText({ claim }: ExplainedStudyView): string {
  switch (claim.verdict) {
    case "proved":
      return `epsilon ${shown(claim.epsilon ?? 0)} at delta ${deltaText(claim.delta ?? 0)} for ${claim.unit}, proven`;
    case "claimed by the authors, not verified":
      return `no proven bound; its authors claim epsilon ${shown(claim.epsilon ?? 0)}`;
    case "no privacy":
      return "no bound at all";
  }
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

function SectionCard({ study, title }: { readonly study: ExplainedStudyView; readonly title: string }) {
  const section = study.explanation.find((one) => one.title === title);
  if (section === undefined) return null;
  return (
    <Card title={section.title}>
      <Paragraphs of={section.paragraphs} />
    </Card>
  );
}

const forms = {
  "masked sum": { tone: "ok", text: "masked" },
  "rows in the clear": { tone: "bad", text: "rows in the clear" },
  "tag counts": { tone: "warn", text: "counts under tags" },
} as const;

function Leaving({ study }: { readonly study: ExplainedStudyView }) {
  return (
    <Card title="Data sent from this hospital">
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
    </Card>
  );
}

function Cost({ study }: { readonly study: ExplainedStudyView }) {
  const { claim } = study;
  const section = study.explanation.find(({ title }) => title === "Privacy cost");
  return (
    <Card title="Privacy cost">
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
    </Card>
  );
}
