/** The catalogue's pages in a real browser, of releases that a real publisher holds. */
import { sampleContent } from "@consilium/publisher/testing/release";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PublisherProcess, type TestNetwork, testNetwork } from "../publisher/network.js";
import { launch, noBrowser, Visitor } from "./browser.js";

if (noBrowser !== null && process.env.CONSILIUM_FORBID_SKIPS === "1") throw new Error(noBrowser);

const release = (id: string, estimate: number) =>
  sampleContent({
    id,
    title: `Study of ${id}`,
    columns: [],
    rows: 0,
    tables: [
      {
        name: "coefficients",
        title: "Coefficients",
        description: "One line for each variable.",
        columns: [
          { name: "variable", type: "text", description: "which" },
          { name: "estimate", type: "number", description: "log-odds" },
        ],
        rows: [["age", estimate]],
        isShown: true,
      },
    ],
    figures: [
      {
        kind: "bars",
        name: "importance",
        title: "Importance",
        valueLabel: "gain",
        bars: [{ label: "age", value: estimate, low: null, high: null }],
      },
    ],
  });
const [first, second] = [release("first-0123456789", 0.25), release("second-0123456789", 0.75)];

describe.skipIf(noBrowser !== null)("the catalogue in a browser", () => {
  let network: TestNetwork;
  let publisher: PublisherProcess;
  let browser: Browser;
  let analyst: Visitor;

  beforeAll(async () => {
    [network, browser] = await Promise.all([testNetwork(), launch()]);
    publisher = await network.start(await network.makePublisher());
    for (const content of [first, second]) await network.deposit(publisher, content, Buffer.alloc(0));
    analyst = await Visitor.arrive(browser, "analyst");
  });
  afterAll(async () => {
    await browser?.close();
    await network?.close();
  });

  it("leads with what a release found, and has what it rests on behind it", async () => {
    const { page } = analyst;
    await page.goto(`${publisher.http}/releases/${first.id}/`);
    await page.getByRole("cell", { name: "0.25" }).waitFor();
    const headings = await page.getByRole("heading", { level: 2 }).allInnerTexts();
    const order = ["Results", "Figures", "Code", "About this release", "What the certificate says", "Files"];
    expect(headings.filter((one) => order.includes(one))).toEqual(order);
    expect(await page.getByRole("tabpanel").first().innerText()).toContain("coefficients");
    const figure = page.getByRole("application", { name: /^Importance/ });
    await figure.press("End");
    expect(await figure.getByRole("status").innerText()).toMatch(/^age\s+gain: 0\.25$/);
    expect(await analyst.look("release-of-tables")).toEqual([]);
  });

  it("verifies a release in the browser", async () => {
    const { page } = analyst;
    await page.getByLabel("The federation's root certificate").setInputFiles({
      name: "root.pem",
      mimeType: "application/x-pem-file",
      buffer: Buffer.from(network.federation.root.certificatePem),
    });
    await page.getByRole("button", { name: "Verify in this browser" }).click();
    await page.getByText("This release matches its certificate.").waitFor();
  });

  it("shows two releases side by side", async () => {
    const { page } = analyst;
    await page.getByLabel("Compare with").selectOption(second.id);
    await page.getByRole("heading", { name: "Two releases side by side" }).waitFor();
    for (const [content, estimate] of [
      [first, "0.25"],
      [second, "0.75"],
    ] as const) {
      const side = page.getByRole("region", { name: content.title });
      await side.getByRole("cell", { name: estimate }).waitFor();
      await side.getByRole("link", { name: content.id }).waitFor();
    }
    expect(await analyst.look("two-releases")).toEqual([]);
  });

  it("has the documents that certificates name as proofs", async () => {
    const { page } = analyst;
    await page.goto(`${publisher.http}/documents/METHODS#dp-pca-proof`);
    await page.getByRole("heading", { level: 1, name: "Federated PCA with data release" }).waitFor();
    // The document is long: axe and pictures of it would take minutes.
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
  });

  it("links to its feed and its catalogue for harvesters", async () => {
    const { page } = analyst;
    await page.goto(`${publisher.http}/`);
    for (const [name, type] of [
      ["Atom feed", "application/atom+xml"],
      ["DCAT catalogue", "application/ld+json"],
    ] as const) {
      const address = await page.getByRole("link", { name }).getAttribute("href");
      const answer = await fetch(new URL(address!, publisher.http));
      expect(answer.headers.get("content-type")).toContain(type);
      expect(await answer.text()).toContain(second.id);
    }
  });
});
