import { certificateFile, type ReleaseFile, signatureFile } from "@consilium/core/release/certificate";
import { citations } from "@consilium/core/release/citation";
import type { ReleaseSummary, ReleaseView, WithdrawalSummary } from "@consilium/core/release/views";
import { withdrawalFile } from "@consilium/core/release/withdrawal";
import { type Entry, isWithdrawn, type ListedRelease } from "../catalogue/catalogue.js";
import { fileDescription } from "../formats/descriptions.js";
import { contentTypeOf } from "../formats/files.js";
import { releaseSnippets } from "../formats/snippets.js";
import type { Reading } from "./reading.js";

/** A release of the same publisher, beside the one at `url`. */
export const linkTo = (id: string, url: string) => ({ id, url: new URL(`../${id}/`, url).href });

export function withdrawalOf(
  { withdrawal }: Pick<Entry, "withdrawal">,
  url: string,
): { withdrawal?: WithdrawalSummary } {
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
export function summaryOf({ summary, withdrawal }: ListedRelease, url: string): ReleaseSummary {
  return { ...summary, url, ...withdrawalOf({ withdrawal }, url) };
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

/** Of a withdrawn release only what proves that it was one. */
export function servedOf<F extends ReleaseFile>(
  release: Pick<Entry, "withdrawal">,
  files: readonly F[],
): F[] {
  const kept: readonly string[] = [certificateFile, signatureFile];
  return files.filter(({ name }) => !isWithdrawn(release) || kept.includes(name));
}

/** A release by itself. @param federation - whom readers ask about it, and the list of its members */
export function viewOf(
  entry: Entry,
  url: string,
  federation: Pick<Reading, "contact" | "members">,
): ReleaseView {
  const { description, model, certificate } = entry;
  const { sites } = certificate;
  const files = servedOf(entry, [...entry.files.values()]);
  const inUse = !isWithdrawn(entry);
  return {
    ...withdrawalOf(entry, url),
    supersedes: entry.supersedes.map((id) => linkTo(id, url)),
    content: description,
    url,
    operatorContact: federation.contact ?? null,
    hasMembers: federation.members.bytes !== null,
    certificate: {
      federation: certificate.federation,
      issuedAt: certificate.issuedAt,
      ...description.privacy,
      sites: sites.roster.map((site) => site.id),
      attempts: sites.attempts,
      missing: certificate.missing,
      software: certificate.software,
    },
    files: filesOf(files, url),
    snippets: inUse
      ? [...releaseSnippets({ url, access: description.access, files: new Set(entry.files.keys()), model })]
      : [],
    citations: inUse ? citations(description, url) : [],
  };
}
