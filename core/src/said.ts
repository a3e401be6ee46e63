import type { Name, Table } from "@consilium/words/said";
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

/** A path of the system as a parameter: its last 128 characters, which name the file, behind an ellipsis. */
export function pathOf(path: string): Name {
  return (path.length <= maxNameLength ? path : `…${path.slice(1 - maxNameLength)}`) as Name;
}

/** A sentence as a line: `study.unreachable {"invited":4,"minimum":3}`. `readSaid` reads it back. */
export function saidText(said: { readonly code: string; readonly params: object }): string {
  return `${said.code} ${canonicalJson(said.params)}`;
}

/** A sentence of a package's table, for a place within another. */
export function sentences<T extends Table<T>>() {
  return <K extends keyof T & string>(code: K, params: T[K]) => ({ code, params });
}

/** A sentence of a package's table, as a line: what a view, a log or a store holds. */
export function lines<T extends Table<T>>() {
  return <K extends keyof T & string>(code: K, params: T[K]): string => saidText({ code, params });
}
