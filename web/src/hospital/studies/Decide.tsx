import { usesFewRows } from "@consilium/core/hospital/profileRemarks";
import type { ProfileView } from "@consilium/core/hospital/profileViews";
import type { ExplainedStudyView } from "@consilium/core/hospital/studyViews";
import { deltaText } from "@consilium/core/privacy/words";
import { type UseQueryResult, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { SelectField, Tick } from "../../shared/choices";
import { Ago, Dialog, FailureNotice, Field, Moment, Notice, useNow } from "../../shared/components";
import { formatBytes } from "../../shared/format";
import { locale, rich, served, t, upperFirst } from "../../shared/language";
import { useSession } from "../../shared/session/session";
import { hospital } from "../api";
import { profileQuery } from "../tables/OfferedProfile";
import { deputiesQuery } from "./Deputies";
import { needsAcknowledgement, shown, shownDown, warningsOf } from "./privacyWords";
import { shownNow, unrecorded } from "./shownTexts";
import { deltaNote, denialTexts, uncountedText } from "./summaryWords";

/** Why it cannot be approved, or could not be joined. */
export function Obstacles({ study }: { readonly study: ExplainedStudyView }) {
  return (
    <>
      {study.decision.outcome === "refused" ? (
        <Notice tone="bad" title={t("The policy does not allow it: {rule}.", { rule: study.decision.rule })}>
          <p>{study.decision.words}</p>
        </Notice>
      ) : null}
      {study.budgetFault === null ? null : (
        <Notice tone="bad" title={t("The remaining budget is too small.")}>
          <p>
            {t(
              "{fault}. Ask the operator for a cheaper study, or an administrator to change the budget in the policy.",
              {
                fault: upperFirst(served(study.budgetFault)),
              },
            )}
          </p>
        </Notice>
      )}
      <FirstApproval study={study} />
      {study.reason === null ? null : (
        <Notice tone="warn" title={t("It was approved, but joining it failed.")}>
          <p>{study.reason}</p>
        </Notice>
      )}
    </>
  );
}

/** How far the approvals of a study are that needs two people. */
function FirstApproval({ study }: { readonly study: ExplainedStudyView }) {
  const { firstApproval: first, changedSince, approvals } = study;
  if (first === null)
    return approvals === 1 ? null : <Notice title={t("Two different people must approve this study.")} />;
  const at = (
    <p>
      <Moment iso={first.at} />
    </p>
  );
  return changedSince.length === 0 ? (
    <Notice title={t("Approved by {person}, waits for a second approver.", { person: first.by })}>
      {at}
    </Notice>
  ) : (
    <Notice tone="warn" title={t("The approval of {person} no longer counts.", { person: first.by })}>
      <p>
        {t("Changed since: {what}. Both approvals are needed again.", {
          what: changedSince.map(served).join(", "),
        })}
      </p>
      {at}
    </Notice>
  );
}

/** Manual approval or denial, with a confirmation: in sight while the page is read. */
export function Decide({ study }: { readonly study: ExplainedStudyView }) {
  const [asked, setAsked] = useState<"approve" | "refuse" | null>(null);
  const close = () => setAsked(null);
  const now = useNow();
  const isOver = study.approveUntil !== null && Date.parse(study.approveUntil) <= now;
  const isAllowed = study.decision.outcome !== "refused" && study.budgetFault === null;
  return (
    <section className="decision-bar" aria-label={t("Decision")}>
      {study.approveUntil === null ? (
        <p>{t("Waiting for your decision.")}</p>
      ) : (
        <Until iso={study.approveUntil} isOver={isOver} />
      )}
      <div className="row">
        <button type="button" data-kind="danger" onClick={() => setAsked("refuse")}>
          {t("Deny…")}
        </button>
        <button
          type="button"
          data-kind="primary"
          disabled={!isAllowed || isOver}
          onClick={() => setAsked("approve")}
        >
          {t("Approve…")}
        </button>
      </div>
      {asked === "approve" ? <Approve study={study} onClose={close} /> : null}
      {asked === "refuse" ? <Refuse study={study} onClose={close} /> : null}
    </section>
  );
}

function Until({ iso, isOver }: { readonly iso: string; readonly isOver: boolean }) {
  return (
    <p>
      {isOver
        ? rich(
            "The deadline passed {moment}: no data of this hospital were used. It can be approved again if the operator resumes the study.",
            { moment: <Ago iso={iso} /> },
          )
        : rich(
            "Decide until {Moment} ({moment}). After that the study continues without this hospital or stops.",
            { Moment: <Moment iso={iso} />, moment: <Ago iso={iso} /> },
          )}
    </p>
  );
}

interface DecisionProps {
  readonly study: ExplainedStudyView;
  readonly onClose: () => void;
}

/** Invalidates everything that depends on the decision. */
function useDecided() {
  const queries = useQueryClient();
  return () => {
    for (const key of ["studies", "status", "ledger"]) void queries.invalidateQueries({ queryKey: [key] });
  };
}

function Approve({ study, onClose }: DecisionProps) {
  const check = useQuery(profileQuery(study.id));
  const isPoor = check.data !== undefined && usesFewRows(check.data.report);
  const mustAcknowledge = needsAcknowledgement(study.claim, study.leaving) || isPoor;
  const [isAcknowledged, setAcknowledged] = useState(false);
  const { account } = useSession();
  const deputies = useQuery(deputiesQuery);
  const [inPlaceOf, setInPlaceOf] = useState<string>("");
  const now = useNow();
  const principals = (deputies.data ?? [])
    .filter(({ deputy, from }) => deputy === account.name && Date.parse(from) <= now)
    .map(({ principal }) => [principal, t("in place of {person}", { person: principal })] as const);
  const decided = useDecided();
  const approve = useMutation({
    mutationFn: () => hospital.approve(study.id, inPlaceOf === "" ? null : inPlaceOf, shownNow(study.terms)),
    onSuccess: onClose,
    onSettled: decided,
  });
  const { claim, budget } = study;
  return (
    <Dialog title={t("Approve {name}?", { name: study.name })} onClose={onClose}>
      {approve.error === null ? null : (
        <div {...unrecorded}>
          <FailureNotice error={approve.error} />
        </div>
      )}
      <ul>
        <li>
          {rich("The table {table} is read and checked now{more}", {
            table: <code>{study.table}</code>,
            more: claim.verdict === "proved" ? "." : t(", and must not change while the study runs."),
          })}
        </li>
        <li>
          {rich("At most {leavingBytes} are sent from this hospital, as listed on this page.", {
            leavingBytes: formatBytes(study.leavingBytes),
          })}
        </li>
        <li>
          {claim.verdict === "proved"
            ? study.approvals > 1
              ? t(
                  "Epsilon {more} at delta {more2} is reserved with the second approval, and spent permanently once data are sent.",
                  { more: shown(claim.epsilon ?? 0), more2: served(deltaText(claim.delta ?? 0)) },
                )
              : t("Epsilon {more} at delta {more2} is reserved, and spent permanently once data are sent.", {
                  more: shown(claim.epsilon ?? 0),
                  more2: served(deltaText(claim.delta ?? 0)),
                })
            : budget === null
              ? t("Its privacy cost has no proven bound.")
              : uncountedText(budget)}
        </li>
        {claim.verdict !== "proved" || budget === null || budget.remainingAfter === null ? null : (
          <li>
            {rich(
              "Epsilon {remainingAfter} of {limit} per {unit} remains afterwards for the population {population}, counted at its own delta {delta}.",
              {
                remainingAfter: shownDown(budget.remainingAfter),
                limit: budget.limit,
                unit: served(budget.unit),
                population: <code>{budget.population}</code>,
                delta: served(deltaText(budget.delta)),
              },
            )}{" "}
            {deltaNote(study)}
          </li>
        )}
      </ul>
      <div {...unrecorded}>
        <Checked query={check} />
      </div>
      {principals.length === 0 ? null : (
        <SelectField
          label={t("Approve|whose")}
          value={inPlaceOf}
          options={[["", t("in my own name")], ...principals]}
          onChange={setInPlaceOf}
        />
      )}
      {mustAcknowledge ? (
        <>
          {warningsOf(study.claim, study.leaving).map(({ title }) => (
            <p key={title}>
              <strong>{title}</strong>
            </p>
          ))}
          <Tick checked={isAcknowledged} onChange={setAcknowledged}>
            {t("I understand this, and approve this hospital's participation.")}
          </Tick>
        </>
      ) : null}
      <div className="actions">
        <button type="button" onClick={onClose}>
          {t("Cancel")}
        </button>
        <button
          type="button"
          data-kind={claim.verdict === "proved" ? "primary" : "danger"}
          disabled={approve.isPending || check.isLoading || (mustAcknowledge && !isAcknowledged)}
          onClick={() => approve.mutate()}
        >
          {approve.isPending || check.isLoading
            ? t("Reading the table…")
            : claim.verdict === "proved"
              ? t("Approve study")
              : t("Approve without proven privacy")}
        </button>
      </div>
    </Dialog>
  );
}

/** How the study would use this hospital's table, before anybody approves it. */
function Checked({ query }: { readonly query: UseQueryResult<ProfileView> }) {
  if (query.error !== null) return <FailureNotice error={query.error} />;
  if (query.data === undefined) return null;
  const { report, flow, remarks } = query.data;
  const counts = {
    used: report.used.toLocaleString(locale()),
    rows: (report.rows + report.malformed).toLocaleString(locale()),
  };
  return (
    <Notice
      tone={report.used === 0 ? "bad" : remarks.length > 0 ? "warn" : "ok"}
      title={t("Your data: the study uses {used} of {rows} rows.", counts)}
    >
      {[...flow, ...remarks].map((line) => (
        <p key={line}>{served(line)}</p>
      ))}
    </Notice>
  );
}

function Refuse({ study, onClose }: DecisionProps) {
  const [reason, setReason] = useState("");
  const decided = useDecided();
  const refuse = useMutation({
    mutationFn: () =>
      hospital.refuse(study.id, reason.trim() === "" ? null : reason.trim(), shownNow(study.terms)),
    onSuccess: onClose,
    onSettled: decided,
  });
  return (
    <Dialog title={t("Deny {name}?", { name: study.name })} onClose={onClose}>
      {refuse.error === null ? null : (
        <div {...unrecorded}>
          <FailureNotice error={refuse.error} />
        </div>
      )}
      <ul>
        {denialTexts(study.request).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <Field
        label={t("Reason")}
        hint={t(
          "The reason stays at this hospital. The operator only learns that the study was denied manually.",
        )}
      >
        {(ids) => (
          <textarea
            {...ids}
            rows={4}
            maxLength={2_000}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
      </Field>
      <div className="actions">
        <button type="button" onClick={onClose}>
          {t("Cancel")}
        </button>
        <button type="button" data-kind="danger" disabled={refuse.isPending} onClick={() => refuse.mutate()}>
          {t("Deny study")}
        </button>
      </div>
    </Dialog>
  );
}
