import type { ReleaseView } from "@consilium/core/release/views";
import { epsilonText } from "@consilium/core/release/wording";
import { Link } from "wouter";
import { DataTable, Facts, Moment } from "../shared/components";
import { proofAddress } from "../shared/documents/documents";
import { formatDelta } from "../shared/format";
import { decimal, rich, Served, said, served, t } from "../shared/language";
import { AnchoredCard } from "./Anchor";
import { type Explanation, explain, ledgerNote, signedInWords } from "./explain";
import { plainWords } from "./plainWords";

/** The certificate in plain words: the verdict first, then its meaning, then its basis. */
export function CertificateCard({ view }: { readonly view: ReleaseView }) {
  const { certificate } = view;
  const told = explain(certificate);
  const note = ledgerNote(certificate);
  return (
    <AnchoredCard id="certificate" title={t("What the certificate says")}>
      <p>
        <strong>{told.headline}</strong> {certificate.verdict === "proved" ? told.meaning : null}
      </p>
      {note === null ? null : <p>{note}</p>}
      <InPlainWords view={view} told={told} />
      {certificate.reasons.length === 0 ? null : (
        <>
          <h3>{t("Why it is not proven")}</h3>
          <ul>
            {certificate.reasons.map((reason) => (
              <li key={reason}>
                <Served text={reason} />
              </li>
            ))}
          </ul>
        </>
      )}
      <h3>{t("What it does not protect")}</h3>
      <ul>
        {told.notProtected.map((what) => (
          <li key={what}>{what}</li>
        ))}
      </ul>
      <p>{signedInWords(certificate)}</p>
      <Behind view={view} />
    </AnchoredCard>
  );
}

/** For readers of no mathematics; the proof after it. */
function InPlainWords({ view, told }: { readonly view: ReleaseView; readonly told: Explanation }) {
  const { content, certificate } = view;
  const plain = plainWords({ ...content, certificate });
  return (
    <>
      <h3 id="plain">{t("In plain words")}</h3>
      <div className="plain">
        <Facts
          of={[
            [t("What is protected"), plain.what],
            [t("From whom"), plain.from],
            [t("By what"), plain.how],
            [t("How strongly"), told.epsilon === null ? null : `${told.epsilon} ${told.delta ?? ""}`],
            [t("Proof"), certificate.proof === null ? null : <Proof key="proof" text={certificate.proof} />],
          ]}
        />
      </div>
    </>
  );
}

function Behind({ view: { certificate, url } }: { readonly view: ReleaseView }) {
  const { epsilon, delta, sites, attempts, missing, software } = certificate;
  return (
    <details>
      <summary>{t("Details")}</summary>
      <Facts
        of={[
          [
            certificate.verdict === "proved" ? t("Epsilon") : t("Epsilon, claimed"),
            epsilon === null ? t("none|number") : decimal(epsilonText(epsilon)),
          ],
          [
            certificate.verdict === "proved" ? t("Delta") : t("Delta, claimed"),
            delta === null ? t("none|number") : formatDelta(delta),
          ],
          [t("Neighbouring relation"), served(certificate.neighbouringRelation)],
          [t("Unit"), served(certificate.unit)],
          [t("Hospitals"), sites.join(", ")],
          [t("Did not sign"), missing.length === 0 ? t("nobody") : missing.join(", ")],
          [t("Issued"), <Moment key="issued" iso={certificate.issuedAt} />],
          [
            t("Software"),
            Object.entries(software)
              .map(([name, version]) => `${name} ${version}`)
              .join(", "),
          ],
        ]}
      />
      <DataTable
        caption={t("Every step in which hospitals sent data")}
        columns={[
          { title: t("Step"), cell: (one) => one.stage },
          { title: t("Attempt"), cell: (one) => one.attempt, number: true },
          { title: t("Data sent"), cell: (one) => kinds[one.kind] },
          {
            title: t("Hospitals"),
            cell: (one) => one.survivors?.join(", ") ?? t("abandoned: no result"),
          },
          { title: t("Dropped out"), cell: (one) => one.dropped?.join(", ") || t("nobody") },
        ]}
        rows={attempts}
        keyOf={(one) => `${one.stage} ${one.attempt}`}
      />
      <p>
        {rich("{link} has all details, with every mechanism and its noise.", {
          link: <a href={`${path(url)}certificate.json`}>certificate.json</a>,
        })}
      </p>
    </details>
  );
}

/** A proof in these documents is a link to them. */
function Proof({ text }: { readonly text: string }) {
  const address = proofAddress(text);
  return address === null ? (
    <Served text={text} />
  ) : (
    <Link href={address}>{rich("The proof, with its mathematics ({text})", { text })}</Link>
  );
}

const kinds: Readonly<Record<ReleaseView["certificate"]["attempts"][number]["kind"], string>> = said({
  sum: "a masked vector; only the sum over hospitals was revealed",
  rows: "reduced rows, unmasked",
  tags: "counts, unmasked",
});

/** A release's address on this page's origin: the publisher may have other names elsewhere. */
function path(url: string): string {
  return new URL(url).pathname;
}
