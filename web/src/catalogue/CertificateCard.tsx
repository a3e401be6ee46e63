import type { ReleaseView } from "@consilium/core/release/views";
import { DataTable, Facts, Moment } from "../shared/components";
import { AnchoredCard } from "./Anchor";
import { explain, signedInWords } from "./explain";

/** The certificate in plain words: the verdict first, then its meaning, then its basis. */
export function CertificateCard({ view }: { readonly view: ReleaseView }) {
  const { certificate } = view;
  const told = explain(certificate);
  return (
    <AnchoredCard id="certificate" title="What the certificate says">
      <p>
        <strong>{told.headline}</strong> {certificate.verdict === "proved" ? told.meaning : null}
      </p>
      {told.epsilon === null ? null : (
        <>
          <h3>What this means</h3>
          <p>
            {told.epsilon} {told.delta}
          </p>
          <p>
            <strong>Protected:</strong> {told.protects}
          </p>
        </>
      )}
      {certificate.reasons.length === 0 ? null : (
        <>
          <h3>Why it is not proven</h3>
          <ul>
            {certificate.reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        </>
      )}
      <h3>What it does not protect</h3>
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

function Behind({ view: { certificate, url } }: { readonly view: ReleaseView }) {
  const { epsilon, delta, proof, sites, attempts, missing, software } = certificate;
  return (
    <details>
      <summary>Details</summary>
      <Facts
        of={[
          [
            certificate.verdict === "proved" ? "Epsilon" : "Epsilon, claimed",
            epsilon === null ? "none" : String(epsilon),
          ],
          [
            certificate.verdict === "proved" ? "Delta" : "Delta, claimed",
            delta === null ? "none" : String(delta),
          ],
          ["Neighbouring relation", certificate.neighbouringRelation],
          ["Unit", certificate.unit],
          ["Proof", proof],
          ["Hospitals", sites.join(", ")],
          ["Did not sign", missing.length === 0 ? "nobody" : missing.join(", ")],
          ["Issued", <Moment key="issued" iso={certificate.issuedAt} />],
          [
            "Software",
            Object.entries(software)
              .map(([name, version]) => `${name} ${version}`)
              .join(", "),
          ],
        ]}
      />
      <DataTable
        caption="Every step in which hospitals sent data"
        columns={[
          { title: "Step", cell: (one) => one.stage },
          { title: "Attempt", cell: (one) => one.attempt, number: true },
          { title: "Data sent", cell: (one) => kinds[one.kind] },
          {
            title: "Hospitals",
            cell: (one) => one.survivors?.join(", ") ?? "abandoned: no result",
          },
          { title: "Dropped out", cell: (one) => one.dropped?.join(", ") || "nobody" },
        ]}
        rows={attempts}
        keyOf={(one) => `${one.stage} ${one.attempt}`}
      />
      <p>
        <a href={`${path(url)}certificate.json`}>certificate.json</a> has all details, with every mechanism
        and its noise.
      </p>
    </details>
  );
}

const kinds: Readonly<Record<ReleaseView["certificate"]["attempts"][number]["kind"], string>> = {
  sum: "a masked vector; only the sum over hospitals was revealed",
  rows: "reduced rows, unmasked",
  tags: "counts, unmasked",
};

/** A release's address on this page's origin: the publisher may have other names elsewhere. */
function path(url: string): string {
  return new URL(url).pathname;
}
