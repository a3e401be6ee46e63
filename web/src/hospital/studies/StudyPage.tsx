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
      <Card title="In short">
        <Facts
          of={[
            [
              "State",
              <Badge key="state" tone={statusTone[study.status]}>
                {statusWords[study.status]}
              </Badge>,
            ],
            ["Method", `${study.analysis}, ${study.method}, variant ${study.variant}`],
            ["Table", study.table],
            ["Costs", costText(study)],
            ["Leaves", `at most ${formatBytes(study.leavingBytes)} in all`],
            ["Decides", `${study.decision.words} (${study.decision.rule})`],
          ]}
        />
      </Card>
      <SectionCard study={study} title="What is asked" />
      <Leaving study={study} />
      <SectionCard study={study} title="Who learns what" />
      <Cost study={study} />
      {study.budget === null ? null : <Budget budget={study.budget} isWaiting={isWaiting} />}
      <SectionCard study={study} title="What was found in the table" />
      <SectionCard study={study} title="What a decision tells" />
      <SectionCard study={study} title="To know before approving" />
      {isWaiting ? <OfferedProfile id={study.id} /> : null}
      <Card title="The study as it was offered">
        <p>
          Every later message about the study is bound to this text by its hash <code>{study.hash}</code>.
        </p>
        <details>
          <summary>Show the whole file</summary>
          <CodeBlock code={JSON.stringify(study.study, null, 2)} label="The study, as JSON" />
        </details>
      </Card>
    </>
  );
}

function costText({ claim }: ExplainedStudyView): string {
  switch (claim.verdict) {
    case "proved":
      return `epsilon ${shown(claim.epsilon ?? 0)} at delta ${deltaText(claim.delta ?? 0)} for ${claim.unit}, proved`;
    case "claimed by the authors, not verified":
      return `no proved bound; its authors claim epsilon ${shown(claim.epsilon ?? 0)}`;
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
        <Link href={`/egress?study=${study.id}`}>What left for it</Link>
        {" · "}
        <Link href={`/ledger?study=${study.id}`}>What it cost</Link>
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
    <Card title="What leaves this hospital">
      <DataTable
        caption="What leaves, stage by stage"
        hideCaption
        columns={[
          { title: "Stage", cell: (one) => `${one.numbers}. ${one.name}` },
          { title: "What it is", cell: (one) => one.what },
          {
            title: "In what form",
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
            title: "Size, at most",
            number: true,
            cell: (one) =>
              one.bytes === 0 ? "-" : `${formatBytes(one.bytes)}${one.stages === 1 ? "" : " each"}`,
          },
        ]}
        rows={study.leaving}
        keyOf={(one) => `${one.numbers} ${one.name}`}
      />
      <p>
        In all at most {formatBytes(study.leavingBytes)}. Everything that leaves stands in{" "}
        <Link href={`/egress?study=${study.id}`}>the log of what left</Link> afterwards, with its size and its
        hash.{" "}
        {study.leaving.every(({ form }) => form === "masked sum")
          ? "No record is sent, and nothing else that depends on one."
          : "Nothing else of the table is sent."}
      </p>
    </Card>
  );
}

function Cost({ study }: { readonly study: ExplainedStudyView }) {
  const { claim } = study;
  const section = study.explanation.find(({ title }) => title === "What it costs");
  return (
    <Card title="What it costs">
      {claim.verdict === "proved" && claim.epsilon !== null && claim.delta !== null ? (
        <>
          <p className="figure-line">
            <strong className="large">ε = {shown(claim.epsilon)}</strong>
            <span>
              at δ = {deltaText(claim.delta)}: {strengthOf(claim.epsilon).word} protection, proved
            </span>
          </p>
          <p>{strengthOf(claim.epsilon).text} The smaller the number, the better patients are protected.</p>
          <p>{guessText({ epsilon: claim.epsilon, delta: claim.delta }, claim.unit)}</p>
        </>
      ) : (
        <p className="figure-line">
          <strong className="large">No proved bound</strong>
          <span>
            {claim.epsilon === null ? "nothing is claimed" : `the authors claim ε = ${shown(claim.epsilon)}`}
          </span>
        </p>
      )}
      <Paragraphs of={section?.paragraphs ?? []} />
    </Card>
  );
}
