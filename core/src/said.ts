import type { AnySaid, Name, Param, Table } from "@consilium/words/said";
import { canonicalJson } from "./canonicalJson.js";

/**
 * Sentences as facts. Inside, a sentence is its code with parameters, as one line of text: it may be stored, compared and
 * sent. `runtime/src/http/spoken.ts` and the pages say it in the reader's language, at the edge.
 */

const maxNameLength = 128;

/** A name of a study or of a configuration as a parameter, cut after 128 characters. Never a value of a record. */
export function nameOf(text: string): Name {
  return (text.length <= maxNameLength ? text : `${text.slice(0, maxNameLength - 1)}…`) as Name;
}

/** A sentence as a line: `study.unreachable {"invited":4,"minimum":3}`. `readSaid` reads it back. */
export function saidText(said: { readonly code: string; readonly params: object }): string {
  return `${said.code} ${canonicalJson(said.params)}`;
}

const line = /^([a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+) (\{.*\})$/;

/** The sentence that a line stands for; null for any other text. */
export function readSaid(text: string): AnySaid | null {
  const [, code, params] = line.exec(text) ?? [];
  if (code === undefined || params === undefined) return null;
  try {
    return { code, params: JSON.parse(params) as Record<string, Param> };
  } catch {
    return null;
  }
}

const begin = /(?:^|(?<=\] |\. |: |\())[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+ \{/g;

/**
 * Says the lines in a text: all of it, those that `ConsiliumError.describe` puts after a code and before a remedy, those after a
 * place (`patient.weighting: …`) and those in brackets. The text may be anybody's: it is read through once, and no further than
 * to a line that does not end.
 * @param say - null for a code that it has no words for, whose line stays
 */
export function sayLines(text: string, say: (said: AnySaid) => string | null): string {
  let spoken = "";
  let from = 0;
  let readTo = 0;
  for (const { index, 0: start } of text.matchAll(begin)) {
    if (index < readTo) continue;
    const end = objectEnd(text, index + start.length - 1);
    if (end === -1) break;
    readTo = end;
    const said = readSaid(text.slice(index, end));
    const words = said === null ? null : say(said);
    if (words === null) continue;
    const isAfterSentence = text.startsWith(". ", index - 2);
    spoken +=
      text.slice(from, index) + (isAfterSentence ? words.charAt(0).toUpperCase() + words.slice(1) : words);
    from = end;
  }
  return spoken + text.slice(from);
}

/** @returns where the JSON object ends that begins at a place; -1 where it does not */
function objectEnd(text: string, start: number): number {
  let depth = 0;
  let isInString = false;
  for (let at = start; at < text.length; at++) {
    const unit = text[at];
    if (isInString) {
      if (unit === "\\") at++;
      else if (unit === '"') isInString = false;
    } else if (unit === '"') isInString = true;
    else if (unit === "{") depth++;
    else if (unit === "}") {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

/** A sentence of a package's table, as a line: what a view, a log or a store holds. */
export function lines<T extends Table<T>>() {
  return <K extends keyof T & string>(code: K, params: T[K]): string => saidText({ code, params });
}
