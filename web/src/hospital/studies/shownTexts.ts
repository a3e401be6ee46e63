import { recordable, type Shown, type ShownTerms } from "@consilium/core/hospital/shown";
import { softwareBuild } from "@consilium/core/version";
import { language } from "../../shared/language";

/**
 * Marks what is kept with a decision as shown: a study's explanation, folded parts too, and the dialog that decides. What was found
 * in the hospital's table stays out of it, for its numbers are of records.
 */
export const recorded = { "data-recorded": true } as const;
export const unrecorded = { "data-unrecorded": true } as const;

const blocks = "p, li, h2, h3, h4, summary, td, th, dt, dd, caption";
const left = "[data-unrecorded], [aria-hidden=true], button, select, textarea";

/** What this page shows now, in its reader's language. */
export function shownNow(terms: ShownTerms): Shown {
  const roots = [...document.querySelectorAll("[data-recorded], dialog[open]")];
  return {
    ...terms,
    language: language() === "de" ? "de" : "en",
    software: softwareBuild,
    texts: recordable(roots.flatMap(textsOf)),
  };
}

/** The texts of an element's paragraphs, cells and items, in their order. */
function textsOf(node: Node): string[] {
  if (node instanceof Element && node.matches(left)) return [];
  if (node instanceof Element && node.querySelector(blocks) !== null)
    return [...node.childNodes].flatMap(textsOf);
  const text = textOf(node).replace(/\s+/g, " ").trim();
  return text === "" ? [] : [text];
}

/** Elements that nothing stands between are apart on the page. */
function textOf(node: Node): string {
  if (!(node instanceof Element)) return node.textContent ?? "";
  if (node.matches(left)) return "";
  return [...node.childNodes]
    .map((child) => {
      const isApart = child instanceof Element && child.previousSibling instanceof Element;
      return (isApart ? " " : "") + textOf(child);
    })
    .join("");
}
