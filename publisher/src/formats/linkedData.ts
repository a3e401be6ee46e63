import { type Creator, creatorsOf } from "@consilium/core/release/creators";
import type { ReleaseSummary, ReleaseView } from "@consilium/core/release/views";
import { withdrawalSentences } from "@consilium/core/release/withdrawal";
import { english } from "@consilium/runtime/http/spoken";
import { fileNames, mediaTypeOf } from "./files.js";
import { findingTitle } from "./finding.js";
import { licenseUrl } from "./license.js";
import { schemaCreators } from "./schemaCreators.js";

/** Releases in the vocabularies that search engines (schema.org) and institutions' catalogues (W3C DCAT 3) harvest. */

/** Files that describe a release rather than hold its results. */
const describing: ReadonlySet<string> = new Set([
  fileNames.croissant,
  fileNames.datapackage,
  fileNames.roCrate,
  fileNames.citation,
  fileNames.dictionary,
  fileNames.readme,
  fileNames.figures,
  "certificate.json",
  "certificate.jws",
]);

/** What a catalogue holds of a release. */
interface Described extends Pick<ReleaseView, "url" | "files" | "withdrawal" | "supersedes"> {
  readonly content: Content & Pick<ReleaseSummary, "id" | "title" | "createdAt" | "creator" | "license">;
}

const resultFiles = ({ files }: Pick<ReleaseView, "files">) =>
  files.filter(({ name }) => !describing.has(name) && !name.startsWith("plots/"));

type Content = Pick<ReleaseView["content"], "finding" | "privacyStatement" | "description" | "study">;

const descriptionOf = ({
  content,
  withdrawal,
}: Pick<Described, "withdrawal"> & { readonly content: Content }) =>
  [
    withdrawal === undefined ? null : withdrawalSentences(withdrawal),
    content.finding === undefined
      ? null
      : `${findingTitle(content.finding)}: ${english(content.finding.text)}`,
    content.privacyStatement,
    content.description,
  ]
    .filter(Boolean)
    .join("\n\n");

const keywordsOf = ({ content: { study } }: { readonly content: Content }) => [
  "differential privacy",
  "federated analysis",
  study.analysis,
  study.method,
];

/** A schema.org `Dataset`, for the release's page. @param root - the publisher's own address */
export function schemaOrgDataset(view: ReleaseView, root: string): object {
  const { content, url } = view;
  const { id, title, createdAt, creator, license } = content;
  return {
    "@context": "https://schema.org/",
    "@type": "Dataset",
    "@id": url,
    name: title,
    description: descriptionOf(view),
    url,
    identifier: id,
    datePublished: createdAt,
    isAccessibleForFree: true,
    ...(view.withdrawal === undefined
      ? {}
      : {
          creativeWorkStatus: view.withdrawal.status === "withdrawn" ? "Withdrawn" : "Superseded",
          dateModified: view.withdrawal.issuedAt,
        }),
    keywords: keywordsOf(view),
    ...(license === null ? {} : { license: licenseUrl(license) ?? license }),
    ...(creator === null ? {} : { creator: schemaCreators(creator) }),
    includedInDataCatalog: { "@type": "DataCatalog", url: root },
    ...(content.columns.length === 0
      ? {}
      : {
          variableMeasured: content.columns.slice(0, 200).map((column) => ({
            "@type": "PropertyValue",
            name: column.name,
            description: column.description,
            ...(column.type === "number" && column.unit !== undefined ? { unitText: column.unit } : {}),
          })),
        }),
    distribution: resultFiles(view).map((file) => ({
      "@type": "DataDownload",
      name: file.name,
      description: file.description,
      contentUrl: file.url,
      contentSize: `${file.bytes} B`,
      encodingFormat: mediaTypeOf(file.name),
      sha256: file.sha256,
    })),
  };
}

const dcatContext = {
  dcat: "http://www.w3.org/ns/dcat#",
  dct: "http://purl.org/dc/terms/",
  foaf: "http://xmlns.com/foaf/0.1/",
  spdx: "http://spdx.org/rdf/terms#",
  xsd: "http://www.w3.org/2001/XMLSchema#",
  adms: "http://www.w3.org/ns/adms#",
} as const;

const typed = (type: string, value: string) => ({ "@type": type, "@value": value });
const linked = (address: string) => ({ "@id": address });

/** A DCAT 3 catalogue. @param releases - newest first */
export function dcatCatalogue(releases: readonly Described[], root: string): object {
  return {
    "@context": dcatContext,
    "@id": root,
    "@type": "dcat:Catalog",
    "dct:title": "Releases",
    "dct:description": "What the federation has released.",
    "foaf:homepage": linked(root),
    "dcat:dataset": releases.map(dcatDataset),
  };
}

/** The EU's list of a data set's statuses, which DCAT-AP names for adms:status. */
const datasetStatus = {
  withdrawn: "http://publications.europa.eu/resource/authority/dataset-status/WITHDRAWN",
  superseded: "http://publications.europa.eu/resource/authority/dataset-status/DEPRECATED",
} as const;

const foafAgent = (one: Creator) =>
  one.kind === "person"
    ? { "@type": "foaf:Person", "foaf:name": `${one.given} ${one.family}` }
    : { "@type": "foaf:Organization", "foaf:name": one.name };

function dcatDataset(release: Described): object {
  const { content, url, withdrawal, supersedes } = release;
  const { id, title, createdAt, creator, license } = content;
  const licence = licenseUrl(license);
  return {
    "@id": url,
    "@type": "dcat:Dataset",
    "dct:identifier": id,
    "dct:title": title,
    "dct:description": descriptionOf(release),
    "dct:issued": typed("xsd:dateTime", createdAt),
    "dcat:landingPage": linked(url),
    ...(withdrawal === undefined
      ? {}
      : {
          "adms:status": linked(datasetStatus[withdrawal.status]),
          "dct:modified": typed("xsd:dateTime", withdrawal.issuedAt),
          ...(withdrawal.supersededBy === null
            ? {}
            : { "dct:isReplacedBy": linked(withdrawal.supersededBy.url) }),
        }),
    ...(supersedes.length === 0 ? {} : { "dct:replaces": supersedes.map((one) => linked(one.url)) }),
    "dcat:keyword": keywordsOf(release),
    ...(creator === null ? {} : { "dct:creator": creatorsOf(creator).map(foafAgent) }),
    "dcat:distribution": resultFiles(release).map((file) => ({
      "@id": file.url,
      "@type": "dcat:Distribution",
      "dct:title": file.name,
      "dct:description": file.description,
      "dcat:downloadURL": linked(file.url),
      "dcat:mediaType": linked(`https://www.iana.org/assignments/media-types/${mediaTypeOf(file.name)}`),
      "dcat:byteSize": typed("xsd:nonNegativeInteger", String(file.bytes)),
      ...(license === null
        ? {}
        : { "dct:license": licence === null ? { "dct:title": license } : linked(licence) }),
      "spdx:checksum": {
        "@type": "spdx:Checksum",
        "spdx:algorithm": linked("spdx:checksumAlgorithm_sha256"),
        "spdx:checksumValue": typed("xsd:hexBinary", file.sha256),
      },
    })),
  };
}
