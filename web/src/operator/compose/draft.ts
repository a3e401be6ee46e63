import { blank } from "./templates";

/** Keeps the draft while other pages are open, as long as the browser tab stays open. */
const key = "consilium-study-draft";

export function readDraft(): string {
  try {
    return sessionStorage.getItem(key) ?? blank;
  } catch {
    return blank;
  }
}

export function keepDraft(text: string): void {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    // A browser that keeps nothing loses the draft when the page is left.
  }
}
