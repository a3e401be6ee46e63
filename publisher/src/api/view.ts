import { privacyInShort, type ReleaseFile } from "@consilium/core/release/certificate";
import { citations } from "@consilium/core/release/citation";
import type { ReleaseSummary, ReleaseView } from "@consilium/core/release/views";
import type { Entry } from "../catalogue/catalogue.js";
import type { Searchable } from "../catalogue/search.js";
import { fileDescription } from "../formats/descriptions.js";
import { contentTypeOf } from "../formats/files.js";
import { releaseSnippets } from "../formats/snippets.js";

/** A release in a list. */
export function summaryOf({ summary }: Searchable, url: string): ReleaseSummary {
  return { ...summary, url };
}

/** Files with what they are and where. @param url - of their release, ending in a slash */
export function filesOf(files: readonly ReleaseFile[], url: string): ReleaseView["files"] {
  return files.map(({ name, bytes, sha256 }) => ({
    name,
    description: fileDescription(name),
    url: `${url}${name}`,
    bytes,
    sha256,
    contentType: contentTypeOf(name),
  }));
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
    files: filesOf([...files.values()], url),
    snippets: [...releaseSnippets({ url, access: description.access, files: new Set(files.keys()), model })],
    citations: citations(description, url),
  };
}
