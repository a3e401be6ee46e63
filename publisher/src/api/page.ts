import { createHash } from "node:crypto";
import type { ConsiliumError } from "@consilium/core/errors";
import { countedTexts } from "@consilium/core/release/countedText";
import type { ReleaseSummary, ReleaseView } from "@consilium/core/release/views";
import { withdrawalSentences } from "@consilium/core/release/withdrawal";
import { holdingsText } from "@consilium/core/release/wording";
import { english } from "@consilium/runtime/http/spoken";
import { htmlText } from "../formats/escape.js";
import { findingTitle } from "../formats/finding.js";
import { privacyRows } from "../formats/privacyRows.js";

const style = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b; background: #fff; }
h1 { line-height: 1.2; }
.privacy { border-left: 4px solid #555; padding: .5rem 1rem; background: #f2f2f2; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #ccc; }
td.bytes { text-align: right; }
code { overflow-wrap: anywhere; }
pre { overflow-x: auto; padding: 1rem; background: #f2f2f2; }
`;

/** The page loads nothing and runs nothing: only its own style is let through. */
export const plainSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** A page without script: title and body as HTML. */
export interface PlainPage {
  /** Escaped already. */
  readonly title: string;
  readonly body: string;
  /** Of the document's head, escaped already; nothing that runs. */
  readonly head?: string;
}

/** Data about the page for programs. JSON in HTML ends at nothing but its own end tag. */
export function linkedDataScript(data: object): string {
  return `<script type="application/ld+json">${JSON.stringify(data).replaceAll("<", "\\u003c")}</script>`;
}

/** The whole document of a plain page. */
export function plainDocument({ title, body, head = "" }: PlainPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
${head}
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

const page = (title: string, body: string): PlainPage => ({ title: htmlText(title), body });

/** Why a release is not shown. */
export function refusedPage({ message, remedy }: ConsiliumError): PlainPage {
  return page("Release", `<h1>Release</h1>\n<p>${htmlText(message)}: ${htmlText(remedy)}.</p>`);
}

const findingHtml = (finding: ReleaseSummary["finding"]) =>
  finding === undefined
    ? ""
    : `<p><strong>${findingTitle(finding)}.</strong> ${htmlText(english(finding.text))}</p>\n`;

function countedHtml(content: ReleaseView["content"]): string {
  const { counted, flow } = countedTexts(content);
  const texts = [...counted, ...flow];
  if (texts.length === 0) return "";
  const items = texts.map((one) => `<li>${htmlText(english(one))}</li>`);
  return `<ul>\n${items.join("\n")}\n</ul>\n`;
}

/** The open releases, newest first, for a person. Needs no script. */
export function listPage(
  releases: readonly ReleaseSummary[],
  { total, hasMembers }: { readonly total: number; readonly hasMembers: boolean },
): PlainPage {
  const rows = releases.map(
    (release) =>
      `<tr><td><a href="releases/${htmlText(release.id)}/">${htmlText(release.title)}</a>${withdrawalHtml(release.withdrawal)}${findingHtml(release.finding)}</td>` +
      `<td>${htmlText(release.study.method)}, ${htmlText(release.study.variant)}</td>` +
      `<td>${htmlText(release.verdict)}</td>` +
      `<td>${htmlText(release.createdAt.slice(0, 10))}</td></tr>`,
  );
  const table = `<table>
<thead><tr><th scope="col">release</th><th scope="col">method</th><th scope="col">privacy</th><th scope="col">published</th></tr></thead>
<tbody>
${rows.join("\n")}
</tbody>
</table>`;
  const more =
    total > releases.length
      ? `<p>${releases.length} of ${total}; <a href="api/releases">all as JSON</a>.</p>`
      : "";
  const members = hasMembers
    ? `<p><a href="members.json">The federation's members</a>, as its root signed them.</p>`
    : "";
  return page(
    "Releases",
    `<h1>Releases</h1>\n${releases.length === 0 ? "<p>None yet.</p>" : table}\n${more}\n${members}`,
  );
}

function withdrawalHtml(withdrawal: ReleaseSummary["withdrawal"]): string {
  if (withdrawal === undefined) return "";
  const { supersededBy: by } = withdrawal;
  const link = by === null ? "" : ` <a href="${htmlText(by.url)}">Release ${htmlText(by.id)}</a>.`;
  return `<p class="privacy"><strong>${htmlText(withdrawalSentences(withdrawal))}</strong>${link}</p>\n`;
}

function supersedesHtml({ supersedes }: ReleaseView): string {
  if (supersedes.length === 0) return "";
  const links = supersedes.map(({ id, url }) => `<a href="${htmlText(url)}">${htmlText(id)}</a>`);
  return `<p>Supersedes ${links.join(", ")}.</p>\n`;
}

/** A release for a person: title, privacy in words and figures, files, and how to read it. Needs no script. */
export function releasePage(view: ReleaseView): PlainPage {
  const { content, files } = view;
  const rows = files.map(
    (file) =>
      `<tr><td><a href="${htmlText(file.name)}">${htmlText(file.name)}</a></td>` +
      `<td class="bytes">${file.bytes}</td><td><code>${file.sha256}</code></td></tr>`,
  );
  const privacy = privacyRows(content.privacy).map(
    ([what, text]) => `<tr><th scope="row">${htmlText(what)}</th><td>${htmlText(text)}</td></tr>`,
  );
  const pandas = view.snippets.find(({ id }) => id === "pandas");
  const code =
    pandas === undefined
      ? ""
      : `<h2>Read it with pandas</h2>\n<pre><code>${htmlText(pandas.code)}</code></pre>`;
  const readme =
    view.withdrawal?.status === "withdrawn"
      ? ""
      : `<a href="README.md">README</a> says how to verify the certificate, <a href="DICTIONARY.md">DICTIONARY</a> what every column holds.`;
  return page(
    content.title,
    `<h1>${htmlText(content.title)}</h1>
${withdrawalHtml(view.withdrawal)}${supersedesHtml(view)}${findingHtml(content.finding)}${countedHtml(content)}<p class="privacy"><strong>Privacy.</strong> ${htmlText(content.privacyStatement)}</p>
<table>
<tbody>
${privacy.join("\n")}
</tbody>
</table>
<p>${htmlText(content.description)}</p>
<h2>Files</h2>
<table>
<thead><tr><th scope="col">file</th><th scope="col">bytes</th><th scope="col">SHA-256</th></tr></thead>
<tbody>
${rows.join("\n")}
</tbody>
</table>
${code}
<p>Release <code>${htmlText(content.id)}</code>, ${holdingsText({ ...content, columns: content.columns.length })}, ${htmlText(content.createdAt)}.
${readme}</p>`,
  );
}
