import { ConsiliumError } from "@consilium/core/errors";
import { ifInstalled } from "@consilium/core/method/ifInstalled";
import { readSaid } from "@consilium/core/readSaid";
import { sayLines } from "@consilium/core/sayLines";
import { english as ofSound } from "@consilium/methods/english";
import { englishWith } from "@consilium/words/english";
import type { AnySaid } from "@consilium/words/said";

/**
 * The edge of a service: sentences leave it in English, and beside them, under `said`, what was said as code and
 * parameters, from which a page says it in its reader's language.
 */

const installed = await ifInstalled(() => import("@consilium/methods-paper/english"));
const sayEnglish = englishWith(installed?.english ?? ofSound);

/** A text for people: the lines of sentences in it in English, the rest as it is. */
export function english(text: string): string {
  return sayLines(text, sayEnglish);
}

/** An error whose message and remedy are for people. */
export function spokenError(error: ConsiliumError): ConsiliumError {
  const message = english(error.message);
  const remedy = english(error.remedy);
  if (message === error.message && remedy === error.remedy) return error;
  return new ConsiliumError(error.code, message, { remedy, cause: error.cause });
}

/** A text that holds lines and is none goes beside as it was. */
type Said = AnySaid | { readonly text: string };
type SaidParts = { [key: string]: Said | SaidParts };

/**
 * A JSON value for people: each line that stands for a sentence in English. An object that has some gains `said`, with the
 * sentences of its own members by name, and of a member's list by position.
 */
export function spoken(value: unknown): unknown {
  return walked(value).value;
}

/** @returns the value itself where nothing in it is a sentence's line */
function walked(value: unknown): { readonly value: unknown; readonly said: Said | SaidParts | null } {
  if (typeof value === "string") {
    const text = english(value);
    return text === value ? { value, said: null } : { value: text, said: readSaid(value) ?? { text: value } };
  }
  if (typeof value !== "object" || value === null) return { value, said: null };
  const changed = new Map<string, unknown>();
  const parts: SaidParts = {};
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key];
    if (typeof member !== "string" && typeof member !== "object") continue;
    const after = walked(member);
    if (after.value === member) continue;
    changed.set(key, after.value);
    if (after.said !== null) parts[key] = after.said;
  }
  if (changed.size === 0) return { value, said: null };
  const isSaid = Object.keys(parts).length > 0;
  const after = Array.isArray(value) ? [...value] : { ...value };
  for (const [key, member] of changed) (after as Record<string, unknown>)[key] = member;
  if (Array.isArray(value)) return { value: after, said: isSaid ? parts : null };
  return { value: isSaid ? { ...after, said: parts } : after, said: null };
}
