import type { LedgerReportView } from "@consilium/core/hospital/ledgerViews";
import { useMutation } from "@tanstack/react-query";
import { Card, DataTable, FailureNotice, Notice } from "../../shared/components";
import { hospital } from "../api";
import { verdictOf } from "./verdict";

/** Checks the ledger as it lies in the store: nothing changed, nothing left out, and not an old copy. */
export function Verify() {
  const verify = useMutation({ mutationFn: hospital.verify });
  return (
    <Card
      title="Is it whole?"
      actions={
        <button type="button" data-kind="primary" disabled={verify.isPending} onClick={() => verify.mutate()}>
          {verify.isPending ? "Verifying…" : "Verify the ledger"}
        </button>
      }
    >
      <p>
        Every entry names the one before it by its hash and is signed by this site. Verifying reads all of
        them from the store, and compares the end with what was kept elsewhere.
      </p>
      {verify.error === null ? null : <FailureNotice error={verify.error} retry={() => verify.mutate()} />}
      {verify.data === undefined ? null : <Outcome report={verify.data} />}
    </Card>
  );
}

const states = {
  held: "the ledger has that entry",
  reconciled: "that entry was lost with a newer copy, and has been charged since",
  missing: "the ledger does not have that entry",
} as const;

function Outcome({ report }: { readonly report: LedgerReportView }) {
  const { tone, title, texts } = verdictOf(report);
  return (
    <>
      <Notice tone={tone} title={title}>
        {texts.map((text) => (
          <p key={text}>{text}</p>
        ))}
      </Notice>
      <DataTable
        caption="What was kept of the ledger elsewhere"
        columns={[
          { title: "Kept by", cell: (anchor) => anchor.from },
          { title: "Entry", number: true, cell: (anchor) => anchor.sequence },
          { title: "Found", cell: (anchor) => states[anchor.state] },
          { title: "Hash", cell: (anchor) => <code>{anchor.hash.slice(0, 16)}</code> },
        ]}
        rows={report.anchors}
        keyOf={(anchor) => `${anchor.from} ${anchor.sequence} ${anchor.hash}`}
        empty="Nothing was kept elsewhere yet: nothing has been spent."
      />
      <p>
        The head now: entry {report.head.sequence}, <code>{report.head.hash}</code>. A copy of it on paper, or
        the one in a release's certificate, can be compared with{" "}
        <code>consilium ledger verify --anchor {report.head.sequence}:…</code> at any later time.
      </p>
    </>
  );
}
