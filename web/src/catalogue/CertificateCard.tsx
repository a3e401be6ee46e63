import type { ReleaseView } from "@consilium/core/release/views";
import { DataTable, Facts, Moment } from "../shared/components";
import { AnchoredCard } from "./Anchor";
import { explain, signedInWords } from "./explain";

/** The certificate for people: the verdict first, then what it means, then what it rests on. */
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
          <h3>What that means</h3>
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
          <h3>Why it is not proved</h3>
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
      <summary>The figures behind it</summary>
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
        caption="Every step in which something left the hospitals"
        columns={[
          { title: "Step", cell: (one) => one.stage },
          { title: "Attempt", cell: (one) => one.attempt, number: true },
          { title: "What left", cell: (one) => kinds[one.kind] },
          {
            title: "Hospitals in it",
            cell: (one) => one.survivors?.join(", ") ?? "given up: nothing came of it",
          },
          { title: "Dropped out", cell: (one) => one.dropped?.join(", ") || "nobody" },
        ]}
        rows={attempts}
        keyOf={(one) => `${one.stage} ${one.attempt}`}
      />
      <p>
        <a href={`${path(url)}certificate.json`}>certificate.json</a> has the whole of it, with every
        mechanism and its noise.
      </p>
    </details>
  );
}

const kinds: Readonly<Record<ReleaseView["certificate"]["attempts"][number]["kind"], string>> = {
  sum: "a masked vector, of which only the sum over hospitals was seen",
  rows: "reduced rows in the clear",
  tags: "counts in the clear",
};

/** A release's address on this page's own origin, whatever name the publisher goes by elsewhere. */
function path(url: string): string {
  return new URL(url).pathname;
}
