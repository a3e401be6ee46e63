import type { ReleaseView } from "@consilium/core/release/views";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ApiError, request } from "../shared/api";
import { Badge, Card, Facts, Loaded, Moment, Notice, Page } from "../shared/components";
import { locale, type PlainMessage, rich, Served, served, t } from "../shared/language";
import { AnchoredCard } from "./Anchor";
import { CertificateCard } from "./CertificateCard";
import { CitationCard, CodeCard } from "./CodeCards";
import { CompareWith } from "./Compare";
import { Contact } from "./Contact";
import { explain, methodText, toneOf, verdictInShort } from "./explain";
import { FiguresCard } from "./FiguresCard";
import { DictionaryCard, FilesCard } from "./FilesCards";
import { Glance } from "./Glance";
import { Licence } from "./Licence";
import { ModelCardCard } from "./ModelCard";
import { TokenForm } from "./Reader";
import { RowsCard } from "./RowsCard";
import { ScatterCard } from "./ScatterCard";
import { hasTables, TablesCard } from "./TablesCard";
import { VerifyCard } from "./VerifyCard";

export default function ReleasePage({ id }: { readonly id: string }) {
  const query = useQuery({
    queryKey: ["release", id],
    queryFn: () => request<ReleaseView>("GET", `/api/releases/${encodeURIComponent(id)}`),
    staleTime: 60_000,
  });
  if (query.error instanceof ApiError && query.error.status === 401) return <NeedsToken />;
  if (query.data === undefined) {
    return (
      <Page title={t("Release")}>
        <Loaded query={query} what={t("the release")}>
          {() => null}
        </Loaded>
      </Page>
    );
  }
  return <Shown view={query.data} />;
}

function NeedsToken() {
  return (
    <Page title={t("This release needs a token")}>
      <div className="narrow">
        <Card>
          <TokenForm />
        </Card>
      </div>
    </Page>
  );
}

const releasesTrail = () => [["/", t("Releases")]] as const;

/** The answer first, then how to use it, then what it rests on. */
const sections: readonly (readonly [key: string, title: PlainMessage])[] = [
  ["results", "Results"],
  ["figures", "Figures"],
  ["model", "Model"],
  ["rows", "Rows"],
  ["code", "Code"],
  ["about", "About"],
  ["certificate", "Certificate"],
  ["verify", "Verify"],
  ["dictionary", "Data dictionary"],
  ["files", "Files"],
  ["citation", "Cite"],
];

function Shown({ view }: { readonly view: ReleaseView }) {
  const { content, certificate } = view;
  if (view.withdrawal?.status === "withdrawn") return <Withdrawn view={view} />;
  const hasRows = content.columns.length > 0;
  const hasFigures = view.files.some(({ name }) => name.startsWith("plots/"));
  const isThere: Readonly<Record<string, boolean>> = {
    rows: hasRows,
    dictionary: hasRows,
    results: hasTables(view),
    figures: hasFigures,
    model: content.card !== undefined,
  };
  return (
    <Page
      title={content.title}
      trail={releasesTrail()}
      lead={
        <Lead view={view}>
          <Badge tone={toneOf(certificate.verdict)}>{verdictInShort(certificate)}</Badge>
        </Lead>
      }
    >
      <WithdrawalNotice view={view} />
      <Supersedes view={view} />
      {certificate.verdict === "proved" ? null : <NotProved view={view} />}
      <div className="release">
        <Glance view={view}>
          <nav aria-label={t("On this page")} className="contents">
            <ul>
              {sections
                .filter(([key]) => isThere[key] !== false)
                .map(([key, title]) => (
                  <li key={key}>
                    <a href={`#${key}`}>{t(title)}</a>
                  </li>
                ))}
            </ul>
          </nav>
        </Glance>
        <div className="release-parts">
          {hasTables(view) ? <TablesCard view={view} /> : null}
          {hasFigures ? <FiguresCard view={view} /> : null}
          {content.card === undefined ? null : <ModelCardCard card={content.card} />}
          {hasRows ? <RowsCard view={view} /> : null}
          {hasRows ? <ScatterCard view={view} /> : null}
          <CodeCard view={view} />
          <About view={view} />
          <CertificateCard view={view} />
          <VerifyCard view={view} />
          {hasRows ? <DictionaryCard columns={content.columns} /> : null}
          <FilesCard view={view} />
          <CitationCard view={view} />
        </div>
      </div>
    </Page>
  );
}

/** Below the title: the state of a release, how it was made and when. */
function Lead({ view, children }: { readonly view: ReleaseView; readonly children: ReactNode }) {
  const { study, createdAt } = view.content;
  return (
    <span className="row">
      {children}
      <Badge>{methodText(study)}</Badge>
      <span>
        <Moment iso={createdAt} />
      </span>
    </span>
  );
}

/** Of a withdrawn release there is nothing to use: why, and what proves that it was one. */
function Withdrawn({ view }: { readonly view: ReleaseView }) {
  const { content } = view;
  return (
    <Page
      title={content.title}
      trail={releasesTrail()}
      lead={
        <Lead view={view}>
          <Badge tone="bad">{t("withdrawn")}</Badge>
        </Lead>
      }
    >
      <WithdrawalNotice view={view} />
      <Supersedes view={view} />
      <About view={view} />
      <CertificateCard view={view} />
    </Page>
  );
}

function WithdrawalNotice({ view: { withdrawal } }: { readonly view: ReleaseView }) {
  if (withdrawal === undefined) return null;
  const { status, reason, issuedAt, supersededBy, url } = withdrawal;
  const isWithdrawn = status === "withdrawn";
  return (
    <Notice
      tone={isWithdrawn ? "bad" : "warn"}
      title={isWithdrawn ? t("This release was withdrawn. Do not use it.") : t("This release is superseded.")}
    >
      <p>{rich("Reason: {reason}", { reason })}</p>
      {supersededBy === null ? null : (
        <p>
          {rich("Use this release instead: {id}.", {
            id: <Link href={`/releases/${supersededBy.id}/`}>{supersededBy.id}</Link>,
          })}
        </p>
      )}
      <p>
        <Moment iso={issuedAt} />.{" "}
        <a href={url}>{t("Signed statement of the aggregator (withdrawal.jws)")}</a>.
      </p>
    </Notice>
  );
}

function Supersedes({ view: { supersedes } }: { readonly view: ReleaseView }) {
  if (supersedes.length === 0) return null;
  return (
    <p>
      {rich("Supersedes {value}.", {
        value: supersedes.map(({ id }, index) => (
          <span key={id}>
            {index === 0 ? "" : ", "}
            <Link href={`/releases/${id}/`}>{id}</Link>
          </span>
        )),
      })}
    </p>
  );
}

/** Shown first, so that readers do not mistake such a release for a protected one. */
function NotProved({ view }: { readonly view: ReleaseView }) {
  const isPaper = view.certificate.verdict === "claimed by the authors, not verified";
  return (
    <Notice
      tone={isPaper ? "warn" : "bad"}
      title={
        isPaper
          ? t("As-published variant: its privacy is claimed, not proven.")
          : t("This release has no privacy protection.")
      }
    >
      <p>{explain(view.certificate).meaning}</p>
    </Notice>
  );
}

function About({ view }: { readonly view: ReleaseView }) {
  const { content, certificate } = view;
  const { study } = content;
  return (
    <AnchoredCard id="about" title={t("About this release")}>
      {content.description.split(/\n\s*\n/).map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
      <Facts
        of={[
          [t("Release"), <code key="id">{content.id}</code>],
          [t("Study"), study.name],
          [t("Method"), `${study.analysis}: ${methodText(study)}`],
          [t("Federation"), certificate.federation],
          [t("Rows"), content.columns.length === 0 ? null : content.rows.toLocaleString(locale())],
          [t("Creator"), content.creator],
          [
            served("Contact"),
            content.contact === undefined ? null : <Contact key="contact" of={content.contact} />,
          ],
          [t("Licence"), <Licence key="licence" view={view} />],
          [
            t("Access"),
            content.access === "open" ? t("open|access") : t("requires a token from the publisher"),
          ],
        ]}
      />
      <CompareWith content={content} />
      {content.notes.length === 0 ? null : (
        <>
          <h3>{t("How to read it")}</h3>
          {content.notes.map((note) => (
            <p key={note}>
              <Served text={note} />
            </p>
          ))}
        </>
      )}
    </AnchoredCard>
  );
}
