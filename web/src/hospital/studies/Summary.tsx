import type { ExplainedStudyView, StudyBudgetView } from "@consilium/core/hospital/studyViews";
import { deltaText } from "@consilium/core/privacy/words";
import type { ReactNode } from "react";
import { Badge, Card } from "../../shared/components";
import { formatBytes } from "../../shared/format";
import { shown, warningsOf } from "./privacyWords";
import { denialTexts, meterParts, meterText, protectionText, sentKinds } from "./summaryWords";

/** Everything that a decision rests on, in one screen; the folded parts below have the details. */
export function Summary({ study }: { readonly study: ExplainedStudyView }) {
  const { budget, claim } = study;
  const protection = protectionText(claim);
  return (
    <Card title="Summary">
      {warningsOf(study.claim, study.leaving).map(({ title, texts }) => (
        <div key={title} className="notice" data-tone="bad" role="alert">
          <details>
            <summary>
              <strong>{title}</strong>
            </summary>
            {texts.map((text) => (
              <p key={text}>{text}</p>
            ))}
          </details>
        </div>
      ))}
      <div className="summary">
        <Part title="Request">
          <Request study={study} />
        </Part>
        <Part title="Data sent">
          <ul>
            {sentKinds(study).map(({ form, name, tone, text }) => (
              <li key={form}>
                <Badge tone={tone}>{name}</Badge> {text}
              </li>
            ))}
          </ul>
          <p>At most {formatBytes(study.leavingBytes)} in all.</p>
        </Part>
        <Part title="Privacy cost">
          <p>
            <strong className="large">{costText(study)}</strong>{" "}
            {claim.verdict === "proved" ? (
              <span>
                at δ = {deltaText(claim.delta ?? 0)} for {claim.unit}
              </span>
            ) : null}
          </p>
          {budget === null ? null : <Meter budget={budget} />}
        </Part>
        <Part title="Protection">
          <p>
            <Badge tone={protection.tone}>{protection.word}</Badge> {protection.text}
          </p>
        </Part>
        {study.status === "waiting for approval" ? (
          <Part title="If you deny">
            <ul>
              {denialTexts(study.request).map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          </Part>
        ) : null}
        <Part title="Policy">
          <p>
            {study.decision.words} <code>{study.decision.rule}</code>
          </p>
        </Part>
      </div>
    </Card>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div>
      <h3>{title}</h3>
      {children}
    </div>
  );
}

function Request({ study }: { readonly study: ExplainedStudyView }) {
  const { request } = study;
  const rows = request.maxRows.toLocaleString("en-GB");
  return (
    <>
      <p>
        <strong>{request.title ?? study.name}</strong>
      </p>
      {request.stated.map(({ title, text }) => (
        <p key={title}>
          <span className="muted">{title}:</span> {text}
        </p>
      ))}
      {request.unstated.length === 0 ? null : (
        <p className="muted">
          {request.stated.length === 0
            ? `Asked by the federation's operator${request.creator === null ? "" : ` for ${request.creator}`}. The study does not state: `
            : "Not stated: "}
          {request.unstated.join(", ").toLowerCase()}.
        </p>
      )}
      <p>
        {study.method} ({study.variant}) reads {request.columns} columns of at most {rows} rows of table{" "}
        <code>{study.table}</code>.{" "}
        {request.readers === "open"
          ? "Everyone can read the release."
          : "Readers with a token can read the release."}
      </p>
    </>
  );
}

function costText({ claim }: ExplainedStudyView): string {
  switch (claim.verdict) {
    case "proved":
      return `ε = ${shown(claim.epsilon ?? 0)}`;
    case "claimed by the authors, not verified":
      return "no proven bound";
    case "no privacy":
      return "no bound";
  }
}

/** The population's budget before and after, as a bar with its numbers. */
function Meter({ budget }: { readonly budget: StudyBudgetView }) {
  const parts = meterParts(budget);
  return (
    <>
      <p>
        Budget of population <code>{budget.population}</code>: {meterText(budget)}.{" "}
        {budget.fits ? null : <Badge tone="bad">not enough budget</Badge>}
      </p>
      <div className="meter" aria-hidden="true" data-fits={budget.fits}>
        <span data-part="before" style={{ width: `${parts.before}%` }} />
        <span data-part="study" style={{ width: `${parts.study}%` }} />
        {parts.limit === null ? null : <span data-part="limit" style={{ left: `${parts.limit}%` }} />}
      </div>
      <p className="meter-key muted" aria-hidden="true">
        <span data-part="before">other studies</span>
        <span data-part="study">this study</span>
        <span data-part="rest">{budget.limit === null ? "no limit" : "remaining"}</span>
      </p>
    </>
  );
}
