import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
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
  const isSaved = save.isSuccess && !props.canSave;
  const saved = useRef<HTMLDivElement>(null);
  // The button stands at the end of the screen, its message at the end of the page.
  useEffect(() => {
    if (!isSaved) return;
    const frame = requestAnimationFrame(() => {
      saved.current?.focus({ preventScroll: true });
      saved.current?.scrollIntoView({ block: "center" });
    });
    return () => cancelAnimationFrame(frame);
  }, [isSaved]);
  // What is changed again is not what was saved.
  const { isSuccess, reset } = save;
  useEffect(() => {
    if (props.canSave && isSuccess) reset();
  }, [props.canSave, isSuccess, reset]);
  const isSound = check.state === "checked" && check.view !== null && check.view.faults.length === 0;
  return (
    <>
      <div ref={saved} tabIndex={-1} className="saved">
        {isSaved ? (
          <Notice tone="ok" title={t("Policy saved.")}>
            <p>{t("It applies to the next study. The previous version is listed below.")}</p>
          </Notice>
        ) : null}
      </div>
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
