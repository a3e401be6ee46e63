import type { StudyFaultSays } from "@consilium/words/says/studyFaults";
import { isRecord, keysOf } from "../keysOf.js";
import type { Methods } from "../method/methods.js";
import { StudyInvalidError, type StudyIssue } from "../method/studyReader.js";
import { certificateIssue } from "../release/largestStatement.js";
import { err, type Result } from "../result.js";
import { lines, nameOf } from "../said.js";
import { quoted } from "../text.js";
import { placeholder } from "./placeholder.js";
import { plainText } from "./plainText.js";
import { deltaFault, type Study } from "./study.js";

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

const line = lines<StudyFaultSays>();

/**
 * Reads a study that somebody has written, as `Methods.parse` does, with its flow of rows, and refuses what is still to be written, and
 * what could never have a certificate.
 * @param raw - the parsed YAML
 * @param isDraft - nothing starts with it yet
 */
export function parseWritten(
  methods: Methods,
  raw: unknown,
  isDraft = false,
): Result<Study, StudyInvalidError> {
  const parsed = methods.parse(withFlow(raw));
  const open = [...placeholderIssues(raw), ...twinIssues(raw), ...(isDraft ? [] : draftTitleIssues(raw))];
  if (parsed.ok && open.length === 0) {
    const issue = certificateIssue(parsed.value);
    // A sentence of this size stays by itself.
    return issue === null ? parsed : err(new StudyInvalidError([issue], issue.message));
  }
  const places = new Set(open.map(({ path }) => path));
  const others = parsed.ok ? [] : parsed.error.issues.filter(({ path }) => !places.has(path));
  const first = [...open, ...others];
  return err(new StudyInvalidError([...first, ...laterIssues(methods, raw, first)].slice(0, issuesMost)));
}

/** What a new study's rows come to is counted in every one that is proven; texts that travelled are as they are. */
function withFlow(raw: unknown): unknown {
  if (!isRecord(raw) || (raw.variant ?? "sound") !== "sound") return raw;
  return { ...raw, flow: raw.flow ?? true };
}

type Keys = Readonly<Record<string, unknown>>;

/** What takes the place of a section with an issue; another one is left out. */
const standIns: Keys = {
  name: "study",
  table: "table",
  privacy: { epsilon: 1, delta: 1e-6 },
  participation: { minimumSites: 3, maxRowsPerSite: 10_000 },
};

/** Issues that a study has besides those found, which only show once these are mended. */
function laterIssues(methods: Methods, raw: unknown, found: readonly StudyIssue[]): StudyIssue[] {
  const sections = new Set(found.map(({ path }) => sectionOf(path)));
  // What the other keys are is decided by these.
  if (["study", "analysis", "method", "variant"].some((key) => sections.has(key))) return [];
  const { features, label } = keysOf(raw);
  const faulty = new Set(found.flatMap(({ path }) => /^features\[(\d+)\]/.exec(path)?.[1] ?? []));
  const columns = (Array.isArray(features) ? features : []).map((one: unknown, at) =>
    faulty.has(String(at)) ? columnFor(one, at) : one,
  );
  const mended = Object.entries(keysOf(raw)).flatMap(([key, value]): [string, unknown][] => {
    if (key === "features") return [[key, columns]];
    if (!sections.has(key)) return [[key, value]];
    if (key === "parameters") return [[key, withoutFaulty(value, found)]];
    return key === "label" ? [[key, labelFor(label)]] : [];
  });
  const missing = Object.entries(standIns).filter(([key]) => sections.has(key));
  const parsed = methods.parse(withFlow(Object.fromEntries([...mended, ...missing])));
  if (parsed.ok) return [];
  const hasOtherLevels =
    sections.has("label") || [...faulty].some((at) => keysOf(columns[Number(at)]).type === "categorical");
  return [...parsed.error.issues, ...deltaIssues(raw)].filter(({ path }, at, all) => {
    if (all.findIndex((one) => one.path === path) < at) return false;
    const section = sectionOf(path);
    // Criteria and events are read by the levels that stood in.
    if (section === "parameters" && hasOtherLevels) return false;
    if (sections.has(section) && section !== "features") return false;
    // A method asks for a key of a column, such as edges, where a parameter does not say it.
    if (sections.has("parameters") && lacksKey(columns, path)) return false;
    return !found.some((one) => isWithin(path, one.path) || isWithin(one.path, path));
  });
}

/** Parameters without those that have an issue. */
function withoutFaulty(parameters: unknown, found: readonly StudyIssue[]): Keys {
  const faulty = new Set(found.map(({ path }) => /^parameters\.([^.[]+)/.exec(path)?.[1]));
  return Object.fromEntries(Object.entries(keysOf(parameters)).filter(([key]) => !faulty.has(key)));
}

/** Whether a path is that of a key which its column does not have. */
function lacksKey(columns: readonly unknown[], path: string): boolean {
  const [, at, key] = /^features\[(\d+)\]\.([^.[]+)/.exec(path) ?? [];
  return at !== undefined && key !== undefined && !Object.hasOwn(keysOf(columns[Number(at)]), key);
}

/** A study's δ is judged last of all. */
function deltaIssues(raw: unknown): StudyIssue[] {
  const { variant = "sound", privacy } = keysOf(raw);
  const { epsilon, delta } = keysOf(privacy);
  if (variant !== "sound" || typeof epsilon !== "number" || typeof delta !== "number") return [];
  const fault = deltaFault({ variant, privacy: { epsilon, delta } });
  return fault === null ? [] : [{ path: "privacy.delta", message: fault }];
}

const sectionOf = (path: string) => /^[^.[]+/.exec(path)?.[0] ?? "";

const isWithin = (path: string, of: string) =>
  path === of || path.startsWith(`${of}.`) || path.startsWith(`${of}[`);

/** Bounds that no criterion lies beyond. */
const widest = 1e9;

/** A column without an issue of its own but what it does not declare. */
function columnFor(feature: unknown, at: number): Keys {
  const { name: given, type, edges: own } = keysOf(feature);
  const name = textOr(given, `column-${at}`);
  if (type === "categorical") return { name, type, levels: levelsOr(keysOf(feature).levels) };
  const edges = Array.isArray(own) && own.length > 0 ? { edges: [0] } : {};
  return { name, type: "numeric", min: -widest, max: widest, ...edges };
}

function labelFor(label: unknown): Keys {
  const { name, levels } = keysOf(label);
  return { name: textOr(name, "label"), levels: levelsOr(levels) };
}

const textOr = (value: unknown, otherwise: string) =>
  typeof value === "string" && value !== "" && !isPlaceholder(value) ? value : otherwise;

function levelsOr(value: unknown): readonly string[] {
  const all = Array.isArray(value) ? value : [];
  const texts = all.filter((one): one is string => textOr(one, "") !== "");
  return texts.length === all.length && new Set(texts).size > 1 ? texts : ["no", "yes"];
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

/** Levels that are one to every hospital, whose cells are compared as plain text. */
function twinIssues(raw: unknown): StudyIssue[] {
  const { features, label } = keysOf(raw);
  const of = (section: unknown, path: string): StudyIssue[] => {
    const { levels } = keysOf(section);
    const texts = (Array.isArray(levels) ? levels : []).filter((one) => typeof one === "string");
    const first = new Map<string, string>();
    for (const text of texts) {
      const plain = plainText(text);
      const before = first.get(plain);
      // Levels that are the same are refused by their schema.
      if (before !== undefined && before !== text)
        return [
          {
            path: `${path}.levels`,
            message: line("fault.levels-alike", {
              first: nameOf(quoted(before)),
              second: nameOf(quoted(text)),
            }),
          },
        ];
      first.set(plain, text);
    }
    return [];
  };
  return [
    ...of(label, "label"),
    ...(Array.isArray(features) ? features : []).flatMap((one: unknown, at) => of(one, `features[${at}]`)),
  ];
}

function issuesOf(section: unknown, path: string): StudyIssue[] {
  return Object.entries(keysOf(section)).flatMap(([key, value]) => {
    const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (!texts.some((text) => isPlaceholder(text))) return [];
    return [{ path: `${path}.${key}`, message: line("fault.placeholder", { key: nameOf(key) }) }];
  });
}

/** What keeps a draft, whose plan can be looked at, from being started. */
export function draftTitleIssues(raw: unknown): StudyIssue[] {
  if (keysOf(keysOf(raw).release).title !== draftTitle) return [];
  return [{ path: "release.title", message: line("fault.title", {}) }];
}

function isPlaceholder(value: unknown): boolean {
  return typeof value === "string" && (value.startsWith(placeholder) || earlier.has(value));
}
