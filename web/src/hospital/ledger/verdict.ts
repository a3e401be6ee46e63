import type { LedgerReportView } from "@consilium/core/hospital/ledgerViews";

/** What a verified ledger is found to be, in words. */
export function verdictOf(report: LedgerReportView): {
  readonly tone: "ok" | "warn" | "bad";
  readonly title: string;
  readonly texts: readonly string[];
} {
  const { entries, keys, anchors } = report;
  const chain = `All ${entries} entries follow one another by their hashes, none was changed or left out, and each is signed with ${keys.length === 1 ? "this site's key" : `one of this site's ${keys.length} keys`}.`;
  if (anchors.some(({ state }) => state === "missing"))
    return {
      tone: "bad",
      title: "The ledger holds, but it is an old copy, or another ledger.",
      texts: [
        chain,
        "Something that was kept of it elsewhere is not in it. Until that is charged, the site spends nothing.",
      ],
    };
  if (anchors.some(({ state }) => state === "reconciled"))
    return {
      tone: "warn",
      title: "The ledger holds; part of it was lost once and has been charged since.",
      texts: [chain, "The entries that were lost are gone, their cost is not."],
    };
  const kept =
    anchors.length === 0
      ? "Nothing was kept of it elsewhere yet."
      : "What was kept of it elsewhere is in it.";
  return { tone: "ok", title: "The ledger is whole.", texts: [chain, kept] };
}
