import { lacks } from "@consilium/core/method/parts";
import { strengthOf } from "@consilium/core/privacy/words";
import { headlineOf } from "@consilium/core/release/modelCard";
import type { ReleaseView } from "@consilium/core/release/views";
import { holdingsText } from "@consilium/core/release/wording";
import { saidText } from "@consilium/core/said";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { request } from "../shared/api";
import { Badge, Facts, Moment } from "../shared/components";
import { proofAddress } from "../shared/documents/documents";
import { decimal, rich, Served, served, t } from "../shared/language";
import { asksForPrediction, methodText, toneOf, verdictInShort } from "./explain";
import { figuresQuery } from "./FiguresCard";
import { findingsOf } from "./finding";
import { Licence } from "./Licence";
import { hasTables, tablesQuery } from "./TablesCard";

/** A release in a few lines, in sight while it is read: what it found and how precisely, how private it is, whose it is. */
export function Glance({ view, children }: { readonly view: ReleaseView; readonly children: ReactNode }) {
  const { content, certificate } = view;
  const { card, caution, missing, study } = content;
  const proof = proofAddress(certificate.proof);
  return (
    <aside className="card glance" aria-label={t("At a glance")}>
      <div>
        <Findings view={view} />
        {asksForPrediction(study) ? <Headline card={card} /> : null}
        {caution === undefined ? null : (
          <p>
            <Badge tone="warn">{t("may be chance")}</Badge> <Served text={caution} />
          </p>
        )}
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

function Headline({ card }: { readonly card: ReleaseView["content"]["card"] }) {
  const headline = headlineOf(card);
  if (headline === null) return null;
  const { name, value, low, high } = headline;
  const digits = (one: number) => decimal(one.toFixed(3));
  return (
    <p>
      <span className="muted">{served(name)}</span>
      <strong className="answer">{digits(value)}</strong>
      <span className="muted">
        {low === null || high === null
          ? null
          : t("95 % interval: {low} to {high}.", { low: digits(low), high: digits(high) })}{" "}
        {rich("On about {rows} held-out rows.", { rows: Math.round(card?.evaluation?.rows ?? 0) })}
      </span>
    </p>
  );
}

const modelFile = "model.json";
/** A larger model says nothing that fits in a line. */
const modelMaxBytes = 1_000_000;

/** What a release found that has no evaluated model: a table one, counts, associations, components, a ranking. */
function Findings({ view }: { readonly view: ReleaseView }) {
  const { content, files, url } = view;
  const tables = useQuery(tablesQuery(view));
  const figures = useQuery(figuresQuery(view));
  const readsModel = ["pca", "survival"].includes(content.study.analysis);
  const model = useQuery({
    queryKey: ["model", content.id],
    queryFn: () => request<unknown>("GET", `${new URL(url).pathname}${modelFile}`),
    enabled: readsModel && files.some(({ name, bytes }) => name === modelFile && bytes <= modelMaxBytes),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const findings = findingsOf({
    tables: tables.data?.tables,
    figures:
      headlineOf(content.card) === null || !asksForPrediction(content.study)
        ? figures.data?.figures
        : undefined,
    model: model.data,
    syntheticRows: content.study.analysis === "synthetic-table" ? content.rows : null,
  });
  return (
    <>
      {findings.map(({ name, value, about }) => (
        <p key={name}>
          <span className="muted">{name}</span>
          <strong className="answer" data-kind={/^(?:[\d(-]|p [<=])/.test(value) ? undefined : "words"}>
            {value}
          </strong>
          {about === null ? null : <span className="muted">{about}</span>}
        </p>
      ))}
    </>
  );
}
