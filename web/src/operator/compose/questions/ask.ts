import { withItem, withValue } from "../../../shared/yaml/edit";
import { isRecord } from "../../../shared/yaml/values";
import { withMethod } from "../changeMethod";
import { openLabel } from "../changeTable";
import type { MethodSpec } from "../schemaFields";
import { readStudyText } from "../studyText";
import type { Choice, Question } from "./questions";

/** Turns a draft to another question: its columns stay, and what a question needs beside them is filled in. */

type Study = Readonly<Record<string, unknown>>;

/** What a question knew that another one has no place for: put back when the draft returns to it. */
export interface Remembered {
  readonly parameters: Study;
  readonly label: unknown;
  readonly privacy: unknown;
}

export function rememberedOf(text: string): Remembered | null {
  const { value } = readStudyText(text);
  if (value === null) return null;
  const { parameters, label, privacy } = value;
  return { parameters: isRecord(parameters) ? parameters : {}, label, privacy };
}

export interface AskContext {
  readonly methods: readonly MethodSpec[];
  /** Values of the method's required parameters. */
  readonly starting: Study;
  /** Of the choice's own question. */
  readonly question: Question;
  /** What the draft said when it last asked this; null if it never did. */
  readonly remembered: Remembered | null;
}

/** @returns the same text if it is not valid YAML */
export function withChoice(text: string, next: Choice, context: AskContext): string {
  const { remembered } = context;
  const before = readStudyText(text).value;
  if (before === null) return text;
  const starting = { ...context.starting, ...remembered?.parameters };
  let changed = withMethod(text, next.method, { methods: context.methods, starting });
  if (remembered?.privacy === "none" && next.method.variant === "paper")
    changed = withValue(changed, ["privacy"], "none");
  changed = withParameters(changed, next, context);
  changed = withLabelFor(changed, next, remembered);
  return withNeeds(changed, next);
}

function withParameters(text: string, next: Choice, { question, remembered }: AskContext): string {
  let changed = text;
  const others = question.choices.flatMap(({ uses }) => uses).filter((key) => !next.uses.includes(key));
  for (const key of others) changed = withValue(changed, ["parameters", key], undefined);
  const known = new Set(next.method.parameters.map(({ key }) => key));
  const wanted = { ...remembered?.parameters, ...next.sets };
  const there = parametersOf(changed);
  for (const [key, value] of Object.entries(wanted)) {
    if (known.has(key) && !others.includes(key) && (!(key in there) || key in next.sets))
      changed = withValue(changed, ["parameters", key], value);
  }
  // Some parameters may be left out altogether; an empty map says nothing.
  return Object.keys(parametersOf(changed)).length === 0
    ? withValue(changed, ["parameters"], undefined)
    : changed;
}

interface Label {
  readonly name: string;
  readonly levels: readonly string[];
  readonly description?: string;
}

/** What drafts of before have where nobody named an outcome. */
const exampleLabel: Label = { name: "outcome", levels: ["no", "yes"] };

/** An outcome column that the question has no use for becomes a column like the others, and back. */
function withLabelFor(text: string, { label: use }: Choice, remembered: Remembered | null): string {
  const { value } = readStudyText(text);
  if (value === null) return text;
  const own = labelOf(value.label);
  const isExample = [exampleLabel, openLabel].some((one) => JSON.stringify(own) === JSON.stringify(one));
  // What this filled in, and nobody changed, is no column to keep.
  if (isExample && use !== "needed" && remembered?.label === undefined)
    return withValue(text, ["label"], undefined);
  if (use === "none") return own === null ? text : asColumn(text, own);
  const known = labelOf(remembered?.label);
  if (use === "possible") return own !== null || known === null ? text : asLabel(text, known);
  if (known !== null && known.name !== own?.name) {
    const without = own === null ? text : asColumn(text, own);
    return asLabel(without, known);
  }
  return own === null ? asLabel(text, openLabel) : text;
}

function asColumn(text: string, { name, ...rest }: Label): string {
  const without = withValue(text, ["label"], undefined);
  return withItem(without, ["features"], { name, type: "categorical", ...rest });
}

/** A column of this name becomes the label, with its own levels. */
function asLabel(text: string, label: Label): string {
  const features = readStudyText(text).value?.features;
  const isIt = (one: unknown) => isRecord(one) && one.name === label.name && one.type === "categorical";
  const at = Array.isArray(features) ? features.findIndex(isIt) : -1;
  if (at === -1) return withValue(text, ["label"], label);
  const own = labelOf((features as readonly unknown[])[at]);
  const without = withValue(text, ["features", at], undefined);
  return withValue(without, ["label"], own ?? label);
}

function labelOf(value: unknown): Label | null {
  if (!isRecord(value) || typeof value.name !== "string" || !Array.isArray(value.levels)) return null;
  const { name, levels, description } = value;
  const about = typeof description === "string" ? { description } : {};
  return { name, levels: levels.map(String), ...about };
}

/** Parameters that name a column or a level must name one that is there. */
function withNeeds(text: string, { needs }: Choice): string {
  let changed = text;
  const levels = labelOf(readStudyText(text).value?.label)?.levels ?? [];
  const numbers = columnsOf(text).filter(({ type }) => type !== "categorical");
  for (const key of needs) {
    const own = parametersOf(changed)[key];
    const names = key === "event" ? levels : numbers.map(({ name }) => String(name));
    if (typeof own === "string" && names.includes(own)) continue;
    const fromZero = numbers.find(({ min }) => min === 0);
    // The first level of a label stands for those without the event.
    const value = key === "event" ? (levels[1] ?? levels[0]) : (fromZero?.name ?? names[0]);
    if (value !== undefined) changed = withValue(changed, ["parameters", key], value);
  }
  return changed;
}

function columnsOf(text: string): readonly Study[] {
  const features = readStudyText(text).value?.features;
  return Array.isArray(features) ? features.filter(isRecord) : [];
}

function parametersOf(text: string): Study {
  const parameters = readStudyText(text).value?.parameters;
  return isRecord(parameters) ? parameters : {};
}
