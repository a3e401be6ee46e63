import { privacyInShort } from "@consilium/core/release/certificate";
import { citations } from "@consilium/core/release/citation";
import type { ReleaseSummary, ReleaseView } from "@consilium/core/release/views";
import type { Entry } from "../catalogue/catalogue.js";
import { fileDescription } from "../formats/descriptions.js";
import { releaseSnippets } from "../formats/snippets.js";

/** A release in a list. */
export function summaryOf({ description, certificate }: Entry, url: string): ReleaseSummary {
  const { id, title, license, creator, createdAt, access, study, privacyStatement, caution, rows, columns } =
    description;
  return {
    id,
    title,
    description: description.description,
    license,
    creator,
    createdAt,
    access,
    study,
    privacyStatement,
    ...(caution === undefined ? {} : { caution }),
    rows,
    columns: columns.length,
    verdict: certificate.privacy.verdict,
    epsilon: certificate.privacy.epsilon,
    delta: certificate.privacy.delta,
    url,
  };
}

/** A release by itself. */
export function viewOf({ description, model, certificate, files }: Entry, url: string): ReleaseView {
  const { sites } = certificate;
  return {
    content: description,
    url,
    certificate: {
      federation: certificate.federation,
      issuedAt: certificate.issuedAt,
      ...privacyInShort(certificate),
      sites: sites.roster.map((site) => site.id),
      attempts: sites.attempts,
      missing: certificate.missing,
      software: certificate.software,
    },
    files: [...files.values()].map(({ name, bytes, sha256, contentType }) => ({
      name,
      description: fileDescription(name),
      url: `${url}${name}`,
      bytes,
      sha256,
      contentType,
    })),
    snippets: [...releaseSnippets({ url, access: description.access, files: new Set(files.keys()), model })],
    citations: citations(description, url),
  };
}
