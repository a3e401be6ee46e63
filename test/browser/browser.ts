import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { isWholeRun } from "../../core/testing/wholeRun.js";

/** A real Chromium for tests: `CONSILIUM_CHROMIUM` names it where it is not Debian's. */
const executablePath = process.env.CONSILIUM_CHROMIUM ?? "/usr/bin/chromium";

/** Why the browser's tests cannot run here; null if they can. */
export const noBrowser = existsSync(executablePath)
  ? null
  : `no Chromium at ${executablePath}: install it, or name it by CONSILIUM_CHROMIUM`;

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

export const password = "a long enough password for tests";

/** The address in the file that a process's first start leaves. */
export async function setUpLink(state: string): Promise<string> {
  return (await readFile(join(state, "setup-link"), "utf8")).trim();
}

/** Makes the first account, on the page that the one-time link leads to. */
export async function makeAccount(page: Page, name: string): Promise<void> {
  await page.getByLabel("Your name").fill(name);
  await setPassword(page);
}

/** Ends the page of a one-time link. */
export async function setPassword(page: Page): Promise<void> {
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByLabel("Confirm password").fill(password);
  await page.getByRole("button", { name: /^(Create account|Set password)$/ }).click();
}

/** Milliseconds from the start of the navigation. */
export interface Paint {
  /** First contentful paint (PerformancePaintTiming). */
  readonly firstMs: number;
  /** Until what the page is for stood in it. */
  readonly contentMs: number;
}

/**
 * Opens a page with nothing in the cache.
 * @param content - CSS selector of what the page is for
 * @param state - of a context that has signed in
 */
export async function paintOf(
  browser: Browser,
  url: string,
  content: string,
  state?: BrowserState,
): Promise<Paint> {
  const context = await browser.newContext({
    viewport: widths.laptop,
    ...(state === undefined ? {} : { storageState: state }),
  });
  try {
    const page = await context.newPage();
    await page.goto(url, { waitUntil: "commit" });
    // Asked by the debugger in one go: the page's content security policy keeps out what asks again and again.
    const when = (found: string) =>
      page.evaluate<number>(`new Promise((done, fail) => {
        const look = () => {
          const at = ${found};
          if (at) done(at);
          else if (performance.now() > 60_000) fail(new Error("nothing of it within a minute: ${url}"));
          else requestAnimationFrame(look);
        };
        look();
      })`);
    const contentMs = await when(`document.querySelector(${JSON.stringify(content)}) && performance.now()`);
    const firstMs = await when("performance.getEntriesByName('first-contentful-paint')[0]?.startTime");
    return { firstMs, contentMs };
  } finally {
    await context.close();
  }
}

/** What a page shows whose script never comes. */
export async function paintedWithoutScript(browser: Browser, url: string): Promise<string> {
  const page = await browser.newPage();
  try {
    const isModule = (address: URL) =>
      address.pathname.endsWith(".js") && !/firstTheme/.test(address.pathname);
    await page.route(isModule, (route) => route.abort());
    await page.goto(url);
    return await page.locator("body").innerText();
  } finally {
    await page.close();
  }
}

export type BrowserState = Awaited<ReturnType<BrowserContext["storageState"]>>;

/** Where the screenshots go; git does not see it. */
const artifacts = fileURLToPath(new URL("../artifacts/browser", import.meta.url));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const widths = { laptop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const;

/** One person at one console: the page, and everything that it complained of. */
export class Visitor {
  readonly complaints: string[] = [];

  private constructor(
    readonly name: string,
    readonly page: Page,
    private readonly context: BrowserContext,
  ) {
    page.setDefaultTimeout(120_000);
    page.on("console", (message) => {
      if (message.type() !== "error" && message.type() !== "warning") return;
      this.complaints.push(`${message.type()} at ${page.url()}: ${message.text()} ${message.location().url}`);
    });
    page.on("pageerror", (error) => this.complaints.push(`exception at ${page.url()}: ${error.message}`));
  }

  /** @param locale - of the browser, which the pages speak if they have its language */
  static async arrive(browser: Browser, name: string, locale = "en-US"): Promise<Visitor> {
    const context = await browser.newContext({ viewport: widths.laptop, acceptDownloads: true, locale });
    return new Visitor(name, await context.newPage(), context);
  }

  leave(): Promise<void> {
    return this.context.close();
  }

  /**
   * Looks at the page as it stands: asks axe for what would keep anyone from using it in both widths and both themes, but not in
   * each pair of them, for it takes long. The whole run takes a picture of each pair.
   * @returns serious and critical violations, and a page that is wider than its screen
   */
  async look(title: string): Promise<string[]> {
    const faults: string[] = [];
    for (const device of ["laptop", "phone"] as const) {
      await this.page.setViewportSize(widths[device]);
      const judged = device === "laptop" ? "light" : "dark";
      if (isWholeRun) await this.show(`${title}-${device}`, judged === "light" ? "dark" : "light");
      faults.push(...(await this.judge(`${title}-${device}`, judged)));
      faults.push(...(await this.excess(title, device)));
    }
    await this.page.setViewportSize(widths.laptop);
    await this.page.emulateMedia({ colorScheme: "light" });
    return faults;
  }

  /** What the words of another language may change: once as on a laptop, and the width on both. */
  async lookOnce(title: string): Promise<string[]> {
    const faults = await this.judge(`${title}-laptop`, "light");
    faults.push(...(await this.excess(title, "laptop")));
    await this.page.setViewportSize(widths.phone);
    faults.push(...(await this.excess(title, "phone")));
    await this.page.setViewportSize(widths.laptop);
    return faults;
  }

  private async judge(title: string, colorScheme: "light" | "dark"): Promise<string[]> {
    const place = await this.show(title, colorScheme);
    return (await violationsOf(this.page)).map((fault) => `${place}: ${fault}`);
  }

  private async show(title: string, colorScheme: "light" | "dark"): Promise<string> {
    await this.page.emulateMedia({ colorScheme });
    for (let loading = 1, i = 0; loading > 0 && i < 600; i++) {
      loading = await this.page.evaluate<number>("document.querySelectorAll('.loading').length");
      if (loading > 0) await setTimeout(100);
    }
    // Until the theme's colours and the layout have settled: axe judges contrast by what is painted.
    await this.page.evaluate(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    );
    const place = `${this.name}-${title}-${colorScheme}`;
    if (isWholeRun) {
      await mkdir(artifacts, { recursive: true });
      await this.page.screenshot({ path: `${artifacts}/${place}.png`, fullPage: true });
    }
    return place;
  }

  private async excess(title: string, device: keyof typeof widths): Promise<string[]> {
    const excess = await this.page.evaluate<number>(
      "document.documentElement.scrollWidth - document.documentElement.clientWidth",
    );
    if (excess <= 0) return [];
    const widest = await this.page.evaluate<string>(widestElement);
    return [`${this.name} ${title} ${device}: ${excess} px wider than the screen: ${widest}`];
  }

  /** What the page shows or says to a screen reader: texts and labels, what is marked as English apart. */
  words(): Promise<ShownWords> {
    return this.page.evaluate<ShownWords>(`(() => {
      const own = [];
      const english = [];
      const add = (element, text) => {
        const words = (text ?? "").replace(/\\s+/g, " ").trim();
        if (words === "" || element.closest("code, pre, textarea, script, style, noscript") !== null) return;
        (element.closest("[lang=en]") === null ? own : english).push(words);
      };
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) add(node.parentElement, node.textContent);
      for (const name of ["aria-label", "aria-valuetext", "title", "alt", "placeholder", "data-title"])
        for (const element of document.body.querySelectorAll("[" + name + "]")) add(element, element.getAttribute(name));
      add(document.body, document.title);
      return { language: document.documentElement.lang, own, english };
    })()`);
  }
}

/** The innermost element that reaches furthest to the right, of those that do not scroll in a frame of their own. */
const widestElement = `(() => {
  const scrolls = (element) => getComputedStyle(element).overflowX !== "visible";
  let [widest, right] = [document.body, 0];
  for (const element of document.querySelectorAll("body *")) {
    let frame = element.parentElement;
    while (frame !== document.body && frame !== null && !scrolls(frame)) frame = frame.parentElement;
    const own = element.getBoundingClientRect().right;
    if (frame === document.body && own >= right) [widest, right] = [element, own];
  }
  return widest.outerHTML.slice(0, 200);
})()`;

/** What axe finds serious or critical in the page as it stands. */
export async function violationsOf(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the page's content security policy does not keep out.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run({
      // Of what passes it need not say where that stands.
      resultTypes: ["violations"],
    });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
  });
}

export interface ShownWords {
  readonly language: string;
  readonly own: readonly string[];
  readonly english: readonly string[];
}

interface Axe {
  run(options: { readonly resultTypes: readonly string[] }): Promise<{ violations: AxeViolation[] }>;
}

interface AxeViolation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly target: readonly string[] }[];
}
