import type { BehindView } from "@consilium/core/hospital/ledgerViews";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Dialog, FailureNotice, Field, Notice } from "../../shared/components";
import { useSession } from "../../shared/session/session";
import { hospital } from "../api";
import { costText } from "./costText";

/** An old copy of the ledger: what is missing, why nothing is spent, and how it goes on. */
export function Reconcile({ behind }: { readonly behind: BehindView }) {
  const [isAsked, setAsked] = useState(false);
  const { account } = useSession();
  const mayReconcile = account.role === "administrator";
  return (
    <Notice
      tone="bad"
      title="This ledger is an old copy: nothing is spent until it is reconciled."
      action={
        mayReconcile ? (
          <button type="button" data-kind="danger" onClick={() => setAsked(true)}>
            Reconcile…
          </button>
        ) : null
      }
    >
      <p>
        The site has signed entry {behind.sequence} of its ledger once, and this copy does not have it: the
        state folder was set back to an older backup. What was spent since then has left and cannot be
        unspent.
      </p>
      {behind.isKnown ? <Lost lost={behind.lost} /> : <Unknown />}
      <p>
        Studies that were under way on this copy end for this hospital, because their keys may have been used
        since. {mayReconcile ? "" : "An administrator can reconcile it."}
      </p>
      {isAsked ? <Confirm isKnown={behind.isKnown} onClose={() => setAsked(false)} /> : null}
    </Notice>
  );
}

function Lost({ lost }: { readonly lost: BehindView["lost"] }) {
  return (
    <>
      <p>Reconciling charges what is missing, as this hospital's own anchor proves it:</p>
      <ul>
        {lost.length === 0 ? <li>nothing was spent in between</li> : null}
        {lost.map((one) => (
          <li key={`${one.population} ${one.unit}`}>
            population {one.population}: {costText(one)}
            {one.unbounded === 0 ? "" : `, and ${one.unbounded} times something without a proved bound`}
          </li>
        ))}
      </ul>
    </>
  );
}

function Unknown() {
  return (
    <p>
      The head that proves it does not show what was spent, and the file ledger-anchor.json of this state
      folder does not either. Restore the newest state folder. If there is none, say what was lost: it is
      charged to every population, and a population's whole limit is never too little.
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
    <Dialog title="Reconcile the ledger?" onClose={onClose}>
      {reconcile.error === null ? null : <FailureNotice error={reconcile.error} />}
      <p>
        If the newer copy of the state folder still exists, restore that one instead: then nothing is lost. A
        reconciliation is an entry of the ledger like any other and cannot be taken back.
      </p>
      {isKnown ? null : (
        <Field label="Lost, ε, charged to every population">
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
          Not now
        </button>
        <button
          type="button"
          data-kind="danger"
          disabled={reconcile.isPending || !isSaid}
          onClick={() => reconcile.mutate()}
        >
          {reconcile.isPending ? "Charging…" : "Charge what is missing"}
        </button>
      </div>
    </Dialog>
  );
}
