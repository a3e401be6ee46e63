import { describe, expect, it } from "vitest";
import { keepDraft, readDraft } from "./draft";

function memory(): Storage {
  const values = new Map<string, string>();
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  } as Storage;
}

const draft = { text: "name: my-study\n", at: "2026-11-23T08:00:00.000Z" };

describe("a kept draft", () => {
  it("is its own account's, until it is discarded", () => {
    const storage = memory();
    keepDraft("olga", draft, () => storage);
    expect(readDraft("olga", () => storage)).toEqual(draft);
    expect(readDraft("victor", () => storage)).toBeNull();
    keepDraft("olga", null, () => storage);
    expect(readDraft("olga", () => storage)).toBeNull();
  });

  it("is none where the browser keeps nothing, or something else", () => {
    const refusing = () => {
      throw new Error("storage is off");
    };
    keepDraft("olga", draft, refusing);
    expect(readDraft("olga", refusing)).toBeNull();
    const storage = memory();
    for (const text of ["{", "[]", '{"text":1}']) {
      storage.setItem("consilium-study-draft olga", text);
      expect(readDraft("olga", () => storage)).toBeNull();
    }
  });
});
