import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { type BrowserState, violationsOf } from "../../../test/browser/browser.js";
import type { Place } from "./places.js";

type Scheme = "light" | "dark";

/** How a page is looked at; axe takes long, and each of its looks is another width or theme. */
interface Look {
  readonly width: number;
  readonly scheme: Scheme;
  readonly isJudged?: boolean;
}

const heights: Readonly<Record<number, number>> = { 390: 844, 1024: 768, 1920: 1080 };
export const english: readonly Look[] = [
  { width: 1024, scheme: "light", isJudged: true },
  { width: 1024, scheme: "dark" },
  { width: 1920, scheme: "light" },
  { width: 1920, scheme: "dark" },
  { width: 390, scheme: "light" },
  { width: 390, scheme: "dark", isJudged: true },
];
export const german: readonly Look[] = [{ width: 390, scheme: "light", isJudged: true }];

/** A full page that is longer is cut. */
const longestPx = 6_000;

/** One person in a browser of one language, who looks at pages. */
export class Photographer {
  readonly findings: string[] = [];
  #at = "";

  private constructor(
    private readonly folder: string,
    private readonly language: string,
    private readonly page: Page,
    private readonly context: BrowserContext,
  ) {
    page.setDefaultTimeout(60_000);
    const note = (text: string) => this.findings.push(`${this.#at}: ${text}`);
    page.on("console", (message) => {
      // A page that is not there is asked for on purpose.
      if (/no-such/.test(this.#at)) return;
      if (message.type() === "error" || message.type() === "warning")
        note(`console: ${message.text()} ${message.location().url}`);
    });
    page.on("pageerror", (error) => note(`exception: ${error.message}`));
  }

  static async arrive(
    browser: Browser,
    folder: string,
    language: string,
    storageState?: BrowserState,
  ): Promise<Photographer> {
    await mkdir(folder, { recursive: true });
    const context = await browser.newContext({
      locale: language,
      reducedMotion: "reduce",
      ...(storageState === undefined ? {} : { storageState }),
    });
    return new Photographer(folder, language, await context.newPage(), context);
  }

  leave(): Promise<void> {
    return this.context.close();
  }

  /** @returns the names of the pictures */
  async take(origin: string, place: Place, looks: readonly Look[]): Promise<string[]> {
    this.#at = `${place.name} (${this.language})`;
    const names: string[] = [];
    for (const [at, look] of looks.entries()) {
      // What a page decides when it is loaded, it may decide by the width.
      if (look.width !== looks[at - 1]?.width) await this.#open(origin, place, look);
      names.push(await this.#look(place, look));
    }
    return names;
  }

  async #open(origin: string, place: Place, { width, scheme }: Look): Promise<void> {
    const { page } = this;
    await page.setViewportSize({ width, height: heights[width]! });
    await page.emulateMedia({ colorScheme: scheme });
    try {
      await page.goto(new URL(place.path, origin).href);
      await page.locator(place.content).first().waitFor();
      await place.act?.(page);
      await page.locator(".loading").first().waitFor({ state: "detached", timeout: 15_000 });
    } catch (thrown) {
      this.findings.push(`${this.#at}: ${thrown instanceof Error ? thrown.message.split("\n")[0] : thrown}`);
    }
  }

  async #look(place: Place, { width, scheme, isJudged }: Look): Promise<string> {
    const { page } = this;
    const name = `${place.name}-${width}-${this.language === "de-DE" ? "german" : scheme}`;
    this.#at = name;
    await page.setViewportSize({ width, height: heights[width]! });
    await page.emulateMedia({ colorScheme: scheme });
    await page.evaluate("new Promise((done) => setTimeout(done, 150))");
    const found = scheme === "light" ? await page.evaluate<string[]>(clippedTexts) : [];
    // axe would take minutes over a long document.
    const isLong = (await page.locator(".document").count()) > 0;
    const judged = isJudged === true && !isLong ? await violationsOf(page) : [];
    this.findings.push(...[...found, ...judged].map((text) => `${name}: ${text}`));
    const height = await page.evaluate<number>("document.documentElement.scrollHeight");
    await page.screenshot({
      path: join(this.folder, `${name}.png`),
      fullPage: true,
      clip: { x: 0, y: 0, width, height: Math.min(height, longestPx) },
    });
    return name;
  }
}

/** Run in the page: what is wider than the screen, and words that are cut off where nobody can scroll to them. */
const clippedTexts = `(() => {
  const found = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) found.push((root.scrollWidth - root.clientWidth) + " px wider than the screen");
  const words = (one) => (one.textContent ?? "").replace(/\\s+/g, " ").trim().slice(0, 60);
  for (const one of document.body.querySelectorAll("*")) {
    const { clientWidth, scrollWidth } = one;
    if (clientWidth < 4 || words(one) === "" || !one.checkVisibility({ contentVisibilityAuto: true })) continue;
    const style = getComputedStyle(one);
    // What only a screen reader is told.
    if (style.clipPath !== "none" || style.position === "absolute" && one.matches("legend, .visually-hidden")) continue;
    if (scrollWidth > clientWidth + 1 && (style.overflowX === "hidden" || style.overflowX === "clip"))
      found.push("cut: " + words(one));
    if (one.matches(".chart") && scrollWidth > clientWidth + 1) found.push("a figure scrolls by " + (scrollWidth - clientWidth) + " px: " + words(one));
    if (one.matches(".table-frame") && scrollWidth > clientWidth * 1.6 + 1) found.push("a table is " + (scrollWidth / clientWidth).toFixed(1) + " times its frame: " + words(one));
    if (one.matches("input, select") && scrollWidth > clientWidth + 1) found.push("cut in a field: " + one.value);
  }
  for (const text of document.querySelectorAll("svg text")) {
    const frame = text.closest("svg")?.parentElement?.closest(".chart, .card, main")?.getBoundingClientRect();
    const box = text.getBoundingClientRect();
    if (frame && box.width > 0 && (box.left < frame.left - 1)) found.push("a figure's words begin outside: " + words(text));
    if (box.width > 0 && box.height < 8) found.push("a figure's words are " + box.height.toFixed(1) + " px high: " + words(text));
  }
  return [...new Set(found)].slice(0, 12);
})()`;
