import type { LedgerReportView } from "@consilium/core/hospital/ledgerViews";
import { useMutation } from "@tanstack/react-query";
import { Card, DataTable, FailureNotice, Notice } from "../../shared/components";
import { rich, said, served, t } from "../../shared/language";
import { hospital } from "../api";
import { verdictOf } from "./verdict";

/** Checks the stored ledger: unchanged, complete and not an old copy. */
export function Verify() {
  const verify = useMutation({ mutationFn: hospital.verify });
  return (
    <Card
      title={t("Ledger integrity")}
      actions={
        <button type="button" data-kind="primary" disabled={verify.isPending} onClick={() => verify.mutate()}>
          {verify.isPending ? t("Verifying…") : t("Verify ledger")}
        </button>
      }
    >
      <p>
        {t(
          "Every entry contains the hash of the previous one and is signed by this site. Verification reads all entries from the store, and compares the last one with copies kept elsewhere.",
        )}
      </p>
      {verify.error === null ? null : <FailureNotice error={verify.error} retry={() => verify.mutate()} />}
      {verify.data === undefined ? null : <Outcome report={verify.data} />}
    </Card>
  );
}

const states = said({
  held: "the ledger has this entry",
  reconciled: "the entry was lost with a newer copy, and has been charged since",
  missing: "the ledger does not have this entry",
});

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
        caption={t("Copies of the ledger head kept elsewhere")}
        columns={[
          { title: t("Kept by"), cell: (anchor) => served(anchor.from) },
          { title: t("Entry"), number: true, cell: (anchor) => anchor.sequence },
          { title: t("Found"), cell: (anchor) => states[anchor.state] },
          { title: t("Hash"), cell: (anchor) => <code>{anchor.hash.slice(0, 16)}</code> },
        ]}
        rows={report.anchors}
        keyOf={(anchor) => `${anchor.from} ${anchor.sequence} ${anchor.hash}`}
        empty={t("No copies yet: nothing has been spent.")}
      />
      <p>
        {rich(
          "Current head: entry {sequence}, {hash}. Compare a copy of it, on paper or in a release's certificate, with {sequence2} at any time.",
          {
            sequence: report.head.sequence,
            hash: <code>{report.head.hash}</code>,
            sequence2: (
              <code>
                {rich("consilium ledger verify --anchor {sequence}:…", { sequence: report.head.sequence })}
              </code>
            ),
          },
        )}
      </p>
    </>
  );
}
