import type { LedgerView, PopulationView } from "@consilium/core/hospital/ledgerViews";
import { useQuery } from "@tanstack/react-query";
import { Badge, Card, DataTable, Loaded, Page } from "../../shared/components";
import { formatDelta } from "../../shared/format";
import { plural, Served, served, t } from "../../shared/language";
import { hospital } from "../api";
import { shown, shownDown } from "../studies/privacyWords";
import { Entries } from "./Entries";
import { Reconcile } from "./Reconcile";
import { Spending } from "./Spending";
import { Verify } from "./Verify";

export default function LedgerPage() {
  const query = useQuery({ queryKey: ["ledger"], queryFn: hospital.ledger });
  return (
    <Page
      title={t("Ledger")}
      lead={t("The privacy cost of all studies on this hospital's records. Spent budget is never refunded.")}
      actions={
        <>
          <a className="button" href="/api/data-protection/export" download>
            {t("Data protection record")}
          </a>
          <a className="button" href="/api/ledger/export" download>
            {t("Export signed ledger")}
          </a>
        </>
      }
    >
      <Loaded query={query} what={t("the ledger")}>
        {(ledger) => (
          <>
            {ledger.behind === null ? null : <Reconcile behind={ledger.behind} />}
            <Populations ledger={ledger} />
            <Spending />
            <Verify />
            <Entries entries={ledger.entries} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Populations({ ledger }: { readonly ledger: LedgerView }) {
  return (
    <Card title={t("Budgets")}>
      <DataTable
        caption={t("Spent and remaining budget by population")}
        hideCaption
        columns={[
          {
            title: t("Population"),
            cell: (one) => (
              <>
                {one.name}
                <br />
                <span className="muted">
                  {one.tables.length === 0
                    ? t("all tables not in another population")
                    : one.tables.join(", ")}
                </span>
                {one.notes.map((note) => (
                  <p key={note} className="muted">
                    <Served text={note} />
                  </p>
                ))}
              </>
            ),
          },
          { title: t("Spent, ε"), number: true, cell: (one) => shown(one.spent) },
          { title: t("Reserved, ε"), number: true, cell: (one) => shown(one.reserved) },
          { title: t("Limit, ε"), number: true, cell: (one) => one.limit ?? t("none|limit") },
          {
            title: t("Remains, ε"),
            number: true,
            cell: (one) => (one.remaining === null ? "-" : shownDown(one.remaining)),
          },
          { title: t("At δ"), number: true, cell: (one) => formatDelta(one.delta) },
          { title: t("Per"), cell: (one) => served(one.unit) },
          { title: t("Bound"), cell: (one) => <Bound of={one} /> },
        ]}
        rows={ledger.populations}
        keyOf={(one) => one.name}
      />
      <p className="muted">
        {t(
          "All numbers are rounded conservatively. Reserved budget is for running studies; it becomes spent or is released when they end.",
        )}
      </p>
      {ledger.populations.every(({ unbounded }) => unbounded === 0) ? null : (
        <p className="muted">
          {t(
            "Data sent without a proven bound are counted separately: they are not part of the spent budget, and the remaining budget does not cover them.",
          )}
        </p>
      )}
    </Card>
  );
}

function Bound({ of }: { readonly of: PopulationView }) {
  if (of.unbounded === 0) return <Badge tone="ok">{t("proven")}</Badge>;
  return (
    <>
      <Badge tone="bad">{t("no proven bound")}</Badge>
      <br />
      {plural(of.unbounded, "data sent once without a proof", "data sent {count} times without a proof")}
    </>
  );
}
