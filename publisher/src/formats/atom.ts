import type { ReleaseSummary } from "@consilium/core/release/views";
import { withdrawalSentences } from "@consilium/core/release/withdrawal";
import { english } from "@consilium/runtime/http/spoken";
import { htmlText } from "./escape.js";
import { findingTitle } from "./finding.js";

/** A list of releases as an Atom feed (RFC 4287). */

export interface FeedOptions {
  /** The publisher's own address, ending in a slash. */
  readonly root: string;
  /** The feed's own address. */
  readonly self: string;
  /** Newest first. */
  readonly releases: readonly ReleaseSummary[];
}

export function atomFeed({ root, self, releases }: FeedOptions): string {
  const updated = releases.map(updatedAt).reduce((a, b) => (a > b ? a : b), "1970-01-01T00:00:00Z");
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${xmlText(root)}</id>
<title>Releases</title>
<updated>${xmlText(updated)}</updated>
<author><name>The federation's publisher</name></author>
<link rel="self" type="application/atom+xml" href="${xmlText(self)}"/>
<link rel="alternate" type="text/html" href="${xmlText(root)}"/>
${releases.map(entryXml).join("")}</feed>
`;
}

/** A release never changes once it is published, but for being withdrawn or superseded. */
const updatedAt = ({ createdAt, withdrawal }: ReleaseSummary) => withdrawal?.issuedAt ?? createdAt;

const statusWord = (withdrawal: ReleaseSummary["withdrawal"]) =>
  withdrawal === undefined ? "" : `${withdrawal.status === "withdrawn" ? "Withdrawn" : "Superseded"}: `;

function entryXml(release: ReleaseSummary): string {
  const { title, url, createdAt, creator, license, withdrawal } = release;
  return `<entry>
<id>${xmlText(url)}</id>
<title>${xmlText(`${statusWord(withdrawal)}${title}`)}</title>
<updated>${xmlText(updatedAt(release))}</updated>
<published>${xmlText(createdAt)}</published>
${creator === null ? "" : `<author><name>${xmlText(creator)}</name></author>\n`}<link rel="alternate" type="text/html" href="${xmlText(url)}"/>
<category term="${xmlText(release.study.analysis)}"/>
<category term="${xmlText(release.study.method)}"/>
${license === null ? "" : `<rights>${xmlText(license)}</rights>\n`}<summary>${xmlText(summaryText(release))}</summary>
</entry>
`;
}

/** What it is worth comes before what it is: a feed reader shows the first words. */
function summaryText({ withdrawal, finding, privacyStatement, description }: ReleaseSummary): string {
  return [
    withdrawal === undefined ? null : withdrawalSentences(withdrawal),
    finding === undefined ? null : `${findingTitle(finding)}: ${english(finding.text)}`,
    privacyStatement,
    description,
  ]
    .filter(Boolean)
    .join("\n\n");
}

/** Escaped, and without the characters that XML 1.0 has no place for. */
function xmlText(text: string): string {
  return htmlText(text.replace(/\p{Surrogate}|[^\P{Control}\t\n\r]|[\ufffe\uffff]/gu, "\ufffd"));
}
