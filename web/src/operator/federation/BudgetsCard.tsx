import type { AuditEventView, AuditView } from "@consilium/core/access/views";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { request } from "../../shared/api";
import { DataTable, Fold, Moment } from "../../shared/components";
import { rich, said, t } from "../../shared/language";

/** Codes with which a site says that a study costs more than it allows. */
const reasons: Readonly<Record<string, string>> = said({
  BUDGET_EXHAUSTED: "costs more than is left of the population's budget",
  POLICY_EPSILON: "costs more ε than one study may",
  POLICY_DELTA: "has a greater δ than one study may",
});
/** As many refusals are looked through. */
const lookedThrough = 500;

/** Where budgets are, and what sites have said of them: a refusal's code, and nothing else. */
export default function BudgetsCard() {
  const query = useQuery({
    queryKey: ["budget refusals"],
    queryFn: () => request<AuditView>("GET", `/api/audit?kind=refused&limit=${lookedThrough}`),
  });
  return (
    <Fold title={t("Privacy budgets of the hospitals")}>
      <p>
        {rich(
          "Each hospital keeps its own budget, one for each population of patients. It tells neither its limits nor what is left. Ask its data-protection officer, who sees both on the hospital's page {page} and with {command}.",
          { page: <em>{t("Ledger")}</em>, command: <code>consilium ledger show</code> },
        )}
      </p>
      <p>
        {t(
          "A refusal tells that a study costs more than is left, or more than one study may cost. A smaller ε, fewer stages or another table may be accepted; what is left after that, the refusal does not tell.",
        )}
      </p>
      <DataTable
        caption={t("Latest refusals because of a budget, one a site")}
        columns={[
          { title: t("Site"), cell: ({ site }) => site },
          {
            title: t("Reason"),
            cell: ({ detail }) => (
              <>
                {reasons[detail]} <code>{detail}</code>
              </>
            ),
          },
          {
            title: t("Study"),
            cell: ({ study }) => (study === null ? "–" : <Link href={`/studies/${study}`}>{study}</Link>),
          },
          { title: t("When"), cell: ({ at }) => <Moment iso={at} /> },
        ]}
        rows={latestOf(query.data?.events ?? [])}
        keyOf={({ site }) => site ?? ""}
        empty={t("No site has refused a study because of its budget.")}
      />
    </Fold>
  );
}

/** @param events - refusals, newest first */
export function latestOf(events: readonly AuditEventView[]): AuditEventView[] {
  const bySite = new Map<string, AuditEventView>();
  for (const event of events) {
    if (event.site === null || !(event.detail in reasons) || bySite.has(event.site)) continue;
    bySite.set(event.site, event);
  }
  return [...bySite.values()].sort((a, b) => a.site!.localeCompare(b.site!));
}
