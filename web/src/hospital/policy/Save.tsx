import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Dialog, FailureNotice, Notice } from "../../shared/components";
import { t } from "../../shared/language";
import { hospital } from "../api";
import type { Check } from "./useCheck";

/** Saves the edited text atomically, and keeps the previous version. */
export function Save(props: {
  readonly draft: { readonly text: string; readonly version: string | null };
  readonly canSave: boolean;
  readonly check: Check;
  readonly onSaved: () => void;
  /** Null: there is nothing to discard. */
  readonly onDiscard: (() => void) | null;
}) {
  const { draft, check } = props;
  const [isAsked, setAsked] = useState(false);
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: () => hospital.savePolicy(draft.text, draft.version),
    onSuccess: (policy) => {
      queries.setQueryData(["policy"], policy);
      for (const key of ["policy", "studies", "status", "ledger", "egress"])
        void queries.invalidateQueries({ queryKey: [key] });
      setAsked(false);
      props.onSaved();
    },
  });
  const isSound = check.state === "checked" && check.view !== null && check.view.faults.length === 0;
  return (
    <>
      {save.isSuccess && !props.canSave ? (
        <Notice tone="ok" title={t("Policy saved.")}>
          <p>{t("It applies to the next study. The previous version is listed below.")}</p>
        </Notice>
      ) : null}
      <p className="row save" data-changed={props.canSave}>
        <button
          type="button"
          data-kind="primary"
          disabled={!props.canSave || !isSound}
          onClick={() => setAsked(true)}
        >
          {t("Save policy…")}
        </button>
        {props.onDiscard === null ? null : (
          <button type="button" onClick={props.onDiscard}>
            {t("Discard changes")}
          </button>
        )}
        {props.canSave && check.state === "checked" && !isSound ? (
          <span className="muted">{t("Correct the errors first.")}</span>
        ) : null}
      </p>
      {isAsked ? (
        <Dialog title={t("Save the policy?")} onClose={() => setAsked(false)}>
          {save.error === null ? null : <FailureNotice error={save.error} />}
          <p>
            {t(
              "It applies from now on to every study that is offered or approved. The previous version is kept in the history, with your name.",
            )}
          </p>
          {(check.view?.warnings ?? []).map((warning) => (
            <Notice key={warning} tone="warn" title={warning} />
          ))}
          <div className="actions">
            <button type="button" onClick={() => setAsked(false)}>
              {t("Cancel")}
            </button>
            <button type="button" data-kind="primary" disabled={save.isPending} onClick={() => save.mutate()}>
              {save.isPending ? t("Saving…") : t("Save policy")}
            </button>
          </div>
        </Dialog>
      ) : null}
    </>
  );
}
