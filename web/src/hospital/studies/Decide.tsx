import type { ExplainedStudyView } from "@consilium/core/hospital/studyViews";
import { deltaText } from "@consilium/core/privacy/words";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { SelectField, Tick } from "../../shared/choices";
import { Ago, Dialog, FailureNotice, Field, Moment, Notice, useNow } from "../../shared/components";
import { formatBytes } from "../../shared/format";
import { useSession } from "../../shared/session/session";
import { hospital } from "../api";
import { deputiesQuery } from "./Deputies";
import { needsAcknowledgement, shown, shownDown, warningsOf } from "./privacyWords";

/** Why it cannot be approved, or could not be joined. */
export function Obstacles({ study }: { readonly study: ExplainedStudyView }) {
  return (
    <>
      {study.decision.outcome === "refused" ? (
        <Notice tone="bad" title={`The policy does not allow it: ${study.decision.rule}.`}>
          <p>{study.decision.words}</p>
        </Notice>
      ) : null}
      {study.budget?.fits === false ? (
        <Notice tone="bad" title="The remaining budget is too small.">
          <p>
            Epsilon {shown(study.budget.after)} would be spent or reserved of {study.budget.limit}, for the
            population {study.budget.population}. Ask the operator for a cheaper study, or an administrator to
            change the budget in the policy.
          </p>
        </Notice>
      ) : null}
      <FirstApproval study={study} />
      {study.reason === null ? null : (
        <Notice tone="warn" title="It was approved, but joining it failed.">
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
    return approvals === 1 ? null : <Notice title="Two different people must approve this study." />;
  const at = (
    <p>
      <Moment iso={first.at} />
    </p>
  );
  return changedSince.length === 0 ? (
    <Notice title={`Approved by ${first.by}, waits for a second approver.`}>{at}</Notice>
  ) : (
    <Notice tone="warn" title={`The approval of ${first.by} no longer counts.`}>
      <p>Changed since: {changedSince.join(", ")}. Both approvals are needed again.</p>
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
  const isAllowed = study.decision.outcome !== "refused" && study.budget?.fits !== false;
  return (
    <section className="decision-bar" aria-label="Decision">
      {study.approveUntil === null ? (
        <p>Waiting for your decision.</p>
      ) : (
        <Until iso={study.approveUntil} isOver={isOver} />
      )}
      <div className="row">
        <button type="button" data-kind="danger" onClick={() => setAsked("refuse")}>
          Deny…
        </button>
        <button
          type="button"
          data-kind="primary"
          disabled={!isAllowed || isOver}
          onClick={() => setAsked("approve")}
        >
          Approve…
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
      {isOver ? (
        <>
          The deadline passed <Ago iso={iso} />: no data of this hospital were used. It can be approved again
          if the operator resumes the study.
        </>
      ) : (
        <>
          Decide until <Moment iso={iso} /> (<Ago iso={iso} />
          ). After that the study continues without this hospital or stops.
        </>
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
  const mustAcknowledge = needsAcknowledgement(study.claim, study.leaving);
  const [isAcknowledged, setAcknowledged] = useState(false);
  const { account } = useSession();
  const deputies = useQuery(deputiesQuery);
  const [inPlaceOf, setInPlaceOf] = useState<string>("");
  const now = useNow();
  const principals = (deputies.data ?? [])
    .filter(({ deputy, from }) => deputy === account.name && Date.parse(from) <= now)
    .map(({ principal }) => [principal, `in place of ${principal}`] as const);
  const decided = useDecided();
  const approve = useMutation({
    mutationFn: () => hospital.approve(study.id, inPlaceOf === "" ? null : inPlaceOf),
    onSuccess: onClose,
    onSettled: decided,
  });
  const { claim, budget } = study;
  return (
    <Dialog title={`Approve ${study.name}?`} onClose={onClose}>
      {approve.error === null ? null : <FailureNotice error={approve.error} />}
      <ul>
        <li>
          The table <code>{study.table}</code> is read and checked now
          {claim.verdict === "proved" ? "." : ", and must not change while the study runs."}
        </li>
        <li>
          At most {formatBytes(study.leavingBytes)} are sent from this hospital, as listed on this page.
        </li>
        <li>
          {claim.verdict === "proved"
            ? `Epsilon ${shown(claim.epsilon ?? 0)} at delta ${deltaText(claim.delta ?? 0)} is reserved${study.approvals > 1 ? " with the second approval" : ""}, and spent permanently once data are sent.`
            : "Its privacy cost has no proven bound."}
        </li>
        {budget?.remainingAfter === null || budget?.remainingAfter === undefined ? null : (
          <li>
            Epsilon {shownDown(budget.remainingAfter)} of {budget.limit} per {budget.unit} remains afterwards
            for the population <code>{budget.population}</code>, counted at its own delta{" "}
            {deltaText(budget.delta)}.
          </li>
        )}
      </ul>
      {principals.length === 0 ? null : (
        <SelectField
          label="Approve"
          value={inPlaceOf}
          options={[["", "in my own name"], ...principals]}
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
            I understand this, and approve this hospital's participation.
          </Tick>
        </>
      ) : null}
      <div className="actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          data-kind="primary"
          disabled={approve.isPending || (mustAcknowledge && !isAcknowledged)}
          onClick={() => approve.mutate()}
        >
          {approve.isPending ? "Reading the table…" : "Approve study"}
        </button>
      </div>
    </Dialog>
  );
}

function Refuse({ study, onClose }: DecisionProps) {
  const [reason, setReason] = useState("");
  const decided = useDecided();
  const refuse = useMutation({
    mutationFn: () => hospital.refuse(study.id, reason.trim() === "" ? null : reason.trim()),
    onSuccess: onClose,
    onSettled: decided,
  });
  return (
    <Dialog title={`Deny ${study.name}?`} onClose={onClose}>
      {refuse.error === null ? null : <FailureNotice error={refuse.error} />}
      <p>This hospital will not take part. This cannot be undone for this study.</p>
      <Field
        label="Reason"
        hint="The reason stays at this hospital. The operator only learns that the study was denied manually."
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
          Cancel
        </button>
        <button type="button" data-kind="danger" disabled={refuse.isPending} onClick={() => refuse.mutate()}>
          Deny study
        </button>
      </div>
    </Dialog>
  );
}
