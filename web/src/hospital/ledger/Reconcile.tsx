import type { BehindView } from "@consilium/core/hospital/ledgerViews";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Dialog, FailureNotice, Field, Notice } from "../../shared/components";
import { rich, t } from "../../shared/language";
import { useSession } from "../../shared/session/session";
import { hospital } from "../api";
import { costText } from "./costText";

/** An old copy of the ledger: what is missing, why spending is blocked, and how to reconcile. */
export function Reconcile({ behind }: { readonly behind: BehindView }) {
  const [isAsked, setAsked] = useState(false);
  const { account } = useSession();
  const mayReconcile = account.role === "administrator";
  return (
    <Notice
      tone="bad"
      title={t("This ledger is an old copy: spending is blocked until it is reconciled.")}
      action={
        mayReconcile ? (
          <button type="button" data-kind="danger" onClick={() => setAsked(true)}>
            {t("Reconcile…")}
          </button>
        ) : null
      }
    >
      <p>
        {rich(
          "The site signed entry {sequence} of its ledger, which this copy does not have: the state folder was restored from an older backup. Budget spent since then stays spent, because the data were sent.",
          { sequence: behind.sequence },
        )}
      </p>
      {behind.isKnown ? <Lost lost={behind.lost} /> : <Unknown />}
      <p>
        {rich(
          "Studies that were running on this copy end for this hospital, because their keys may have been used since. {more}",
          { more: mayReconcile ? "" : t("An administrator can reconcile it.") },
        )}
      </p>
      {isAsked ? <Confirm isKnown={behind.isKnown} onClose={() => setAsked(false)} /> : null}
    </Notice>
  );
}

function Lost({ lost }: { readonly lost: BehindView["lost"] }) {
  return (
    <>
      <p>{t("Reconciling charges the missing spending, as proven by this hospital's own anchor:")}</p>
      <ul>
        {lost.length === 0 ? <li>{t("nothing was spent in between")}</li> : null}
        {lost.map((one) => (
          <li key={`${one.population} ${one.unit}`}>
            {rich("population {population}: {one}{more}", {
              population: one.population,
              one: costText(one),
              more:
                one.unbounded === 0
                  ? ""
                  : t(", and {unbounded} releases without a proven bound", { unbounded: one.unbounded }),
            })}
          </li>
        ))}
      </ul>
    </>
  );
}

function Unknown() {
  return (
    <p>
      {t(
        "Neither the ledger head nor ledger-anchor.json in this state folder shows how much was spent. Restore the newest state folder. If there is none, enter the lost amount: it is charged to every population. A population's whole limit is always enough.",
      )}
    </p>
  );
}

function Confirm({ isKnown, onClose }: { readonly isKnown: boolean; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const [typed, setTyped] = useState("");
  const charge = Number(typed);
  const isSaid = isKnown || (typed.trim() !== "" && Number.isFinite(charge) && charge > 0);
  const reconcile = useMutation({
    mutationFn: () => hospital.reconcile(isKnown ? null : charge),
    onSuccess: async () => {
      await queries.invalidateQueries();
      onClose();
    },
  });
  return (
    <Dialog title={t("Reconcile the ledger?")} onClose={onClose}>
      {reconcile.error === null ? null : <FailureNotice error={reconcile.error} />}
      <p>
        {t(
          "If the newer copy of the state folder still exists, restore it instead: then nothing is lost. A reconciliation is a permanent ledger entry and cannot be undone.",
        )}
      </p>
      {isKnown ? null : (
        <Field label={t("Lost, ε, charged to every population")}>
          {(ids) => (
            <input
              {...ids}
              type="number"
              inputMode="decimal"
              min={0}
              step="any"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
      )}
      <div className="actions">
        <button type="button" onClick={onClose}>
          {t("Cancel")}
        </button>
        <button
          type="button"
          data-kind="danger"
          disabled={reconcile.isPending || !isSaid}
          onClick={() => reconcile.mutate()}
        >
          {reconcile.isPending ? t("Charging…") : t("Charge missing spending")}
        </button>
      </div>
    </Dialog>
  );
}
