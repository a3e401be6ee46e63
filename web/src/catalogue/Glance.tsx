import { lacks } from "@consilium/core/method/parts";
import { strengthOf } from "@consilium/core/privacy/words";
import type { ReleaseView } from "@consilium/core/release/views";
import { holdingsText } from "@consilium/core/release/wording";
import { saidText } from "@consilium/core/said";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Badge, Facts, Moment } from "../shared/components";
import { proofAddress } from "../shared/documents/documents";
import { CountedList, FindingText } from "../shared/finding";
import { served, t } from "../shared/language";
import { methodText, toneOf, verdictInShort } from "./explain";
import { Licence } from "./Licence";
import { hasTables } from "./TablesCard";

/** A release in a few lines, in sight while it is read: what it found and how precisely, how private it is, whose it is. */
export function Glance({ view, children }: { readonly view: ReleaseView; readonly children: ReactNode }) {
  const { content, certificate } = view;
  const { card, counted, finding, flow, missing, refusals, study } = content;
  const proof = proofAddress(certificate.proof);
  return (
    <aside className="card glance" aria-label={t("At a glance")}>
      <div>
        {finding === undefined ? null : <FindingText finding={finding} />}
        <CountedList counted={counted} flow={flow} refusals={refusals} />
        {missing === undefined ? null : (
          <p>
            <Badge tone="warn">{t("incomplete")}</Badge>{" "}
            {served(saidText({ code: "result.missing", params: { missing: lacks(missing) } }))}
          </p>
        )}
        <p>
          <Badge tone={toneOf(certificate.verdict)}>{verdictInShort(certificate)}</Badge>{" "}
          {certificate.verdict === "proved" ? served(strengthOf(certificate.epsilon ?? 0).text) : null}{" "}
          <a href="#certificate">{t("What the certificate says")}</a>
        </p>
      </div>
      <Facts
        of={[
          [
            t("Holds"),
            card === undefined && content.columns.length === 0 && hasTables(view)
              ? t("tables of results, no rows")
              : served(holdingsText({ ...content, columns: content.columns.length })),
          ],
          [t("Method"), methodText(study)],
          [
            t("Why it is private"),
            <span key="why">
              <a href="#plain">{t("in plain words")}</a>
              {proof === null ? null : (
                <>
                  , <Link href={proof}>{t("the proof")}</Link>
                </>
              )}
            </span>,
          ],
          [t("Hospitals"), certificate.sites.length],
          [t("Federation"), certificate.federation],
          [t("Published"), <Moment key="at" iso={content.createdAt} />],
          [t("Licence"), <Licence key="licence" view={view} />],
        ]}
      />
      {children}
    </aside>
  );
}
