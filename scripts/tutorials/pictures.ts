import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { launch, makeAccount, setUpLink } from "../../test/browser/browser.js";
import { projectRoot } from "../repository.js";
import { type Picture, shownHome } from "./story.js";

/** The pictures of the tutorials: each is a page of the story as it stands when the tutorial shows it. */
export const imageFolder = join(projectRoot, "docs/tutorials/images");

type Who = "operator" | "officer" | "reader";

/** Whose page a picture is of, and the way there. */
const pictures: Readonly<Record<string, readonly [who: Who, go: (page: Page) => Promise<void>]>> = {
  "operator-federation": ["operator", (page) => open(page, "Federation")],
  "operator-compose": [
    "operator",
    async (page) => {
      await open(page, "New study");
      await page.getByText("Start from an example or a file").click();
      await page.getByLabel("Start from").selectOption("wdbc-dp-pca");
      await page.getByRole("heading", { name: "Plan: privacy" }).waitFor();
    },
  ],
  "operator-study-waiting": ["operator", openStudy],
  "operator-study-released": [
    "operator",
    async (page) => {
      await openStudy(page);
      await page.getByRole("heading", { name: "Results" }).waitFor();
    },
  ],
  "operator-audit": ["operator", (page) => open(page, "Audit")],
  "hospital-health": ["officer", (page) => open(page, "Health")],
  "hospital-study": ["officer", openStudy],
  "hospital-policy": ["officer", (page) => open(page, "Policy")],
  "hospital-ledger": ["officer", (page) => open(page, "Ledger")],
  catalogue: [
    "reader",
    (page) =>
      page
        .getByRole("link", { name: /Breast biopsies/ })
        .first()
        .waitFor(),
  ],
  "catalogue-release": [
    "reader",
    async (page) => {
      await page
        .getByRole("link", { name: /Breast biopsies/ })
        .first()
        .click();
      await page.getByRole("heading", { level: 1 }).filter({ hasText: "Breast biopsies" }).waitFor();
      await page.locator(".figures svg").first().waitFor();
    },
  ],
};

export const pictureNames = Object.keys(pictures).sort();

const accounts: Readonly<Record<Exclude<Who, "reader">, readonly [name: string, state: string]>> = {
  operator: ["olga", "north-sea/aggregator"],
  officer: ["dr.dora", "st-mary/sites/st-mary/console"],
};
const catalogue = "http://localhost:7081/";
/** No picture is longer: the top of a page says what it is. */
const longest = 1000;
const viewport = { width: 1200, height: 750 };

/** A browser in which the story's people sign in when a picture first needs them. */
export class Photographer {
  readonly #browser: Browser;
  readonly #pages = new Map<Who, { readonly page: Page; readonly context: BrowserContext }>();

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async hire(): Promise<Photographer> {
    await mkdir(imageFolder, { recursive: true });
    return new Photographer(await launch());
  }

  dismiss(): Promise<void> {
    return this.#browser.close();
  }

  async take({ name, home }: Picture): Promise<void> {
    const [who, go] = pictures[name]!;
    const page = await this.#pageOf(who, home);
    await go(page);
    await page.waitForLoadState("networkidle").catch(() => undefined);
    await page.evaluate("new Promise((done) => setTimeout(done, 500))");
    await page.getByText("checking…").first().waitFor({ state: "hidden" });
    await page.evaluate(withShownHome(home));
    const height = await page.evaluate<number>("document.documentElement.scrollHeight");
    // A bar that stays at the foot of the window is at the foot of the picture.
    await page.setViewportSize({ ...viewport, height: Math.min(height, longest) });
    await page.screenshot({ path: join(imageFolder, `${name}.png`) });
    await page.setViewportSize(viewport);
  }

  async #pageOf(who: Who, home: string): Promise<Page> {
    const known = this.#pages.get(who);
    if (known !== undefined) return known.page;
    const context = await this.#browser.newContext({ viewport });
    const page = await context.newPage();
    this.#pages.set(who, { page, context });
    if (who === "reader") await page.goto(catalogue);
    else {
      const [name, state] = accounts[who];
      await page.goto(await setUpLink(join(home, state)));
      await makeAccount(page, name);
      await page.getByRole("navigation").first().waitFor();
    }
    return page;
  }
}

/** Folders as the tutorials write them, not where the story is told. */
const withShownHome = (home: string) => `{
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode() !== null)
    texts.currentNode.data = texts.currentNode.data.replaceAll(${JSON.stringify(home)}, ${JSON.stringify(shownHome)});
}`;

async function open(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name }).first().click();
  await page.getByRole("heading", { level: 1 }).waitFor();
}

async function openStudy(page: Page): Promise<void> {
  await open(page, "Studies");
  await page
    .getByRole("link", { name: /wdbc-dp-pca/ })
    .first()
    .click();
  await page
    .getByRole("heading", { level: 1 })
    .filter({ hasText: /Breast biopsies|wdbc-dp-pca/ })
    .waitFor();
}
