import type { ExplainedStudyView, StudyBudgetView } from "@consilium/core/hospital/studyViews";
import { deltaText } from "@consilium/core/privacy/words";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Badge, Card } from "../../shared/components";
import { proofAddress } from "../../shared/documents/documents";
import { Reason } from "../../shared/failureWords";
import { formatBytes } from "../../shared/format";
import { locale, rich, served, t } from "../../shared/language";
import { shown, warningsOf } from "./privacyWords";
import { endedWithout, isDecidedByPolicy, methodText } from "./statusWords";
import {
  decisionText,
  deltaNote,
  denialTexts,
  firstNames,
  meterParts,
  meterText,
  protectionText,
  sentKinds,
  uncountedText,
} from "./summaryWords";

/** Everything that a decision rests on, in one screen; the folded parts below have the details. */
export function Summary({ study }: { readonly study: ExplainedStudyView }) {
  const isWaiting = study.status === "waiting for approval";
  const isWithout = endedWithout(study);
  return (
    <Card title={t("Summary")}>
      {isWithout ? null : <Warnings study={study} />}
      <div className="summary">
        <Part title={t("Request, in the operator's words: not verified")}>
          <Request study={study} />
        </Part>
        {isWithout ? null : <Sent study={study} />}
        <Part title={isWaiting ? t("Who decides") : t("Who decided")}>
          <Decision study={study} />
        </Part>
        {isWithout ? <Nothing /> : <CostAndProtection study={study} />}
        {isWaiting ? (
          <Part title={t("If you deny")}>
            <ul>
              {denialTexts(study.request).map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          </Part>
        ) : null}
      </div>
    </Card>
  );
}

/** What must be seen before a study is approved. */
export function Warnings({ study }: { readonly study: ExplainedStudyView }) {
  return warningsOf(study.claim, study.leaving).map(({ title, texts }) => (
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
  ));
}

/** What a study sends, costs and reveals, by its text. */
export function Terms({ study }: { readonly study: ExplainedStudyView }) {
  return (
    <>
      <Sent study={study} />
      <CostAndProtection study={study} />
    </>
  );
}

/** Of a study that ended without this hospital. */
function Nothing() {
  return (
    <>
      <Part title={t("Data sent")}>
        <p>{t("Nothing: no data from this hospital's table were sent.")}</p>
      </Part>
      <Part title={t("Privacy cost")}>
        <p>{t("Nothing was charged to the privacy budget.")}</p>
      </Part>
    </>
  );
}

function Sent({ study }: { readonly study: ExplainedStudyView }) {
  return (
    <Part title={t("Data read and sent")}>
      <DataRead study={study} />
      <ul>
        {sentKinds(study).map(({ form, name, tone, text }) => (
          <li key={form}>
            <Badge tone={tone}>{name}</Badge> {text}
          </li>
        ))}
      </ul>
      <p>
        {rich("At most {leavingBytes} in all. {more}", {
          leavingBytes: formatBytes(study.leavingBytes),
          more:
            study.request.readers === "open"
              ? t("Everyone can read the release.")
              : t("Readers with a token can read the release."),
        })}
      </p>
    </Part>
  );
}

function CostAndProtection({ study }: { readonly study: ExplainedStudyView }) {
  const { budget, claim } = study;
  const protection = protectionText(claim);
  const note = deltaNote(study);
  const proof = proofAddress(claim.proof);
  return (
    <>
      <Part title={t("Privacy cost")}>
        <p>
          <strong className="large">{costText(study)}</strong>{" "}
          {claim.verdict === "proved" ? (
            <span>
              {rich("at δ = {more} for {unit}", {
                more: served(deltaText(claim.delta ?? 0)),
                unit: served(claim.unit),
              })}
            </span>
          ) : null}
        </p>
        {budget === null ? null : claim.verdict === "proved" ? (
          <Meter budget={budget} />
        ) : (
          <p>{uncountedText(budget)}</p>
        )}
        {note === null ? null : <p className="muted">{note}</p>}
      </Part>
      <Part title={t("Protection")}>
        <p>
          <Badge tone={protection.tone}>{protection.word}</Badge> {protection.text}{" "}
          {proof === null ? null : <Link href={proof}>{t("Why it is private")}</Link>}
        </p>
      </Part>
    </>
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

/** While it waits by the policy as it stands now; afterwards who it was, whatever the policy says since. */
function Decision({ study }: { readonly study: ExplainedStudyView }) {
  const text = decisionText(study);
  return (
    <p>
      {isDecidedByPolicy(study) ? <strong>{t("Decided by policy.")} </strong> : null}
      {text ?? (
        <>
          <Reason text={study.decision.words} code={study.decision.code} />{" "}
          <small className="muted">
            {rich("Policy rule: {rule}", { rule: <code>{study.decision.rule}</code> })}
          </small>
        </>
      )}{" "}
      {isDecidedByPolicy(study)
        ? rich(
            "To decide by hand, set Approval to “{choice}” in the {policy}: it holds for studies that are offered afterwards.",
            {
              choice: t("A person, always"),
              policy: <Link href="/policy">{t("policy|link")}</Link>,
            },
          )
        : rich("The {policy} says which studies a person decides.", {
            policy: <Link href="/policy">{t("policy|link")}</Link>,
          })}
    </p>
  );
}

function Request({ study }: { readonly study: ExplainedStudyView }) {
  const { request } = study;
  const unstated = request.unstated.map((one) => served(one.toLowerCase())).join(", ");
  return (
    <>
      <p>
        <strong>{request.title ?? study.name}</strong>
      </p>
      {request.stated.map(({ title, text }) => (
        <p key={title}>
          <span className="muted">{served(title)}:</span> {text}
        </p>
      ))}
      {request.unstated.length === 0 ? null : (
        <p className="muted">
          {request.stated.length === 0
            ? request.creator === null
              ? t("Asked by the federation's operator. The study does not state: {unstated}.", { unstated })
              : t("Asked by the federation's operator for {creator}. The study does not state: {unstated}.", {
                  creator: request.creator,
                  unstated,
                })
            : t("Not stated: {unstated}.", { unstated })}
        </p>
      )}
    </>
  );
}

function DataRead({ study }: { readonly study: ExplainedStudyView }) {
  const { columns, makes, maxRows } = study.request;
  return (
    <p>
      {rich("{method} reads {columns} columns ({names}) of at most {rows} rows of table {table}.", {
        method: methodText(study),
        columns: columns.length,
        names: firstNames(columns),
        rows: maxRows.toLocaleString(locale()),
        table: <code>{study.table}</code>,
      })}
      {makes.length === 0 ? null : ` ${t("It makes {names} of them.", { names: firstNames(makes) })}`}
    </p>
  );
}

function costText({ claim }: ExplainedStudyView): string {
  switch (claim.verdict) {
    case "proved":
      return `ε = ${shown(claim.epsilon ?? 0)}`;
    case "claimed by the authors, not verified":
      return t("no proven bound");
    case "no privacy":
      return t("no bound");
  }
}

/** The population's budget before and after, as a bar with its numbers. */
function Meter({ budget }: { readonly budget: StudyBudgetView }) {
  const parts = meterParts(budget);
  return (
    <>
      <p>
        {rich("Budget of population {population}: {budget}. {more}", {
          population: <code>{budget.population}</code>,
          budget: meterText(budget),
          more: budget.fits ? null : <Badge tone="bad">{t("not enough budget")}</Badge>,
        })}
      </p>
      <div className="meter" aria-hidden="true" data-fits={budget.fits}>
        <span data-part="before" style={{ width: `${parts.before}%` }} />
        <span data-part="study" style={{ width: `${parts.study}%` }} />
        {parts.limit === null ? null : <span data-part="limit" style={{ left: `${parts.limit}%` }} />}
      </div>
      <p className="meter-key muted" aria-hidden="true">
        <span data-part="before">{t("other studies")}</span>
        <span data-part="study">{t("this study")}</span>
        <span data-part="rest">{budget.limit === null ? t("no limit") : t("remaining")}</span>
      </p>
    </>
  );
}
