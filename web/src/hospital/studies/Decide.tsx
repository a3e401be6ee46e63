import type { ExplainedStudyView } from "@consilium/core/hospital/studyViews";
import { deltaText } from "@consilium/core/privacy/words";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Tick } from "../../shared/choices";
import { Ago, Card, Dialog, FailureNotice, Field, Moment, Notice, useNow } from "../../shared/components";
import { formatBytes } from "../../shared/format";
import { hospital } from "../api";
import { needsAcknowledgement, shown, shownDown, warningsOf } from "./privacyWords";

/** A person's decision: to take part or not, confirmed before anything is done. */
export function Decide({ study }: { readonly study: ExplainedStudyView }) {
  const [asked, setAsked] = useState<"approve" | "refuse" | null>(null);
  const close = () => setAsked(null);
  const now = useNow();
  const isOver = study.approveUntil !== null && Date.parse(study.approveUntil) <= now;
  const isAllowed = study.decision.outcome !== "refused" && study.budget?.fits !== false;
  return (
    <Card title="Your decision">
      {study.approveUntil === null ? null : <Until iso={study.approveUntil} isOver={isOver} />}
      {study.decision.outcome === "refused" ? (
        <Notice tone="bad" title={`The policy does not allow it: ${study.decision.rule}.`}>
          <p>{study.decision.words}</p>
        </Notice>
      ) : null}
      {study.budget?.fits === false ? (
        <Notice tone="bad" title="The budget does not leave room for it.">
          <p>
            Epsilon {shown(study.budget.after)} would be spent or reserved of {study.budget.limit}, for the
            population {study.budget.population}. Ask the operator for a study that costs less; only an
            administrator can change the budget, in the policy.
          </p>
        </Notice>
      ) : null}
      {study.reason === null ? null : (
        <Notice tone="warn" title="It was approved before, and could not be joined.">
          <p>{study.reason}</p>
        </Notice>
      )}
      <div className="row">
        <button
          type="button"
          data-kind="primary"
          disabled={!isAllowed || isOver}
          onClick={() => setAsked("approve")}
        >
          Approve…
        </button>
        <button type="button" data-kind="danger" onClick={() => setAsked("refuse")}>
          Refuse…
        </button>
      </div>
      {asked === "approve" ? <Approve study={study} onClose={close} /> : null}
      {asked === "refuse" ? <Refuse study={study} onClose={close} /> : null}
    </Card>
  );
}

function Until({ iso, isOver }: { readonly iso: string; readonly isOver: boolean }) {
  return (
    <p>
      It {isOver ? "could" : "can"} be approved until <Moment iso={iso} /> (<Ago iso={iso} />
      ).{" "}
      {isOver
        ? "The study went on without this hospital, or not at all, and nothing of it was used. It can be approved again if the operator resumes it."
        : "After that the study goes on without this hospital, or not at all; nothing of it is used then."}
    </p>
  );
}

interface DecisionProps {
  readonly study: ExplainedStudyView;
  readonly onClose: () => void;
}

/** Everything that rests on what was decided. */
function useDecided() {
  const queries = useQueryClient();
  return () => {
    for (const key of ["studies", "status", "ledger"]) void queries.invalidateQueries({ queryKey: [key] });
  };
}

function Approve({ study, onClose }: DecisionProps) {
  const mustAcknowledge = needsAcknowledgement(study.claim, study.leaving);
  const [isAcknowledged, setAcknowledged] = useState(false);
  const decided = useDecided();
  const approve = useMutation({
    mutationFn: () => hospital.approve(study.id),
    onSuccess: onClose,
    onSettled: decided,
  });
  const { claim, budget } = study;
  return (
    <Dialog title={`Approve ${study.name}?`} onClose={onClose}>
      {approve.error === null ? null : <FailureNotice error={approve.error} />}
      <ul>
        <li>
          The table {study.table} is read through now
          {claim.verdict === "proved" ? "." : ", and must not change while the study runs."}
        </li>
        <li>At most {formatBytes(study.leavingBytes)} leave this hospital, as the page says.</li>
        <li>
          {claim.verdict === "proved"
            ? `Epsilon ${shown(claim.epsilon ?? 0)} at delta ${deltaText(claim.delta ?? 0)} is reserved, and spent for ever once it has left.`
            : "What it spends has no proved bound."}
        </li>
        {budget?.remainingAfter === null || budget?.remainingAfter === undefined ? null : (
          <li>
            Epsilon {shownDown(budget.remainingAfter)} of {budget.limit} per {budget.unit} remains afterwards
            for the population {budget.population}.
          </li>
        )}
      </ul>
      {mustAcknowledge ? (
        <>
          {warningsOf(study.claim, study.leaving).map(({ title }) => (
            <p key={title}>
              <strong>{title}</strong>
            </p>
          ))}
          <Tick checked={isAcknowledged} onChange={setAcknowledged}>
            I have understood this, and this hospital may take part all the same.
          </Tick>
        </>
      ) : null}
      <div className="actions">
        <button type="button" onClick={onClose}>
          Not now
        </button>
        <button
          type="button"
          data-kind="primary"
          disabled={approve.isPending || (mustAcknowledge && !isAcknowledged)}
          onClick={() => approve.mutate()}
        >
          {approve.isPending ? "Reading the table…" : "Approve: this hospital takes part"}
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
    <Dialog title={`Refuse ${study.name}?`} onClose={onClose}>
      {refuse.error === null ? null : <FailureNotice error={refuse.error} />}
      <p>This hospital takes no part in it. That cannot be taken back for this study.</p>
      <Field
        label="Reason"
        hint="It stays at this hospital. The operator learns that a person refused, and nothing more."
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
          Not now
        </button>
        <button type="button" data-kind="danger" disabled={refuse.isPending} onClick={() => refuse.mutate()}>
          Refuse: this hospital takes no part
        </button>
      </div>
    </Dialog>
  );
}
