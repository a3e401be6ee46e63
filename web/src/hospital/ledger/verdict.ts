import type { LedgerReportView } from "@consilium/core/hospital/ledgerViews";

/** The result of verifying a ledger, in words. */
export function verdictOf(report: LedgerReportView): {
  readonly tone: "ok" | "warn" | "bad";
  readonly title: string;
  readonly texts: readonly string[];
} {
  const { entries, keys, anchors } = report;
  const chain = `All ${entries} entries form an unbroken hash chain, and each is signed with ${keys.length === 1 ? "this site's key" : `one of this site's ${keys.length} keys`}.`;
  if (anchors.some(({ state }) => state === "missing"))
    return {
      tone: "bad",
      title: "The entries are valid, but this is an old copy or another ledger.",
      texts: [
        chain,
        "A head kept elsewhere is missing from it. Until the missing spending is charged, the site spends nothing.",
      ],
    };
  if (anchors.some(({ state }) => state === "reconciled"))
    return {
      tone: "warn",
      title: "The ledger is valid; a part of it was lost and has been charged since.",
      texts: [chain, "The lost entries cannot be recovered; their cost has been charged."],
    };
  const kept =
    anchors.length === 0
      ? "No copies of its head are kept elsewhere yet."
      : "It contains every head kept elsewhere.";
  return { tone: "ok", title: "The ledger is intact.", texts: [chain, kept] };
}
