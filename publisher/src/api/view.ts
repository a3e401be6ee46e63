import { certificateFile, privacyInShort, signatureFile } from "@consilium/core/release/certificate";
import { citations } from "@consilium/core/release/citation";
import type { ReleaseSummary, ReleaseView, WithdrawalSummary } from "@consilium/core/release/views";
import { withdrawalFile } from "@consilium/core/release/withdrawal";
import { type Entry, isWithdrawn } from "../catalogue/catalogue.js";
import { fileDescription } from "../formats/descriptions.js";
import { releaseSnippets } from "../formats/snippets.js";

/** A release of the same publisher, beside the one at `url`. */
const linkTo = (id: string, url: string) => ({ id, url: new URL(`../${id}/`, url).href });

function withdrawalOf({ withdrawal }: Entry, url: string): { withdrawal?: WithdrawalSummary } {
  if (withdrawal === null) return {};
  const { status, reason, issuedAt, supersededBy } = withdrawal.withdrawal;
  return {
    withdrawal: {
      status,
      reason,
      issuedAt,
      supersededBy: supersededBy === null ? null : linkTo(supersededBy, url),
      url: `${url}${withdrawalFile}`,
    },
  };
}

/** A release in a list. */
export function summaryOf(entry: Entry, url: string): ReleaseSummary {
  const { description, certificate } = entry;
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
    ...withdrawalOf(entry, url),
  };
}

/** Of a withdrawn release only what proves that it was one. */
export function servedFiles(entry: Entry): Entry["files"] {
  if (!isWithdrawn(entry)) return entry.files;
  const kept: readonly string[] = [certificateFile, signatureFile];
  return new Map([...entry.files].filter(([name]) => kept.includes(name)));
}

/** A release by itself. */
export function viewOf(entry: Entry, url: string): ReleaseView {
  const { description, model, certificate } = entry;
  const { sites } = certificate;
  const files = servedFiles(entry);
  const inUse = !isWithdrawn(entry);
  return {
    ...withdrawalOf(entry, url),
    supersedes: entry.supersedes.map((id) => linkTo(id, url)),
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
    snippets: inUse
      ? [...releaseSnippets({ url, access: description.access, files: new Set(files.keys()), model })]
      : [],
    citations: inUse ? citations(description, url) : [],
  };
}
