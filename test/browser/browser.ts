import { existsSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

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
    page.setDefaultTimeout(60_000);
    page.on("console", (message) => {
      if (message.type() !== "error" && message.type() !== "warning") return;
      this.complaints.push(`${message.type()} at ${page.url()}: ${message.text()} ${message.location().url}`);
    });
    page.on("pageerror", (error) => this.complaints.push(`exception at ${page.url()}: ${error.message}`));
  }

  static async arrive(browser: Browser, name: string): Promise<Visitor> {
    const context = await browser.newContext({ viewport: widths.laptop, acceptDownloads: true });
    return new Visitor(name, await context.newPage(), context);
  }

  leave(): Promise<void> {
    return this.context.close();
  }

  /**
   * Looks at the page as it stands: on a laptop and a phone, light and dark. Takes a screenshot of each, and asks axe for
   * what would keep anyone from using it.
   * @returns serious and critical violations, and a page that is wider than its screen
   */
  async look(title: string): Promise<string[]> {
    await mkdir(artifacts, { recursive: true });
    const faults: string[] = [];
    for (const [device, size] of Object.entries(widths)) {
      await this.page.setViewportSize(size);
      for (const colorScheme of ["light", "dark"] as const) {
        await this.page.emulateMedia({ colorScheme });
        // Until the theme's colours and the layout have settled: axe judges contrast by what is painted.
        await this.page.evaluate(
          "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
        );
        const place = `${this.name}-${title}-${device}-${colorScheme}`;
        await this.page.screenshot({ path: `${artifacts}/${place}.png`, fullPage: true });
        faults.push(...(await this.violations()).map((fault) => `${place}: ${fault}`));
      }
      const excess = await this.page.evaluate<number>(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      if (excess > 0) faults.push(`${this.name} ${title} ${device}: ${excess} px wider than the screen`);
    }
    await this.page.setViewportSize(widths.laptop);
    await this.page.emulateMedia({ colorScheme: "light" });
    return faults;
  }

  private async violations(): Promise<string[]> {
    // Evaluated by the debugger, which the page's content security policy does not keep out.
    await this.page.evaluate(axe);
    return this.page.evaluate(async () => {
      const { violations } = await (
        globalThis as unknown as { axe: { run(): Promise<{ violations: AxeViolation[] }> } }
      ).axe.run();
      return violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
    });
  }
}

interface AxeViolation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly target: readonly string[] }[];
}
