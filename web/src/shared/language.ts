import { readSaid } from "@consilium/core/readSaid";
import { sayLines } from "@consilium/core/sayLines";
import type { AnySaid } from "@consilium/words/said";
import { createElement, Fragment, type ReactNode } from "react";
import type { Failures, Messages, Services } from "./languages/de";

/**
 * The pages' words in the reader's language. English is written where it is shown and is the key of every other
 * language's words, each language one file in `languages/`, loaded only where it is chosen: docs/LANGUAGES.md.
 *
 * A placeholder is a name in braces: `{count} rows`. What follows a bar is not shown and tells apart messages that are
 * the same in English alone: `Open|state`.
 */
export type Message = keyof Messages;

/** Forms of one message by what `Intl.PluralRules` says of a number. */
export type PluralForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

type Of<Kind> = { [M in Message]: Messages[M] extends Kind ? M : never }[Message];
/** By its form for several. */
type PluralMessage = Of<PluralForms>;
export type TextMessage = Of<string>;
/** Without placeholders, so that it can be kept in a table and said later. */
export type PlainMessage = { [M in TextMessage]: [Names<M>] extends [never] ? M : never }[TextMessage];

type Names<M> = M extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
type Values<M, V> = [Names<M>] extends [never] ? [] : [values: Readonly<Record<Names<M>, V>>];
type Value = string | number;

/** A language's file, by default export. */
export interface Language {
  readonly messages: { readonly [M in Message]: Messages[M] extends string ? string : PluralForms };
  /** Sentences that services send, by their English with placeholders; the first that fits is taken. */
  readonly services: { readonly [S in keyof Services]: string };
  /** Messages and remedies of errors, in the same way. */
  readonly failures: { readonly [S in keyof Failures]: string };
  /** What each error code means. */
  readonly causes: Readonly<Record<string, string>>;
  /** A sentence that has a code; null for a code of a newer service. */
  readonly say: (said: AnySaid) => string | null;
}

const files = import.meta.glob<{ readonly default: Language }>("./languages/*.ts");
const fileOf = (tag: string) => files[`./languages/${tag}.ts`];

/** Languages that the pages have, by tag. */
export const languages: readonly string[] = [
  "en",
  ...Object.keys(files).map((path) => /([\w-]+)\.ts$/.exec(path)![1]!),
].sort();

let tag = "en";
let own: Language | null = null;
/** Loaded with the page where its reader's language is English. */
let sayEnglish: ((said: AnySaid) => string | null) | null = null;
let plurals = new Intl.PluralRules("en");

const key = "consilium-language";

function chosen(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** The reader's choice, else the first of the browser's languages that the pages have, else English. */
function preferred(): string {
  const wanted = [chosen(), ...navigator.languages].map((one) => one?.split("-")[0]);
  return wanted.find((one) => one !== undefined && languages.includes(one)) ?? "en";
}

/** To be awaited before anything is drawn. A language that cannot be loaded leaves the pages in English. */
export async function loadLanguage(): Promise<void> {
  const wanted = preferred();
  const file = fileOf(wanted);
  if (file !== undefined)
    speak(
      wanted,
      await file()
        .then((loaded) => loaded.default)
        .catch(() => null),
    );
  if (own === null) {
    const [{ englishWith }, methods] = await Promise.all([
      import("@consilium/words/english"),
      import("@consilium/methods-paper/english"),
    ]);
    sayEnglish = englishWith(methods.english);
  }
  document.documentElement.lang = tag;
}

/** @param language - null: English */
export function speak(its: string, language: Language | null): void {
  tag = language === null ? "en" : its;
  own = language;
  plurals = new Intl.PluralRules(tag);
  patterns = null;
}

/** Keeps the choice and draws everything anew; a page with unsaved changes asks first. */
export function chooseLanguage(next: string): void {
  try {
    localStorage.setItem(key, next);
  } catch {
    // A browser that keeps nothing shows its own language.
  }
  location.reload();
}

export const language = (): string => tag;

/** For `Intl`: the browser's own variant of the language, such as en-US or de-CH, where it names one. */
export function locale(): string {
  const variants = typeof navigator === "undefined" ? [] : (navigator.languages ?? []);
  return variants.find((one) => one.split("-")[0] === tag) ?? (tag === "en" ? "en-GB" : tag);
}

/** A number as it was put into English words, with the language's decimal sign. */
export function decimal(text: string): string {
  return own === null ? text : text.replace(".", decimalSign());
}

const decimalSign = () => new Intl.NumberFormat(locale()).formatToParts(0.5)[1]!.value;

const valueText = (value: Value): string =>
  typeof value === "string" || own === null ? String(value) : value.toLocaleString(locale());

const shown = (message: string): string => {
  const bar = message.lastIndexOf("|");
  return bar === -1 ? message : message.slice(0, bar);
};

const filled = (text: string, values: Readonly<Record<string, Value>> | undefined): string =>
  text.replace(/\{(\w+)\}/g, (place, name: string) =>
    values !== undefined && name in values ? valueText(values[name]!) : place,
  );

function textOf(message: string): string {
  const text = own?.messages[message as TextMessage];
  return typeof text === "string" ? text : shown(message);
}

/** A message in the reader's language. */
export function t<const M extends TextMessage>(message: M, ...[values]: Values<M, Value>): string {
  return filled(textOf(message), values as Readonly<Record<string, Value>> | undefined);
}

/** Messages of a table, each said when it is read: tables are made before the language is known. */
export function said<const T extends Readonly<Record<string, PlainMessage>>>(
  messages: T,
): { readonly [K in keyof T]: string } {
  return Object.create(
    null,
    Object.fromEntries(
      Object.entries(messages).map(([name, message]) => [
        name,
        { enumerable: true, get: () => textOf(message) },
      ]),
    ),
  ) as { readonly [K in keyof T]: string };
}

/** A message with elements in it. */
export function rich<const M extends TextMessage>(message: M, ...[values]: Values<M, ReactNode>): ReactNode {
  const nodes = (values ?? {}) as Readonly<Record<string, ReactNode>>;
  const parts = textOf(message).split(/\{(\w+)\}/g);
  return createElement(
    Fragment,
    null,
    ...parts.map((part, at) => {
      if (at % 2 === 0) return part;
      const node = nodes[part];
      return typeof node === "number" ? valueText(node) : node;
    }),
  );
}

/**
 * A message by number. Both forms may hold `{count}`.
 * @param one - the English form for 1
 * @param many - the English form for all others
 */
export function plural<const M extends PluralMessage>(
  count: number,
  one: string,
  many: M,
  ...[values]: Exclude<Names<M>, "count"> extends never
    ? []
    : [values: Readonly<Record<Exclude<Names<M>, "count">, Value>>]
): string {
  const forms = own?.messages[many] as PluralForms | undefined;
  const text =
    forms === undefined ? shown(count === 1 ? one : many) : (forms[plurals.select(count)] ?? forms.other);
  return filled(text, { ...(values as Readonly<Record<string, Value>> | undefined), count });
}

interface Pattern {
  /** Its longest words as they stand: a text without them need not be tried. */
  readonly words: string;
  readonly test: RegExp;
  readonly names: readonly string[];
  readonly text: string;
}

interface Patterns {
  readonly exact: ReadonlyMap<string, string>;
  readonly open: readonly Pattern[];
}

/** Messages of errors may hold any sentence of a service, and are tried for nothing else. */
export type SentenceKind = "services" | "failures";

let patterns: Readonly<Record<SentenceKind, Patterns>> | null = null;

/**
 * What a placeholder of a service's sentence may stand for: `{count}` and `{number}` for a number, `{word}` for a name,
 * `{tail}` for text or nothing, others for any text.
 */
function placeOf(name: string): string {
  if (name === "count" || name === "number") return "(±?\\d[\\d.,e-]*)";
  if (name === "tail") return "([^]*?)";
  return /^word\d?$/.test(name) ? "([^\\s,;]+)" : "([^]+?)";
}

function compiled(sentences: readonly (readonly [english: string, text: string])[]): Patterns {
  const exact = new Map<string, string>();
  const open: Pattern[] = [];
  for (const [english, text] of sentences) {
    const parts = english.split(/\{(\w+)\}/g);
    if (parts.length === 1) {
      if (!exact.has(english)) exact.set(english, text);
      continue;
    }
    const source = parts
      .map((part, at) => (at % 2 === 0 ? part.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&") : placeOf(part)))
      .join("");
    open.push({
      words: parts.reduce((long, part, at) => (at % 2 === 0 && part.length > long.length ? part : long), ""),
      test: new RegExp(`^${source}$`),
      names: parts.filter((_, at) => at % 2 === 1),
      text,
    });
  }
  return { exact, open };
}

function patternsOf(its: Language): Readonly<Record<SentenceKind, Patterns>> {
  const services = Object.entries<string>(its.services);
  return {
    services: compiled(services),
    failures: compiled([...Object.entries<string>(its.failures), ...services]),
  };
}

/** Sentences' lines, each behind its place in a study: `label.levels: fault.levels-differ {}; …`. */
const afterPlace = /^[^\s:]+: [a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+ \{/;

/** A service's sentence in the reader's language; null where the language has no words for it. */
export function translated(english: string, kind: SentenceKind = "services"): string | null {
  if (own === null) return sayEnglish === null ? english : sayLines(english, sayEnglish);
  const said = readSaid(english);
  if (said !== null) return own.say(said);
  if (afterPlace.test(english)) return sayLines(english, own.say);
  patterns ??= patternsOf(own);
  const { exact, open } = patterns[kind];
  const whole = exact.get(english);
  if (whole !== undefined) return whole;
  for (const { words, test, names, text } of open) {
    const found = english.includes(words) ? test.exec(english) : null;
    if (found === null) continue;
    const values = names.map((name, at): [string, string | null] => {
      const value = found[at + 1]!;
      return [name, name === "rest" ? translated(value, kind) : part(value, kind)];
    });
    // `{rest}` is a sentence: without words for it the whole has none.
    if (values.some(([, value]) => value === null)) continue;
    return filled(text, Object.fromEntries(values as [string, string][]));
  }
  // Some are sent without a capital, or without their full stop.
  const first = english.charAt(0);
  if (first !== first.toLowerCase()) {
    const said = translated(first.toLowerCase() + english.slice(1), kind);
    if (said !== null) return upperFirst(said);
  }
  const bare = english.endsWith(".") ? translated(english.slice(0, -1), kind) : null;
  return bare === null ? null : `${bare}.`;
}

/** What an error code means in the reader's language; null in English, where messages say it. */
export const causeOf = (code: string): string | null => own?.causes[code] ?? null;

export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A part of a sentence: words that the language has, a number, or a name as it is. */
function part(english: string, kind: SentenceKind): string {
  if (/^±?\d+\.\d+%?$/.test(english)) return decimal(english);
  if (/^\d{1,3}(,\d{3})+$/.test(english)) return valueText(Number(english.replaceAll(",", "")));
  const whole = translated(english, kind);
  if (whole !== null) return whole;
  for (const separator of ["; ", ", "]) {
    const items = english.split(separator);
    const said = items.map((item) => translated(item, kind));
    if (items.length > 1 && said.some((item) => item !== null))
      return items.map((item, at) => said[at] ?? item).join(separator);
  }
  return english;
}

/**
 * A sentence that a service sent in English, by its pattern: services, command line, logs and files speak English, and
 * say the same to everybody. Names and what people wrote stay as they are.
 */
export function served(english: string): string {
  return translated(english) ?? english;
}

/** The same as an element; what has no words in the reader's language is marked as English. */
export function Served({ text }: { readonly text: string }): ReactNode {
  const words = translated(text);
  return words === null ? createElement("span", { lang: "en" }, text) : words;
}
