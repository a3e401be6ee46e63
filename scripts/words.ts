import { pathToFileURL } from "node:url";
import { type Fault, filesOf, readProjectFile, reportFaults } from "./repository.js";

/**
 * Refuses phrases that readers stumble over, in sources, comments, pages and documents: inverted or noun-less clauses
 * for which the field has a plain term. A phrase that a review finds is added here with its replacement and an example.
 */
export interface BannedPhrase {
  /** Matched without regard to case, over line breaks. */
  readonly pattern: RegExp;
  /** What to write instead. */
  readonly instead: string;
  /** A text that the pattern must catch. */
  readonly example: string;
}

export const bannedPhrases: readonly BannedPhrase[] = [
  banned("is none of", "is not one of; is not ours", "a name that is none of the study's"),
  banned(
    "(?:a|an|one) [\\w' ]{1,40} that is none\\b(?! of)",
    "an invalid …",
    "a head of the ledger that is none",
  ),
  banned(
    "(?:has|have) not (?:its|their|the|\\d+|\\$\\{)",
    "does not have; mismatch: expected …, got …",
    "the data have not their hash",
  ),
  banned("what leaves", "outgoing data; data sent", "it says what leaves the hospital"),
  banned("what left", "data sent; egress log", "the log of what left"),
  banned("who(?:m)?ever", "anyone who; the operator; no matter who", "whoever has it can read it"),
  banned("nobody (?:\\w+ )?anything", "only …; no other site", "it costs nobody anything"),
  banned("goes on|went on|go on|going on", "continues; resumes; happens", "the study goes on without it"),
  banned("makes no sense", "malformed message; invalid", "the aggregator sent what makes no sense"),
  banned("for ever", "permanently; indefinitely", "it is spent for ever"),
  banned("in league with", "colluding with", "sites in league with the aggregator"),
  banned("thereof|whereof|hereof|wherefrom", "of it; name the noun", "the study and the sites thereof"),
  banned("perhaps .{1,60} is meant", "did you mean …?", "perhaps study is meant"),
  banned("(?:came|come|comes) whole", "complete; upload received", "bytes of vectors that came whole"),
  banned("without a word", "silently", "else, without a word, WebAssembly"),
  banned("is not listened to", "request ignored: …", "this one is not listened to"),
  banned("tak(?:e|en|es) up again", "resumed", "the study is not taken up again yet"),
  banned("from the \\w+'s seat", "aggregator side; site side", "dp-pca from the aggregator's seat"),
  banned("nothing more comes", "stream ended", "nothing more comes"),
  banned("told right", "classified correctly", "biopsies of the table told right"),
  banned("in earnest", "in production", "in earnest, move the folder away"),
  banned("password once more", "confirm password", "Password once more"),
  banned("look again", "refresh; try again; check again", "look again when it is released"),
  banned("do not belong together", "do not match; incorrect …", "name and password do not belong together"),
  banned("is it whole\\?", "integrity", "Is it whole?"),
  banned(
    "(?:is|are|be|been|not|no|nothing|the|an?|its|each|every|unless|privacy) proved",
    "proven (the id `proved` stays in files and API)",
    "the privacy of this method is not proved",
  ),
  banned(
    "proved (?:ones?|methods?|stud(?:y|ies)|mechanisms?|variants?|certificates?|claims?|sums?)",
    "proven …",
    "two proved studies",
  ),
  banned(
    "faults? of (?:ours|(?:our|its) own|Consilium's own|the service)",
    "internal error",
    "a fault of ours",
  ),
  banned("added up again", "recomputed", "privacy, added up again: right"),
  banned("whom to trust", "trusted root", "Whom to trust: right"),
  banned("apart for each", "separately for each", "apart for each level of the label"),
  banned("beside (?:its|their|the) data", "next to its data", "an agent beside its data"),
  banned("way to the aggregator", "network path to the aggregator", "Way to the aggregator (TCP)"),
  banned("unopened on the way", "not intercepted", "the certificate, unopened on the way"),
  banned("nothing fails|checks? fail", "all checks passed; checks failed", "1 of 14 checks fail"),
  banned("where it stands", "status; place", "WHERE IT STANDS"),
  banned("stands below", "is shown below", "what stands below a command"),
  banned("played by a loop", "simulated in a loop", "three more, played by a loop"),
  banned("\\(stays at the site\\)", "visible only here", "REASON (stays at the site)"),
  banned("the trail", "the audit log", "what the trail will call you"),
  banned("vector or rows came", "upload received", "vector or rows came whole"),
  banned("(?:a step began|took part in a step)", "step started; site responded", "a step began"),
  banned("how much, for", "lifetime privacy budget", "How much, for ever"),
  banned("read the table through", "check my data", "Read the table through"),
  banned("whose row it is, it takes", "rows are grouped by", "Whose row it is, it takes from a column"),
  banned("in each of the 1 node", "at the root of each tree", "in each of the 1 node of a tree's level 1"),
  banned("should lie far below", "… is too large for …; use …", "delta should lie far below 1 over n"),
  banned("form and the file are one", "they stay in sync", "The form and the file are one"),
  banned("left out: auto", "default (auto)", "left out: auto"),
  banned("says each row's class", "outcome column", "a column that says each row's class"),
  banned("make (?:your|the) account", "create your account", "Make your account"),
  banned(
    "several words are easy",
    "a few random words are easy to remember",
    "several words are easy to keep",
  ),
  banned("fifty-fifty", "thinks it equally likely", "a fifty-fifty chance"),
  banned("no release has all", "no releases match", "No release has all of this"),
  banned("any verdict", "any privacy status", "any verdict"),
  banned("it ended with a release", "released", "it ended with a release, with this hospital"),
  banned(
    "to be used once|token for [\\w-]+, valid once",
    "one-time token, valid until …",
    "Token for st-mary, valid once",
  ),
  banned("clock: right", "in sync", "Clock: right"),
  banned("is not taken up", "ignored; not resumed", "the request is not taken up"),
  banned(
    "stands in another's place",
    "sequence number out of order: expected …",
    "it stands in another's place",
  ),
  banned("what rode with", "piggybacked …", "what rode with an answer was refused"),
];

interface Allowed {
  readonly path: RegExp;
  readonly phrases: readonly RegExp[] | "all";
  /** Why the phrase stays there. */
  readonly reason: string;
}

/** What stays, and why. An entry that allows nothing that is there is refused: the list only shrinks. */
export const allowed: readonly Allowed[] = [
  { path: /^scripts\/words(\.test)?\.ts$/, phrases: "all", reason: "the list itself and its examples" },
  {
    path: /^(?:core\/src\/privacy\/events|lib\/release\/testing\/v2\/statedEvent|web\/src\/shared\/languages\/de)\.ts$/,
    phrases: [/ proved$/],
    reason: "sentences of certificates, which are compared word for word with those of earlier versions",
  },
  {
    path: /\/store\/schema\.ts$/,
    phrases: [/^whoever$/, /^went on$/, /^what left$/, /^go on$/],
    reason: "SQL of released migrations is never edited",
  },
  {
    path: /^(?:test\/(?:audit|what-leaves)\/|docs\/AUDIT\.md$)/,
    phrases: [/^what leaves$/],
    reason: "the name of an audit's check, which stored results carry",
  },
  {
    path: /^site-agent\/src\/ledger\/(?:head|history|archived)\.ts$/,
    phrases: [/^the trail$/],
    reason: "the trail of a ledger's head, a term of its own there; the audit log is meant elsewhere",
  },
  {
    path: /^secure-sum\/SPEC\.md$/,
    phrases: [/^for ever$/],
    reason: '"ask for ever smaller lists": the verb is "ask for"',
  },
];

const files = /\.(?:ts|tsx|mjs|md|ya?ml|html|sh|proto|py)$/;
const generated = /(?:^|\/)(?:generated|testVectors|openapi)\//;

function banned(pattern: string, instead: string, example: string): BannedPhrase {
  return { pattern: new RegExp(`(?<![\\w-])(?:${pattern})(?![\\w-])`, "giu"), instead, example };
}

/** The text on one line, without the marks of comments, and the line in which each of its characters stands. */
function unwrapped(text: string): { readonly flat: string; readonly lineAt: (index: number) => number } {
  const starts: number[] = [];
  const parts: string[] = [];
  let length = 0;
  for (const line of text.split("\n")) {
    const part = `${line.replace(/^\s*(?:\/\*\*|\*(?!\/)|\/\/|#|>)?\s*/, "").trimEnd()} `;
    starts.push(length);
    parts.push(part);
    length += part.length;
  }
  return {
    flat: parts.join(""),
    lineAt: (index) => {
      let line = starts.findLastIndex((start) => start <= index);
      if (line < 0) line = 0;
      return line + 1;
    },
  };
}

/** The banned phrases of a text, each with its line. */
export function phrasesIn(
  text: string,
): { readonly line: number; readonly found: string; readonly instead: string }[] {
  const { flat, lineAt } = unwrapped(text);
  return bannedPhrases.flatMap(({ pattern, instead }) =>
    [...flat.matchAll(pattern)].map((match) => ({ line: lineAt(match.index), found: match[0], instead })),
  );
}

function allowances(path: string, found: string): Allowed[] {
  return allowed.filter(
    (entry) =>
      entry.path.test(path) &&
      (entry.phrases === "all" || entry.phrases.some((phrase) => phrase.test(found.toLowerCase()))),
  );
}

export function wordFaults(
  texts: readonly { readonly path: string; readonly text: string }[] = projectTexts(),
): Fault[] {
  const used = new Set<Allowed>();
  const faults = texts.flatMap(({ path, text }) =>
    phrasesIn(text).flatMap(({ line, found, instead }) => {
      const entries = allowances(path, found);
      for (const entry of entries) used.add(entry);
      return entries.length > 0 ? [] : [{ place: `${path}:${line}`, what: `"${found}": write ${instead}` }];
    }),
  );
  const unused = allowed.filter((entry) => !used.has(entry));
  return [
    ...faults,
    ...unused.map(({ path }) => ({
      place: "scripts/words.ts",
      what: `nothing needs the allowance for ${path.source}`,
    })),
  ];
}

function projectTexts(): { readonly path: string; readonly text: string }[] {
  return filesOf(files)
    .filter((path) => !generated.test(path))
    .map((path) => ({ path, text: readProjectFile(path) }));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  reportFaults(wordFaults());
}
