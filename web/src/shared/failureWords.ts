import { createElement, type ReactNode } from "react";
import { causeOf, translated, upperFirst } from "./language";

interface FailureWords {
  /** The problem, as a sentence. */
  readonly title: string;
  /** The message itself, where the reader's language has no words for it and the title is what its code means. */
  readonly english: string | null;
  /** Null where the reader's language has no words for it. */
  readonly remedy: string | null;
}

/** An error in the reader's language: by the sentences of its message and remedy, else by its code. */
export function failureWords(failure: {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}): FailureWords {
  const { code, message } = failure;
  const said = translated(message, "failures");
  const cause = said === null ? causeOf(code) : null;
  const remedy = translated(failure.remedy, "failures");
  return {
    title: sentence(said ?? cause ?? message),
    english: cause === null ? null : sentence(message),
    remedy: remedy === null ? null : sentence(remedy),
  };
}

/** A message alone, for a line of text. */
export function failureMessage(code: string, message: string): string {
  return translated(message, "failures") ?? causeOf(code) ?? message;
}

/** A remedy alone, for a line of text. */
export function failureRemedy(remedy: string): string {
  return translated(remedy, "failures") ?? remedy;
}

/**
 * A reason in the reader's language: a service's sentence, or an error as a site keeps it, `[CODE] Problem. Remedy.`, or
 * `Problem. Remedy.` with its code beside.
 * @returns null where the language has no words for it: what a person wrote
 */
export function reasonWords(text: string, code: string | null): string | null {
  const whole = translated(text, "failures");
  if (whole !== null) return whole;
  const [, own, rest = text] = /^\[([A-Z_]+)\] ([\s\S]+)$/.exec(text) ?? [];
  // The problem may have full stops of its own: the remedy is the longest end that is one.
  for (let at = rest.indexOf(". "); at !== -1; at = rest.indexOf(". ", at + 1)) {
    const remedy = translated(rest.slice(at + 2), "failures");
    const problem = translated(rest.slice(0, at), "failures") ?? causeOf(own ?? "");
    if (remedy !== null && problem !== null) return `${sentence(problem)} ${sentence(remedy)}`;
  }
  const problem = translated(rest, "failures") ?? causeOf(own ?? (isFailure(code) ? code : ""));
  return problem === null ? null : sentence(problem);
}

/** A person's refusal has a code as well, and a reason in the person's words. */
const isFailure = (code: string | null): code is string => code !== null && code !== "REFUSED_BY_SITE";

/** A reason as an element; what has no words in the reader's language is marked as English. */
export function Reason(props: { readonly text: string; readonly code?: string | null }): ReactNode {
  const words = reasonWords(props.text, props.code ?? null);
  return words === null ? createElement("span", { lang: "en" }, props.text) : words;
}

/** With a capital and a full stop. */
export function sentence(text: string): string {
  return upperFirst(/[.?!]$/.test(text) ? text : `${text}.`);
}
