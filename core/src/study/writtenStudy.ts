import { type Methods, StudyInvalidError, type StudyIssue } from "../method/methods.js";
import { err, type Result } from "../result.js";
import { placeholder } from "./placeholder.js";
import { shapeWords } from "./shapeWords.js";
import type { Study } from "./study.js";

/** Earlier versions wrote these as a release's texts, and they were published. */
const earlier: ReadonlySet<string> = new Set([
  "What this release is about",
  "Where the records come from, and what was done with them",
  "Who is responsible for it",
  "Who answers for it",
]);

/** The title that the operator's composer begins with: a draft may have it while its plan is looked at, no study that starts. */
const draftTitle = "My study";

/** As many as `Methods.parse` lists. */
const issuesMost = 100;

const advice: Readonly<Record<string, string>> = {
  type: "write numeric with min and max, or categorical with levels",
  min: "write a round number that no plausible value lies below; public knowledge, never read from records",
  max: "write a round number that no plausible value lies above; public knowledge, never read from records",
  levels: "write every value that it may have; public knowledge, never read from records",
};

/**
 * Reads a study that somebody has written, as `Methods.parse` does, and refuses what is still to be written.
 * @param raw - the parsed YAML
 * @param isDraft - nothing starts with it yet
 */
export function parseWritten(
  methods: Methods,
  raw: unknown,
  isDraft = false,
): Result<Study, StudyInvalidError> {
  const parsed = methods.parse(raw, shapeWords);
  const open = [...placeholderIssues(raw), ...(isDraft ? [] : draftTitleIssues(raw))];
  if (open.length === 0) return parsed;
  const places = new Set(open.map(({ path }) => path));
  const others = parsed.ok ? [] : parsed.error.issues.filter(({ path }) => !places.has(path));
  return err(new StudyInvalidError([...open, ...others].slice(0, issuesMost)));
}

function placeholderIssues(raw: unknown): StudyIssue[] {
  const { features, label, release } = keysOf(raw);
  return [
    ...issuesOf(label, "label"),
    ...(Array.isArray(features) ? features : []).flatMap((feature: unknown, index) =>
      issuesOf(feature, `features[${index}]`),
    ),
    ...issuesOf(release, "release"),
  ];
}

function issuesOf(section: unknown, path: string): StudyIssue[] {
  return Object.entries(keysOf(section)).flatMap(([key, value]) => {
    const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (!texts.some((text) => isPlaceholder(text))) return [];
    const what = advice[key] ?? "write what it is to say, or remove the key";
    return [{ path: `${path}.${key}`, message: `still a placeholder: ${what}` }];
  });
}

/** What keeps a draft, whose plan can be looked at, from being started. */
export function draftTitleIssues(raw: unknown): StudyIssue[] {
  if (keysOf(keysOf(raw).release).title !== draftTitle) return [];
  return [{ path: "release.title", message: "give a title that says what this release is about" }];
}

function isPlaceholder(value: unknown): boolean {
  return typeof value === "string" && (value.startsWith(placeholder) || earlier.has(value));
}

function keysOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
