import { blank } from "./templates";

/** The file that is being written stays while its page is left, as long as the browser's tab is open. */
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
