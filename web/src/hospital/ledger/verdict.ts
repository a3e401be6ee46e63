import type { LedgerReportView } from "@consilium/core/hospital/ledgerViews";
import { t } from "../../shared/language";

/** The result of verifying a ledger, in words. */
export function verdictOf(report: LedgerReportView): {
  readonly tone: "ok" | "warn" | "bad";
  readonly title: string;
  readonly texts: readonly string[];
} {
  const { entries, keys, anchors, verifiedFrom } = report;
  const chain = t("All {entries} entries form an unbroken hash chain, and each is signed with {more}.", {
    entries,
    more:
      keys.length === 1 ? t("this site's key") : t("one of this site's {keys} keys", { keys: keys.length }),
  });
  const archived =
    verifiedFrom === 1
      ? []
      : [
          t(
            "Entries before {entry} are archived and were not verified: the archive is not in the state folder. Their total is in the checkpoint.",
            { entry: verifiedFrom },
          ),
        ];
  if (anchors.some(({ state }) => state === "missing"))
    return {
      tone: "bad",
      title: t("The entries are valid, but this is an old copy or another ledger."),
      texts: [
        chain,
        ...archived,
        t(
          "A head kept elsewhere is missing from it. Until the missing spending is charged, the site spends nothing.",
        ),
      ],
    };
  if (anchors.some(({ state }) => state === "reconciled"))
    return {
      tone: "warn",
      title: t("The ledger is valid; a part of it was lost and has been charged since."),
      texts: [chain, ...archived, t("The lost entries cannot be recovered; their cost has been charged.")],
    };
  const kept =
    anchors.length === 0
      ? t("No copies of its head are kept elsewhere yet.")
      : t("It contains every head kept elsewhere.");
  return { tone: "ok", title: t("The ledger is intact."), texts: [chain, ...archived, kept] };
}
