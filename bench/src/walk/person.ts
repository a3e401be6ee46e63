import type { Locator, Page } from "playwright-core";

/** What a person takes beside the machine: somebody who types slowly, and has never seen the pages. */
export const assumed = {
  keyMs: 250,
  /** To find what to click, and to click it. */
  clickMs: 2_000,
  /** To see what a new page is for. */
  pageMs: 5_000,
  /** A text that is read word by word: 240 words a minute. */
  wordMs: 250,
} as const;

export interface Times {
  readonly machineMs: number;
  readonly humanMs: number;
  readonly keys: number;
  readonly clicks: number;
  readonly pages: number;
  readonly words: number;
}

/**
 * One person at a browser and a terminal. Everything is done at once and counted: the machine's time is measured, the
 * person's is what `assumed` says. While the person waits for somebody else, the clock stands.
 */
export class Person {
  #machineMs = 0;
  #since: number | null = null;
  #keys = 0;
  #clicks = 0;
  #pages = 0;
  #words = 0;

  constructor(readonly page: Page) {
    page.setDefaultTimeout(120_000);
  }

  starts(): void {
    this.#since ??= performance.now();
  }

  waits(): void {
    if (this.#since !== null) this.#machineMs += performance.now() - this.#since;
    this.#since = null;
  }

  get times(): Times {
    const [keys, clicks, pages, words] = [this.#keys, this.#clicks, this.#pages, this.#words];
    const humanMs =
      keys * assumed.keyMs + clicks * assumed.clickMs + pages * assumed.pageMs + words * assumed.wordMs;
    return { machineMs: this.#machineMs, humanMs, keys, clicks, pages, words };
  }

  async opens(address: string): Promise<void> {
    this.#clicks++;
    await this.page.goto(address);
  }

  /** @param what - is there once the page is */
  async sees(what: Locator): Promise<void> {
    await what.first().waitFor();
    this.#pages++;
  }

  async clicks(what: Locator): Promise<void> {
    this.#clicks++;
    await what.click();
  }

  async types(text: string, into: Locator): Promise<void> {
    this.#clicks++;
    this.#keys += text.length;
    await into.fill(text);
  }

  async chooses(option: string, from: Locator): Promise<void> {
    this.#clicks += 2;
    await from.selectOption(option);
  }

  /** Word by word. */
  async reads(what: Locator): Promise<string> {
    const text = await what.innerText();
    this.#words += text.split(/\s+/).filter((word) => word !== "").length;
    return text;
  }

  /** By the page's own button. */
  async copies(from: Locator | Page, name = "Copy"): Promise<string> {
    await this.clicks(from.getByRole("button", { name }));
    return this.page.evaluate<string>("navigator.clipboard.readText()");
  }

  /** At a terminal, into a mail or a notebook: the paste, and what is typed beside it. */
  pastes(typed = ""): void {
    this.#clicks++;
    this.#keys += typed.length + 1;
  }
}
