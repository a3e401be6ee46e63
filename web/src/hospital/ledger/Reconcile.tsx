import type { BehindView } from "@consilium/core/hospital/ledgerViews";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Dialog, FailureNotice, Notice } from "../../shared/components";
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
      <p>Reconciling charges what is missing, as far as the signed head proves it:</p>
      <ul>
        {behind.lost.length === 0 ? <li>nothing was spent in between</li> : null}
        {behind.lost.map((lost) => (
          <li key={lost.population}>
            population {lost.population}: {costText(lost)}
            {lost.unbounded === 0 ? "" : `, and ${lost.unbounded} times something without a proved bound`}
          </li>
        ))}
      </ul>
      <p>
        Studies that were under way on this copy end for this hospital, because their keys may have been used
        since. {mayReconcile ? "" : "An administrator can reconcile it."}
      </p>
      {isAsked ? <Confirm onClose={() => setAsked(false)} /> : null}
    </Notice>
  );
}

function Confirm({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const reconcile = useMutation({
    mutationFn: hospital.reconcile,
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
      <div className="actions">
        <button type="button" onClick={onClose}>
          Not now
        </button>
        <button
          type="button"
          data-kind="danger"
          disabled={reconcile.isPending}
          onClick={() => reconcile.mutate()}
        >
          {reconcile.isPending ? "Charging…" : "Charge what is missing"}
        </button>
      </div>
    </Dialog>
  );
}
