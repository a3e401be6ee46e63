/**
 * How soon a page of ours is painted, and how soon what it is for stands in it: Chromium with an empty cache, the
 * services as processes of their own on loopback. Beside it, in the same run, a page of a few words.
 */
import { mkdtemp, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { LocalFederation } from "../../scripts/localFederation.js";
import {
  type BrowserState,
  launch,
  makeAccount,
  noBrowser,
  type Paint,
  paintOf,
  setUpLink,
} from "../../test/browser/browser.js";
import { type BenchRow, compare, parseBenchOptions, printReport } from "./report.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const hospitals = ["hospital-a", "hospital-b", "hospital-c"];
const study = "wdbc-dp-pca";

/** At most so many times as long as the page of a few words. */
const targets = { firstMs: 5, contentMs: 10 };
/** On a quiet machine, a first paint is to take no longer. */
const firstPaintMaxMs = 1_000;

interface Target {
  readonly name: string;
  readonly url: string;
  /** CSS selector of what the page is for. */
  readonly content: string;
  readonly state?: BrowserState;
}

export async function run(args: string[]): Promise<void> {
  const options = parseBenchOptions(args, 9);
  if (noBrowser !== null) throw new Error(noBrowser);
  const home = await mkdtemp(join(tmpdir(), "consilium-pages-"));
  const [federation, browser, reference] = await Promise.all([
    LocalFederation.create(home, "bench"),
    launch(),
    serveWords(),
  ]);
  try {
    const pages = await targetsOf(federation, browser);
    const paints = await measure(browser, [reference.page, ...pages], options.repeats);
    const words = medians(paints.get(reference.page)!);
    const rows = pages.flatMap((page) => rowsOf(page.name, medians(paints.get(page)!), words));
    printReport(
      {
        bench: "pages",
        unit: "ms from the start of the navigation, cache empty",
        reference: "reference: a page of a few words, from a plain server",
        better: "lower",
        statistic: "median",
        rows,
        notes: [slowest(pages.map(({ name }, i) => ({ name, firstMs: rows[2 * i]!.ours })))],
      },
      options,
    );
  } finally {
    await browser.close();
    reference.close();
    await federation.remove();
  }
}

function rowsOf(name: string, ours: Paint, words: Paint): BenchRow[] {
  return [
    compare(`${name}: first paint`, ours.firstMs, words.firstMs, targets.firstMs, "lower"),
    compare(`${name}: content`, ours.contentMs, words.contentMs, targets.contentMs, "lower"),
  ];
}

function slowest(pages: readonly { readonly name: string; readonly firstMs: number }[]): string {
  const last = pages.reduce((a, b) => (b.firstMs > a.firstMs ? b : a));
  const verdict = last.firstMs <= firstPaintMaxMs ? "within" : "beyond";
  return `the slowest first paint, ${last.name}: ${Math.round(last.firstMs)} ms, ${verdict} the second that it may take on a quiet machine`;
}

/** Every page in turn, again and again: what else the machine does meets all of them alike. */
async function measure(
  browser: Browser,
  pages: readonly Target[],
  repeats: number,
): Promise<Map<Target, Paint[]>> {
  const paints = new Map<Target, Paint[]>(pages.map((page) => [page, []]));
  // The first time does not count: the services compress a file when it is first asked for.
  for (let i = 0; i <= repeats; i++) {
    for (const page of pages) {
      const paint = await paintOf(browser, page.url, page.content, page.state);
      if (i > 0) paints.get(page)!.push(paint);
    }
  }
  return paints;
}

function medians(paints: readonly Paint[]): Paint {
  const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1]!;
  return {
    firstMs: median(paints.map(({ firstMs }) => firstMs)),
    contentMs: median(paints.map(({ contentMs }) => contentMs)),
  };
}

async function serveWords(): Promise<{ readonly page: Target; readonly close: () => void }> {
  const html = '<!doctype html><html lang="en"><title>Words</title><h1>A page of a few words</h1></html>';
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    page: { name: "words", url: `http://127.0.0.1:${port}/`, content: "h1" },
    close: () => server.close(),
  };
}

/** Three hospitals, a released study, and somebody who has signed in at each console. */
async function targetsOf(federation: LocalFederation, browser: Browser): Promise<Target[]> {
  for (const id of hospitals)
    await federation.addSite({ id, tables: { biopsies: `${root}examples/data/${id}.csv` } });
  await federation.waitForSites();
  const text = await readFile(`${root}examples/studies/${study}.yaml`, "utf8");
  const { id } = await federation.startStudy(
    text.replace(/minimumSites: \d+/, `minimumSites: ${hospitals.length}`),
  );
  const [operator, hospital] = await Promise.all([
    signIn(browser, federation.aggregator.state, "operator"),
    signIn(browser, (await federation.startConsole(hospitals[0]!)).state, "hospital"),
    federation.waitForRelease(id, 300_000),
  ]);
  const { http } = await federation.publisher.addresses();
  const signInForm = "input[type=password]";
  return [
    { name: "operator, sign-in", url: operator.url, content: signInForm },
    { name: "operator, federation", url: operator.url, content: "tbody tr", state: operator.state },
    { name: "hospital, sign-in", url: hospital.url, content: signInForm },
    { name: "hospital, health", url: hospital.url, content: ".health", state: hospital.state },
    { name: "catalogue, releases", url: `http://${http}/`, content: ".release-cards" },
    { name: "catalogue, a release", url: `http://${http}/releases/${id}/`, content: "#certificate" },
  ];
}

async function signIn(
  browser: Browser,
  folder: string,
  name: string,
): Promise<{ readonly url: string; readonly state: BrowserState }> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(await setUpLink(folder));
  await makeAccount(page, name);
  await page.getByRole("button", { name: "Sign out" }).waitFor();
  const state = await context.storageState();
  const url = new URL("/", page.url()).href;
  await context.close();
  return { url, state };
}
