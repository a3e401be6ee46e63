import { isRecord } from "../../shared/yaml/values";

/** The draft of a study, kept in this browser for each account until it is started or discarded. It holds no record's value. */

export interface Draft {
  readonly text: string;
  /** When it was changed last, ISO 8601. */
  readonly at: string;
}

/** @param storage - the page's local storage, or a test's own */
export function readDraft(account: string, storage: () => Storage = local): Draft | null {
  try {
    const value: unknown = JSON.parse(storage().getItem(keyOf(account)) ?? "null");
    return isRecord(value) && typeof value.text === "string" && typeof value.at === "string"
      ? { text: value.text, at: value.at }
      : null;
  } catch {
    return null;
  }
}

/** @param draft - null: nothing is kept */
export function keepDraft(account: string, draft: Draft | null, storage: () => Storage = local): void {
  try {
    if (draft === null) storage().removeItem(keyOf(account));
    else storage().setItem(keyOf(account), JSON.stringify(draft));
  } catch {
    // A browser that keeps nothing loses the draft when the page is left.
  }
}

const local = () => localStorage;
const keyOf = (account: string) => `consilium-study-draft ${account}`;
