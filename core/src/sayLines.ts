import type { AnySaid } from "@consilium/words/said";
import { readSaid } from "./readSaid.js";

const begin = /(?:^|(?<=\] |\. |: |\(|\} |^- ))[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+ \{/g;

/**
 * Says the lines in a text: all of it, those that `ConsiliumError.describe` puts after a code and before a remedy, those after a
 * place (`patient.weighting: …`) or another line, those in brackets and an item of a list. The text may be anybody's: it is read through once, and no further than
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
